import type { Platform } from '../../domain/account.ts';
import { readsActs } from '../../domain/earning/act.ts';
import { payoutOf } from '../../domain/earning/rules/index.ts';
import { readStoredRules } from '../../domain/earning/terms/rules-json.ts';
import { failurePause, type GigWatch } from '../../domain/earning/watch.ts';
import {
  type DecidingStep,
  isDeciding,
  nextWatchStep,
  type ReadingStep,
  type WatchFacts,
  type WatchStep,
  withoutPlatform,
} from '../../domain/earning/watch-step.ts';
import { AdapterError, type AdapterReason } from '../../domain/errors.ts';
import type { SocialPlatform } from '../../domain/mentions/mention.ts';
import { summarizeError } from '../../log.ts';
import { requireKnown } from '../gigs/steps/check-step.ts';
import { onServer, stoppedServer } from '../one-server.ts';
import { linkedAccounts } from './acts/linked-accounts.ts';
import type { Reading } from './acts/read-acts.ts';
import { LeaseLost } from './acts/store-acts.ts';
import type { WatchContext, WatchedGig } from './context.ts';
import type { AskingLanes } from './decide/asking-lanes.ts';
import { endOfPause, forgetRefuted } from './memory.ts';
import { takeDecision, takeReading } from './take-step.ts';
import { wayOf } from './ways/index.ts';

/** The count of failures in a row stops here: more of them change no pause. */
const MOST_FAILURES = 1_000;

/** Answers by which a platform may refuse the cursor of a sweep. */
const CURSOR_REFUSALS: ReadonlySet<AdapterReason> = new Set<AdapterReason>(['rejected', 'not_found', 'bad_response']);

async function findWatched(
  { store }: WatchContext,
  network: Network,
  { watch, lease }: { watch: GigWatch; lease: string },
): Promise<WatchedGig> {
  const [gig, stored] = await Promise.all([store.gig(watch.gigId), store.earningRules(watch.gigId)]);
  const { bot } = network;
  if (gig === null || stored === null) throw new TypeError(`gig ${watch.gigId} is watched without rules`);
  const reader = network.acts ?? linkedAccounts(store, gig);
  return { gig, rules: readStoredRules(stored.rules), watch, lease, reader, bot };
}

async function readFacts(deps: WatchContext, watched: WatchedGig): Promise<WatchFacts> {
  const { store, memory } = deps;
  const { gig, watch, rules } = watched;
  const now = deps.clock();
  const [nextHeldDue, [first]] = await Promise.all([store.nextHeldDue(gig.id), store.awardable(gig.id, { limit: 1 })]);
  return {
    watch,
    window: gig,
    payout: payoutOf(rules.rule),
    readsActs: readsActs(gig.gigType),
    needsStart: gig.gigType === 'follow',
    nextHeldDue,
    settleAfter: endOfPause(memory.settlePauses, gig.id, now),
    decideAfter: endOfPause(memory.decidePauses, gig.id, now),
    progress: await wayOf(rules).progress(deps, watched, { first, isAnyHeld: nextHeldDue !== null }),
  };
}

interface StepFailure {
  readonly retry: AdapterError['retry'];
  readonly reason: AdapterReason;
  readonly retryAfterMs?: number | undefined;
}

/** A failure of this service itself. */
const OWN_FAILURE: StepFailure = { retry: 'safe', reason: 'server_error' };

/** Waits longer after each failure; a sweep whose cursor is refused begins anew. */
function afterFailure(
  { timing, clock }: WatchContext,
  watch: GigWatch,
  { retryAfterMs = 0, retry, reason }: StepFailure,
): GigWatch {
  const isCursorRefused = retry === 'never' && CURSOR_REFUSALS.has(reason);
  const failures = Math.min(watch.failures + 1, MOST_FAILURES);
  const nextAt = clock() + Math.max(failurePause(failures, timing), retryAfterMs);
  return { ...watch, nextAt, failures, sweep: isCursorRefused ? null : watch.sweep };
}

interface Tried extends Reading {
  /** What did not answer; null without a failure. */
  readonly silent: 'platform' | 'chain' | null;
}

/**
 * The watch after a step. When accounts cannot be settled, that alone waits for its pause, and so do its failures: acts
 * are still read when they are due. So does all that decides when the chain does not tell what was paid.
 */
function afterStep(
  deps: WatchContext,
  { facts, step, tried: { watch, failure, silent } }: { facts: WatchFacts; step: WatchStep; tried: Tried },
): GigWatch {
  const { memory, clock, timing } = deps;
  const { gigId } = watch;
  const now = clock();
  if (failure === null) {
    if (step.kind === 'over') memory.settlePauses.delete(gigId);
    if (isDeciding(step) || step.kind === 'over') memory.decidePauses.delete(gigId);
    if (step.kind === 'over') memory.brokenSweeps.delete(gigId);
    const { nextHeldDue } = facts;
    const isWaiting = memory.settlePauses.has(gigId) && nextHeldDue !== null && nextHeldDue <= now;
    // A sweep that begins anew has done nothing until it is complete.
    const isAnew = watch.sweep !== null && memory.brokenSweeps.has(gigId);
    return isWaiting || isAnew || memory.decidePauses.has(gigId) ? watch : { ...watch, failures: 0 };
  }
  const failed = afterFailure(deps, watch, failure);
  if (watch.sweep !== null && failed.sweep === null) memory.brokenSweeps.add(gigId);
  if (step.kind !== 'settle' && silent !== 'chain') return failed;
  const until = failed.nextAt;
  const pauses = silent === 'chain' ? memory.decidePauses : memory.settlePauses;
  pauses.set(gigId, { since: now, until });
  const paused = silent === 'chain' ? { decideAfter: until } : { settleAfter: until };
  const next = nextWatchStep({ ...facts, watch, ...paused }, { now, timing });
  return { ...failed, nextAt: next.kind === 'wait' ? Math.min(next.until, until) : now };
}

/** @throws AdapterError when the chain does not tell what the wallet has paid */
async function withPaid(deps: WatchContext, watched: WatchedGig) {
  const known = await requireKnown(deps, watched.gig);
  const gig = known.isNew ? await deps.store.gig(watched.gig.id) : null;
  return { known, watched: gig === null ? watched : { ...watched, gig } };
}

/**
 * Takes a step as {@link takeReading} and {@link takeDecision} do, and returns an AdapterError as its failure. Once another
 * process has the watch, nothing more is done.
 */
async function tryStep(deps: WatchContext, watched: WatchedGig, step: WatchStep): Promise<Tried> {
  let silent: Tried['silent'] = 'chain';
  async function tryReading(reading: ReadingStep): Promise<Reading> {
    silent = 'platform';
    return await takeReading(deps, watched, reading);
  }
  async function tryDecision(decision: DecidingStep): Promise<Reading> {
    const way = wayOf(watched.rules);
    const store = onServer(await stoppedServer(deps.store), deps.store);
    const paid = await withPaid(deps, watched);
    await way.check?.(deps, watched.gig, decision);
    silent = way.asksChain?.includes(decision.kind) ? 'chain' : 'platform';
    return await takeDecision({ ...deps, store }, paid, decision);
  }
  try {
    const taken = isDeciding(step) ? await tryDecision(step) : await tryReading(step);
    return { ...taken, silent: taken.failure === null ? null : silent };
  } catch (error) {
    if (error instanceof LeaseLost) return { watch: watched.watch, failure: null, silent: null };
    if (!(error instanceof AdapterError)) throw error;
    return { watch: watched.watch, failure: error, silent };
  }
}

/** A step that was taken, with the failure of the platform's that ended it, or null. */
export interface StepTaken {
  readonly step: WatchStep;
  readonly failure: AdapterError | null;
}

/**
 * Takes the next step of a watch that is leased, and ends the lease. A gig whose platform does not answer waits.
 * @param network null when the platform is asked nothing any more: then held accounts are refused
 */
export async function advanceLeased(
  deps: WatchContext,
  network: Network | null,
  { watch, lease }: { watch: GigWatch; lease: string },
): Promise<StepTaken> {
  return await finishStep(deps, await prepareStep(deps, network, { watch, lease }));
}

interface Prepared {
  readonly watched: WatchedGig;
  readonly facts: WatchFacts;
  readonly step: WatchStep;
}

async function prepareStep(
  deps: WatchContext,
  network: Network | null,
  { watch, lease }: { watch: GigWatch; lease: string },
): Promise<Prepared> {
  const { clock, timing } = deps;
  forgetRefuted(deps.memory, watch);
  try {
    const watched = await findWatched(deps, network ?? UNASKED, { watch, lease });
    const read = await readFacts(deps, watched);
    const facts = network === null ? withoutPlatform(read, clock()) : read;
    return { watched, facts, step: nextWatchStep(facts, { now: clock(), timing }) };
  } catch (error) {
    const next = afterFailure(deps, watch, OWN_FAILURE);
    await deps.store.transaction((tx) => tx.storeWatch(next, { lease, release: true }), { narrow: true });
    throw error;
  }
}

/**
 * Takes a step, and ends the lease.
 * @param pause after how many milliseconds the next step is due at the earliest
 */
async function finishStep(
  deps: WatchContext,
  { watched, facts, step }: Prepared,
  pause = (): number => 0,
): Promise<StepTaken> {
  const { store, log, counter } = deps;
  const { watch, lease } = watched;
  const { gigId } = watch;
  let next = afterFailure(deps, watch, OWN_FAILURE);
  try {
    const tried = await tryStep(deps, watched, step);
    const { watch: after, failure, silent } = tried;
    const due = afterStep(deps, { facts, step, tried });
    const pauseMs = pause();
    next = pauseMs === 0 ? due : { ...due, nextAt: Math.max(due.nextAt, deps.clock() + pauseMs) };
    const isSwept = step.kind !== 'look' && after.sweptAt !== watch.sweptAt;
    if (failure === null) counter?.stepped(step.kind, { isSwept });
    if (failure !== null) {
      log.warn({ gigId, error: summarizeError(failure) }, `watched gig waits: its ${silent} does not answer`);
    } else if (step.kind !== 'wait') log.info({ gigId, step: step.kind }, 'watched gig advanced');
    return { step, failure };
  } finally {
    await store.transaction((tx) => tx.storeWatch(next, { lease, release: true }), { narrow: true });
  }
}

async function askInLanes(deps: WatchContext, lanes: AskingLanes, prepared: Prepared): Promise<void> {
  const { gig, watch, lease } = prepared.watched;
  const origin = new URL(deps.verifiers?.urlOf(gig.verifier) ?? 'none:').origin;
  const ask = async () => {
    await finishStep(deps, prepared, () => lanes.pauseAfter(origin));
  };
  const waitMs = lanes.take(origin, ask);
  if (waitMs === null) return;
  const later = { ...watch, nextAt: deps.clock() + waitMs };
  await deps.store.transaction((tx) => tx.storeWatch(later, { lease, release: true }), { narrow: true });
}

/**
 * Takes the next step of the watched gig of a platform that is due longest. A gig whose platform does not answer waits,
 * with nothing decided.
 * @param onLeased called when a gig is leased, before any work on it
 * @returns whether there was one
 */
export async function advanceNextWatch(
  deps: WatchContext,
  platform: Platform,
  onLeased?: () => void,
): Promise<boolean> {
  const { store, clock, timing, platforms, newId } = deps;
  const network = platforms.get(platform);
  if (network === undefined) return false;
  const lease = newId();
  const now = clock();
  // Most looks find none, for which no transaction is opened.
  if (!(await store.isWatchDue(platform, now))) return false;
  const request = { lease, now, until: now + timing.leaseMs };
  const watch = await store.transaction((tx) => tx.leaseWatch(platform, request), { narrow: true });
  if (watch === null) return false;
  onLeased?.();
  const prepared = await prepareStep(deps, network, { watch, lease });
  if (prepared.step.kind === 'ask' && deps.lanes !== undefined) await askInLanes(deps, deps.lanes, prepared);
  else await finishStep(deps, prepared);
  return true;
}

/** What a step needs of a gig's platform. */
export interface Network {
  readonly acts: SocialPlatform['acts'];
  readonly bot: SocialPlatform['bot'];
}

async function fail(): Promise<never> {
  throw new TypeError('a platform that is asked nothing any more was asked');
}

/** Stands for a platform that is off, or has not answered for long: no step that asks it is taken. */
export const UNASKED: Network = {
  bot: { id: '', username: '' },
  acts: { bulk: 1, readActs: fail, readAccounts: fail, readPosts: fail, readTexts: fail },
};
