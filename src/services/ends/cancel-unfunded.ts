import { AdapterError, DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { JobActor } from '../../domain/operators/actor.ts';
import { SCARCE_FROM, UNFUNDED_FOR_MS } from '../../domain/owners/owner-gigs.ts';
import { summarizeError } from '../../log.ts';
import { findShortGigs } from '../gigs/read-funding.ts';
import { checkUnstarted, isCleared, type Known, type StepCheck } from '../gigs/steps/check-step.ts';
import type { UnfundedContext } from './context.ts';
import { endGig } from './end-gig.ts';

/** Few, because each page asks anew whether places are scarce. */
const TOGETHER = 10;
const JOB: JobActor = { kind: 'job', name: 'cancel unfunded gigs' };

async function cancel(deps: UnfundedContext, known: Known): Promise<void> {
  const { gigId } = known;
  try {
    await endGig(deps, { gigId, ending: 'cancel', actor: JOB, known });
    deps.log.info({ gigId }, 'unfunded gig of an owner cancelled');
  } catch (error) {
    // It starts at this moment, or has just ended.
    if (!(error instanceof DomainError)) throw error;
  }
}

/** Those of some gigs of one chain whose wallets hold too little, and whether that is because they have paid. */
async function findUnfunded(
  deps: UnfundedContext,
  chainId: number,
  gigs: readonly Gig[],
): Promise<{ readonly gig: Gig; readonly check: StepCheck }[]> {
  try {
    return await deps.chains.reader(chainId).decide(async () => {
      const short = await findShortGigs(deps, gigs);
      return short.length === 0 ? [] : await checkUnstarted(deps, chainId, short);
    });
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    deps.log.warn({ chainId, error: summarizeError(error) }, 'cannot read whether wallets of unfunded gigs have paid');
    return [];
  }
}

async function cancelSome(deps: UnfundedContext, ids: readonly number[]): Promise<void> {
  const gigs = (await Promise.all(ids.map((id) => deps.store.gig(id)))).filter((gig) => gig !== null);
  for (const [chainId, ofChain] of Map.groupBy(gigs, ({ token }) => token.chainId)) {
    for (const { gig, check } of await findUnfunded(deps, chainId, ofChain)) {
      deps.heldSteps.note('cancel', gig.id, isCleared(check) ? null : check);
      if (isCleared(check)) await cancel(deps, check);
    }
  }
}

/**
 * Cancels the gigs that owners created on their pages a week ago and whose wallets hold less than they need, strangers' gigs
 * after an hour while places are scarce. The money in a wallet returns as for every cancelled gig. One whose wallet has paid
 * had started in a ledger that is lost, and waits.
 */
export async function cancelUnfunded(deps: UnfundedContext): Promise<void> {
  const { store, clock, heldSteps } = deps;
  const now = clock();
  const createdBy = now - UNFUNDED_FOR_MS.usual;
  const scarce = { createdBy: now - UNFUNDED_FOR_MS.scarce, places: SCARCE_FROM };
  const waiting = new Set<number>();
  let ids: number[];
  do {
    ids = await store.waitingOwnerGigs({ createdBy, scarce, after: Math.max(0, ...waiting), limit: TOGETHER });
    for (const id of ids) waiting.add(id);
    await cancelSome(deps, ids);
  } while (ids.length === TOGETHER);
  heldSteps.keep('cancel', waiting);
}
