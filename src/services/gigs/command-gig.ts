import { DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { Actor, GigAct } from '../../domain/operators/actor.ts';
import type { StoreReads } from '../../store/port/index.ts';
import { findGig } from './find-gigs.ts';

declare const COMMANDED: unique symbol;

/** A gig that its actor may command. {@link commandGig} alone makes one; what writes to a gig takes or makes one. */
export type Commanded = Gig & { readonly [COMMANDED]: GigAct };

/**
 * The gig, if the actor may see what is for its client alone: a key without `operator` sees its own client's gigs only.
 * @throws DomainError `gig_not_found`
 */
export function requireSeen(gig: Gig, actor: Actor): Gig {
  const isSeen = actor.kind !== 'api_key' || actor.scopes.includes('operator') || actor.client === gig.client;
  if (isSeen) return gig;
  throw new DomainError({ code: 'gig_not_found', gigId: gig.id });
}

/**
 * The gig with this id, if the actor may do this with it: a key what its client may, an account what owners may; the operator
 * and jobs command every gig.
 * @throws DomainError `gig_not_found`, also for a key of another client; `not_gig_owner` for an account that does not own it
 */
export async function commandGig(
  reads: StoreReads,
  { gigId, actor, act }: { gigId: number; actor: Actor; act: GigAct },
): Promise<Commanded> {
  const gig = requireSeen(await findGig({ store: reads }, { gigId }), actor);
  if (actor.kind === 'account') {
    const { platform, platformUserId } = actor;
    const isOwner = await reads.ownsGig(gigId, { platform, platformUserId });
    if (!isOwner) throw new DomainError({ code: 'not_gig_owner', gigId, act });
  }
  return gig as Commanded;
}
