import type { Gig } from '../../domain/gigs/gig.ts';
import type { StoreReads, StoreTx } from '../../store/port/index.ts';
import type { TimedReads } from '../context.ts';
import { type Commanded, commandGig } from '../gigs/command-gig.ts';
import { findGig } from '../gigs/find-gigs.ts';
import type { Ender } from '../gigs/steps/check-step.ts';
import type { Prepared } from '../prepared.ts';
import type { EndContext } from './context.ts';
import { ENDINGS, type Ending } from './endings.ts';

export type EndRequest = Ender & {
  readonly gigId: number;
  readonly ending: Ending;
};

/** `holder` names this attempt; no start under way may have the lock. */
export type Attempt = EndRequest & { readonly holder: string };

/** An end that is possible. */
export interface PreparedEnd extends Prepared<Gig> {
  /** The gig as it will be. */
  readonly after: Gig;
}

async function findEndable(reads: StoreReads, request: EndRequest, now: number): Promise<Commanded> {
  const { gigId, ending, actor } = request;
  const gig = await commandGig(reads, { gigId, actor, act: ending });
  ENDINGS[ending].check(gig, now);
  return gig;
}

/** {@link endGig} in a transaction of the caller's. */
export async function endGigIn(tx: StoreTx, attempt: Attempt, now: number): Promise<Gig> {
  const { gigId, ending } = attempt;
  await ENDINGS[ending].commit(tx, await findEndable(tx, attempt, now), { ...attempt, now });
  return await findGig({ store: tx }, { gigId });
}

/** Checks that a gig can be ended, and changes nothing yet. @throws DomainError as {@link endGig} */
export async function prepareEnd({ store, clock }: TimedReads, attempt: Attempt): Promise<PreparedEnd> {
  const now = clock();
  const gig = await findEndable(store, attempt, now);
  return { after: ENDINGS[attempt.ending].after(gig, now), commit: (tx, at) => endGigIn(tx, attempt, at) };
}

/**
 * Ends a gig.
 * @returns the gig as it is then
 * @throws DomainError as {@link commandGig}; `gig_not_stoppable`, `gig_not_settleable`, or of one that is to be cancelled
 * `gig_already_live`, `gig_ended`, or `gig_in_progress` while it is being started
 */
export async function endGig({ store, clock, newId }: EndContext, request: EndRequest): Promise<Gig> {
  const holder = newId();
  return await store.transaction((tx) => endGigIn(tx, { ...request, holder }, clock()));
}
