import { DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import { type Actor, type GigAct, type OwnerActor, ownerMay, waitsForSession } from '../../domain/operators/actor.ts';
import type { StoreReads } from '../../store/port/index.ts';
import { findGig } from './find-gigs.ts';
import { reachOf } from './owner-accounts.ts';

declare const COMMANDED: unique symbol;

/** A gig that its actor may command. {@link commandGig} alone makes one; what writes to a gig takes or makes one. */
export type Commanded = Gig & { readonly [COMMANDED]: GigAct };

async function isSeen(reads: StoreReads, gig: Gig, actor: Actor): Promise<boolean> {
  if (actor.kind === 'owner') return (await reachOf(reads, gig, actor)) !== null;
  return actor.kind !== 'api_key' || actor.scopes.includes('operator') || actor.client === gig.client;
}

/**
 * The gig, if the actor may see what is for its client alone: a key without `operator` sees its own client's gigs only, an
 * owner who signed in those that it created or that list it.
 * @throws DomainError `gig_not_found`
 */
export async function requireSeen(reads: StoreReads, gig: Gig, actor: Actor): Promise<Gig> {
  if (await isSeen(reads, gig, actor)) return gig;
  throw new DomainError({ code: 'gig_not_found', gigId: gig.id });
}

/** The gig with this id, as {@link requireSeen}. @throws DomainError `gig_not_found` */
export async function findSeenGig(reads: StoreReads, { gigId, actor }: { gigId: number; actor: Actor }): Promise<Gig> {
  return await requireSeen(reads, await findGig({ store: reads }, { gigId }), actor);
}

async function requireOwner(reads: StoreReads, gig: Gig, { actor, act }: { actor: OwnerActor; act: GigAct }) {
  const gigId = gig.id;
  const reach = await reachOf(reads, gig, actor);
  if (reach === null) throw new DomainError({ code: 'gig_not_found', gigId });
  const isAllowed = reach === 'client' || gig.ownersMayAward;
  if (!ownerMay(act, { isAllowed })) throw new DomainError({ code: 'owners_may_not', gigId, act });
  const { newUntil: until } = actor;
  if (until !== null && waitsForSession(act)) throw new DomainError({ code: 'session_too_new', gigId, act, until });
}

/**
 * The gig with this id, if the actor may do this with it: a key what its client may, an account what owners may, an owner who
 * signed in what it may in the browser; the operator and jobs command every gig.
 * @throws DomainError `gig_not_found`, also for a key or an owner of other gigs; `not_gig_owner` for an account that does not own
 * it; `owners_may_not` and `session_too_new` for an owner who signed in
 */
export async function commandGig(
  reads: StoreReads,
  { gigId, actor, act }: { gigId: number; actor: Actor; act: GigAct },
): Promise<Commanded> {
  const gig = await findGig({ store: reads }, { gigId });
  if (actor.kind === 'owner') {
    await requireOwner(reads, gig, { actor, act });
    return gig as Commanded;
  }
  await requireSeen(reads, gig, actor);
  if (actor.kind === 'account') {
    const { platform, platformUserId } = actor;
    const isOwner = await reads.ownsGig(gigId, { platform, platformUserId });
    if (!isOwner) throw new DomainError({ code: 'not_gig_owner', gigId, act });
  }
  return gig as Commanded;
}
