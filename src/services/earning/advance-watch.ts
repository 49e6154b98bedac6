import type { Platform } from '../../domain/account.ts';
import { eligibleState } from '../../domain/earning/fixed.ts';
import { readStoredRules } from '../../domain/earning/rules-json.ts';
import type { Watch } from '../../domain/earning/watch.ts';
import { nextWatchStep, type WatchFacts, type WatchStep } from '../../domain/earning/watch-step.ts';
import { AdapterError } from '../../domain/errors.ts';
import { leftOf } from '../../domain/gig.ts';
import type { SocialPlatform } from '../../domain/mention.ts';
import { summarizeError } from '../../log.ts';
import { awardFixed } from './award-earnings.ts';
import type { EarnDeps, WatchedGig } from './deps.ts';
import { beginSweep, look, sweepOn } from './read-acts.ts';
import { settleAccounts } from './settle-accounts.ts';

async function findWatched({ store }: EarnDeps, network: SocialPlatform, watch: Watch): Promise<WatchedGig | null> {
  const [gig, stored] = await Promise.all([store.gig(watch.gigId), store.earningRules(watch.gigId)]);
  const { acts: reader, bot } = network;
  if (gig === null || stored === null || reader === null) return null;
  return { gig, rules: readStoredRules(stored.rules), watch, reader, botId: bot.id };
}

async function readFacts({ store }: EarnDeps, { gig, rules, watch }: WatchedGig): Promise<WatchFacts> {
  const { rule } = rules;
  const [nextHeldDue, [first]] = await Promise.all([store.nextHeldDue(gig.id), store.awardable(gig.id, { limit: 1 })]);
  const amount = rule.type === 'fixed' ? rule.amount : 0n;
  const eligible = eligibleState(first, { amount, left: leftOf(gig), isAnyHeld: nextHeldDue !== null });
  const needsStart = gig.gigType === 'follow';
  return { watch, window: gig, ruleType: rule.type, needsStart, nextHeldDue, eligible };
}

/** Does a step. @returns the watch after it, and when the next one is due */
async function take(deps: EarnDeps, watched: WatchedGig, step: WatchStep): Promise<Watch> {
  const { watch, gig, rules } = watched;
  const now = deps.clock();
  const after = (changed: Watch): Watch => ({ ...changed, nextAt: now });
  switch (step.kind) {
    case 'wait':
      return { ...watch, nextAt: step.until };
    case 'over':
      return { ...watch, overAt: now };
    case 'look':
      return after(await look(deps, watched));
    case 'begin_sweep':
      return after(await sweepOn(deps, { ...watched, watch: { ...watch, lookedAt: now } }, beginSweep(watched, now)));
    case 'sweep':
      return after(watch.sweep === null ? watch : await sweepOn(deps, watched, watch.sweep));
    case 'settle':
      await settleAccounts(deps, watched, step.dueBy);
      return after(watch);
    case 'award':
      if (rules.rule.type === 'fixed') await awardFixed(deps, gig.id, rules.rule.amount);
      return after(watch);
  }
}

/** The watch after a failed step: what was read is kept, but a cursor that is refused begins anew. */
function afterFailure(
  { timing, clock }: EarnDeps,
  watch: Watch,
  { retryAfterMs = 0, retry, reason }: AdapterError,
): Watch {
  const isRefused = retry === 'never' || reason === 'bad_response';
  const nextAt = clock() + Math.max(timing.failedMs, retryAfterMs);
  return { ...watch, nextAt, sweep: isRefused ? null : watch.sweep };
}

/**
 * Takes the next step of the watched gig of a platform that is due longest. A gig whose platform does not answer waits,
 * with nothing decided.
 * @param onLeased called when a gig is leased, before any work on it
 * @returns whether there was one
 */
export async function advanceNextWatch(deps: EarnDeps, platform: Platform, onLeased?: () => void): Promise<boolean> {
  const { store, clock, timing, log, platforms, newId } = deps;
  const network = platforms.get(platform);
  if (network === undefined || network.acts === null) return false;
  const lease = newId();
  const now = clock();
  const watch = await store.transaction((tx) => tx.leaseWatch(platform, { lease, now, until: now + timing.leaseMs }));
  if (watch === null) return false;
  onLeased?.();
  const { gigId } = watch;
  let next: Watch = { ...watch, nextAt: now + timing.failedMs };
  try {
    const watched = await findWatched(deps, network, watch);
    if (watched === null) throw new TypeError(`gig ${gigId} is watched without rules`);
    const step = nextWatchStep(await readFacts(deps, watched), { now, timing });
    next = await take(deps, watched, step);
    if (step.kind !== 'wait') log.info({ gigId, step: step.kind }, 'watched gig advanced');
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    next = afterFailure(deps, watch, error);
    log.warn({ gigId, error: summarizeError(error) }, 'watched gig waits: its platform does not answer');
  } finally {
    await store.transaction((tx) => tx.keepWatch(next, { lease, release: true }));
  }
  return true;
}
