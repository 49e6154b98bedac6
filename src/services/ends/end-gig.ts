import type { Gig } from '../../domain/gigs/gig.ts';
import type { StoreReads } from '../../store/port/index.ts';
import type { TimedReads } from '../context.ts';
import { type Commanded, commandGig } from '../gigs/command-gig.ts';
import { findGig } from '../gigs/find-gigs.ts';
import type { Ender } from '../gigs/steps/check-step.ts';
import type { Prepared } from '../prepared.ts';
import { ENDINGS, type Ending } from './endings.ts';

type EndRequest = Ender & {
  readonly gigId: number;
  readonly ending: Ending;
};

async function findEndable(reads: StoreReads, request: EndRequest, now: number): Promise<Commanded> {
  const { gigId, ending, actor } = request;
  const gig = await commandGig(reads, { gigId, actor, act: ending });
  ENDINGS[ending].check(gig, now);
  return gig;
}

/** The gig as it will be after its end, which changes nothing yet. @throws DomainError as the commit of {@link prepareEnd} */
export async function previewEnd({ store, clock }: TimedReads, request: EndRequest): Promise<Gig> {
  const now = clock();
  return ENDINGS[request.ending].after(await findEndable(store, request, now), now);
}

/**
 * Prepares the end of a gig. Its commit returns the gig as it is then, and throws DomainError as {@link commandGig};
 * `gig_not_stoppable`, `gig_not_settleable`, or of one that is to be cancelled `gig_already_live`, `gig_ended`, or
 * `gig_in_progress` while it is being started.
 * @param attempt.holder names this attempt; no start under way may have the lock
 */
export function prepareEnd(attempt: EndRequest & { readonly holder: string }): Prepared<Gig> {
  const { gigId, ending } = attempt;
  return {
    async commit(tx, now) {
      await ENDINGS[ending].commit(tx, await findEndable(tx, attempt, now), { ...attempt, now });
      return await findGig({ store: tx }, { gigId });
    },
  };
}
