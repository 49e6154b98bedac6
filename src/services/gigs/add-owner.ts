import { type Account, type AccountKey, accountKeyText } from '../../domain/account.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import type { StoreTx } from '../../store/port/index.ts';
import type { ReadContext, ServiceContext } from '../context.ts';
import { type Deed, recordEvent } from '../operators/audit-events.ts';
import { commandGig, requireSeen } from './command-gig.ts';
import { keepOwner } from './create-gig.ts';
import { findGig } from './find-gigs.ts';

/**
 * Lets an account command a gig, live or not; no change for one that is an owner already.
 * @returns the owner with its stored handle
 * @throws DomainError as {@link commandGig}
 */
export async function addOwner(
  tx: StoreTx,
  { gigId, owner }: { gigId: number; owner: Account },
  deed: Deed,
): Promise<Account> {
  const gig = await commandGig(tx, { gigId, actor: deed.actor, act: 'add owners to' });
  await keepOwner(tx, gig, owner, deed);
  return (await tx.account(owner)) ?? owner;
}

/**
 * A gig's owners in the order in which they were added; a gig the actor may not see is not found.
 * @throws DomainError `gig_not_found`
 */
export async function listOwners(
  { store }: ReadContext,
  { gigId, actor }: { gigId: number; actor: Actor },
): Promise<Account[]> {
  requireSeen(await findGig({ store }, { gigId }), actor);
  return await store.gigOwners(gigId);
}

/**
 * Removes an owner of a gig.
 * @throws DomainError as {@link commandGig}, or `invalid_request` when the account does not own it
 */
export async function removeOwner(
  { store, clock }: ServiceContext,
  { gigId, owner, actor }: { gigId: number; owner: AccountKey; actor: Actor },
): Promise<void> {
  const subjectId = accountKeyText(owner);
  await store.transaction(async (tx) => {
    await commandGig(tx, { gigId, actor, act: 'remove owners from' });
    if (!(await tx.removeGigOwner(gigId, owner))) {
      throw invalidRequest(`${subjectId} is not an owner of gig ${gigId}.`);
    }
    const event = { action: 'owner.remove', subject: 'account', subjectId, gigId, detail: {} } as const;
    await recordEvent(tx, { actor, now: clock() }, event);
  });
}
