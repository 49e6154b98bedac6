import { payoutOf } from '../../domain/earning/rules/index.ts';
import { readStoredRules } from '../../domain/earning/terms/rules-json.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { JobActor } from '../../domain/operators/actor.ts';
import { commandGig } from '../gigs/command-gig.ts';
import { checkDoubts, checkPaid, isCleared, type Known, type StepCheck } from '../gigs/steps/check-step.ts';
import type { SettleContext } from './context.ts';
import { closeBooks } from './endings.ts';

/** Gigs are settled in transactions of so many. */
const TOGETHER = 50;
const JOB: JobActor = { kind: 'job', name: 'settle' };

/** What rules decide they decide again; what people decided is known to them alone. */
async function isByRules({ store }: SettleContext, gigId: number): Promise<boolean> {
  const stored = await store.earningRules(gigId);
  return stored !== null && !payoutOf(readStoredRules(stored.rules).rule).hasSubmissions;
}

async function check(deps: SettleContext, gig: Gig): Promise<StepCheck> {
  const checked = await checkPaid(deps, gig);
  if (!isCleared(checked) || (await isByRules(deps, gig.id))) return checked;
  return (await checkDoubts(deps, gig)) ?? checked;
}

/** Those of some gigs that may be settled; a chain that does not answer is asked once. */
async function findKnown(deps: SettleContext, ids: readonly number[]): Promise<Known[]> {
  const found: Known[] = [];
  const silent = new Map<number, StepCheck>();
  for (const id of ids) {
    const gig = await deps.store.gig(id);
    if (gig === null) continue;
    const { chainId } = gig.token;
    const checked = silent.get(chainId) ?? (await check(deps, gig));
    deps.heldSteps.note('settle', id, isCleared(checked) ? null : checked);
    if (isCleared(checked)) found.push(checked);
    else if (checked.isSilent === true) silent.set(chainId, checked);
  }
  return found;
}

async function settle({ store, clock, log }: SettleContext, all: readonly Known[]): Promise<void> {
  if (all.length === 0) return;
  const closed = await store.transaction(async (tx) => {
    const done: number[] = [];
    for (const known of all) {
      const gig = await commandGig(tx, { gigId: known.gigId, actor: JOB, act: 'settle' });
      if (await closeBooks(tx, gig, { actor: JOB, known, now: clock() })) done.push(gig.id);
    }
    return done;
  });
  for (const gigId of closed) log.info({ gigId }, 'gig settled');
}

/** What waited to refuse at the end of a gig waits no more when the gig is settled, by whatever process. */
async function forgetRefusals({ store, heldSteps }: SettleContext): Promise<void> {
  const waiting = heldSteps.list().filter(({ step }) => step === 'refuse');
  const gigs = await Promise.all(waiting.map(({ gigId }) => store.gig(gigId)));
  const open = gigs.flatMap((gig) => (gig?.settledAt === null ? gig.id : []));
  heldSteps.keep('refuse', new Set(open));
}

/**
 * Settles every gig whose time for awards is over and on which nothing is open, once its chain has told what its wallet has
 * paid. One that people decide on waits for them while its ledger may have lost tips.
 */
export async function settleDueGigs(deps: SettleContext): Promise<void> {
  const { store, clock, heldSteps } = deps;
  const now = clock();
  const due = new Set<number>();
  let ids: number[];
  do {
    ids = await store.gigsToSettle({ now, after: Math.max(0, ...due), limit: TOGETHER });
    for (const id of ids) due.add(id);
    await settle(deps, await findKnown(deps, ids));
  } while (ids.length === TOGETHER);
  heldSteps.keep('settle', due);
  await forgetRefusals(deps);
}
