import { DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { Unsettleable } from '../../domain/gigs/gig-refusals.ts';
import type { AskingActor } from '../../domain/operators/actor.ts';
import { advanceGig, advanceUnasked, type GigAdvance } from '../earning/advance-gig.ts';
import type { WatchContext } from '../earning/context.ts';
import { commandGig } from '../gigs/command-gig.ts';
import { findGig } from '../gigs/find-gigs.ts';
import { carryOut } from '../prepared.ts';
import { prepareEnd } from './end-gig.ts';
import { requireOver } from './preview-refusals.ts';

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

/** With `isUnasked` the gig's platform is asked nothing any more. */
interface HandRequest {
  readonly gigId: number;
  readonly isUnasked?: boolean;
  readonly actor: AskingActor;
}

async function advance(
  deps: WatchContext,
  { gigId, isUnasked = false, actor }: HandRequest,
): Promise<GigAdvance | null> {
  const { store, clock } = deps;
  const gig = await commandGig(store, { gigId, actor, act: 'settle' });
  if (isUnasked) await requireOver(store, gig, clock());
  const watch = await store.watch(gigId);
  if (watch === null || watch.overAt !== null) return null;
  return isUnasked ? await advanceUnasked(deps, { gig, actor }) : await advanceGig(deps, { gigId, actor });
}

/**
 * Does what is due for a watched gig, and closes the books of a gig that is over and on which nothing is open. Without
 * its platform all that is open of it is decided: what was not decided on is refused.
 * @throws DomainError as {@link commandGig}, `invalid_request` when what is due cannot be done, or as {@link requireOver}
 */
export async function settleByHand(deps: WatchContext, request: HandRequest): Promise<HandSettlement> {
  const { store } = deps;
  const { gigId, actor } = request;
  const done = await advance(deps, request);
  const end = prepareEnd({ gigId, ending: 'settle', actor, holder: deps.newId() });
  try {
    return { advance: done, gig: await carryOut(deps, end), why: null };
  } catch (error) {
    return { advance: done, gig: await findGig({ store }, { gigId }), why: whyNot(error) };
  }
}
