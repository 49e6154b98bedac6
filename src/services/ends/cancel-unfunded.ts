import { AdapterError, DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { JobActor } from '../../domain/operators/actor.ts';
import { SCARCE_FROM, UNFUNDED_FOR_MS, UNSTARTED_FOR_MS } from '../../domain/owners/owner-gigs.ts';
import { summarizeError } from '../../log.ts';
import { findShortGigs } from '../gigs/read-funding.ts';
import { checkUnstarted, isCleared, type Known, type StepCheck } from '../gigs/steps/check-step.ts';
import { carryOut } from '../prepared.ts';
import type { UnfundedContext } from './context.ts';
import { prepareEnd } from './end-gig.ts';

/** Few, because each page asks anew whether places are scarce. */
const TOGETHER = 10;
const JOB: JobActor = { kind: 'job', name: 'cancel unfunded gigs' };

async function cancel(deps: UnfundedContext, known: Known): Promise<void> {
  const { gigId } = known;
  try {
    await carryOut(deps, prepareEnd({ gigId, ending: 'cancel', actor: JOB, known, holder: deps.newId() }));
    deps.log.info({ gigId }, 'gig of an owner that did not start cancelled');
  } catch (error) {
    // It starts at this moment, or has just ended.
    if (!(error instanceof DomainError)) throw error;
  }
}

/** Those of some gigs of one chain, or of them those that are short of funds, and whether their wallets have paid. */
async function findDue(
  deps: UnfundedContext,
  { chainId, gigs, areShort }: { chainId: number; gigs: readonly Gig[]; areShort: boolean },
): Promise<{ readonly gig: Gig; readonly check: StepCheck }[]> {
  try {
    return await deps.chains.reader(chainId).decide(async () => {
      const chosen = areShort ? await findShortGigs(deps, gigs) : gigs;
      return chosen.length === 0 ? [] : await checkUnstarted(deps, chainId, { gigs: chosen, areShort });
    });
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    deps.log.warn({ chainId, error: summarizeError(error) }, 'cannot read whether wallets of gigs that wait have paid');
    return [];
  }
}

async function cancelSome(deps: UnfundedContext, ids: readonly number[], areShort: boolean): Promise<void> {
  const all = (await Promise.all(ids.map((id) => deps.store.gig(id)))).filter((gig) => gig !== null);
  for (const [chainId, gigs] of Map.groupBy(all, ({ token }) => token.chainId)) {
    for (const { gig, check } of await findDue(deps, { chainId, gigs, areShort })) {
      deps.heldSteps.note('cancel', gig.id, isCleared(check) ? null : check);
      if (isCleared(check)) await cancel(deps, check);
    }
  }
}

/** Epoch milliseconds by which gigs must have been created: each, and those of strangers while places are scarce. */
interface Due {
  readonly createdBy: number;
  readonly scarceBy: number;
  /** Whether only those whose wallets hold less than they need lose their places. */
  readonly areShort: boolean;
}

/** @returns the ids of all that were due */
async function cancelDue(deps: UnfundedContext, { createdBy, scarceBy, areShort }: Due): Promise<Set<number>> {
  const scarce = { createdBy: scarceBy, places: SCARCE_FROM };
  const due = new Set<number>();
  let ids: number[];
  do {
    ids = await deps.store.waitingOwnerGigs({ createdBy, scarce, after: Math.max(0, ...due), limit: TOGETHER });
    for (const id of ids) due.add(id);
    await cancelSome(deps, ids, areShort);
  } while (ids.length === TOGETHER);
  return due;
}

/**
 * Cancels the gigs that owners created on their pages a week ago and whose wallets hold less than they need, strangers' gigs
 * after an hour while places are scarce. While they still are, strangers' gigs that have their funds and did not start within
 * two weeks follow. The money in a wallet returns as for every cancelled gig. One whose wallet has paid had started in a ledger
 * that is lost, and waits.
 */
export async function cancelUnfunded(deps: UnfundedContext): Promise<void> {
  const now = deps.clock();
  const unfunded = { createdBy: now - UNFUNDED_FOR_MS.usual, scarceBy: now - UNFUNDED_FOR_MS.scarce };
  const waiting = await cancelDue(deps, { ...unfunded, areShort: true });
  const old = await cancelDue(deps, { createdBy: 0, scarceBy: now - UNSTARTED_FOR_MS, areShort: false });
  deps.heldSteps.keep('cancel', waiting.union(old));
}
