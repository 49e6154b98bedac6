import type { Actor } from '../../domain/actor.ts';
import { DomainError, type Unsettleable } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gig.ts';
import { advanceGig, type GigAdvance } from '../earning/advance-gig.ts';
import type { EarnDeps } from '../earning/deps.ts';
import { findGig } from '../gigs/find-gigs.ts';
import { endGig } from './end-gig.ts';

/** What was done to settle a gig. */
export interface HandSettlement {
  /** What was due and is done; null for a gig that is not watched, or not any more. */
  readonly advance: GigAdvance | null;
  readonly gig: Gig;
  /** Why its books are still open, or were closed before; null when they are closed now. */
  readonly why: Unsettleable | null;
}

function whyNot(error: unknown): Unsettleable {
  if (error instanceof DomainError && error.refusal.code === 'gig_not_settleable') return error.refusal.why;
  throw error;
}

/**
 * Does what is due for a watched gig, and closes the books of a gig that is over and on which nothing is open.
 * @throws DomainError `gig_not_found`, or `invalid_request` when what is due cannot be done
 */
export async function settleByHand(
  deps: EarnDeps,
  { gigId, actor }: { gigId: number; actor: Actor },
): Promise<HandSettlement> {
  const { store } = deps;
  await findGig({ store }, { gigId });
  const watch = await store.watch(gigId);
  const isWatched = watch !== null && watch.overAt === null;
  const advance = isWatched ? await advanceGig(deps, { gigId, actor }) : null;
  try {
    return { advance, gig: await endGig(deps, { gigId, ending: 'settle', actor }), why: null };
  } catch (error) {
    return { advance, gig: await findGig({ store }, { gigId }), why: whyNot(error) };
  }
}
