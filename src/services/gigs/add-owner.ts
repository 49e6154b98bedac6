import { type Account, type AccountKey, accountKeyText } from '../../domain/account.ts';
import type { Actor } from '../../domain/actor.ts';
import { DomainError } from '../../domain/errors.ts';
import { accountShape } from '../../domain/terms.ts';
import { complete, readFields } from '../../domain/validation.ts';
import type { Store } from '../../store/port/index.ts';
import { firstAnswer, type IdempotencyKey, withIdempotency } from '../idempotency.ts';
import { recordEvent } from '../operators/audit-events.ts';
import { keepOwner } from './create-gig.ts';
import { findGig, findReachedGig } from './find-gigs.ts';

/**
 * Lets an account command a gig, live or not; one that may already stays as it is. With `once` it does so only the first
 * time.
 * @returns what `render` makes of the owner, as JSON
 * @throws DomainError `validation_failed`, `gig_not_found`, `key_reused`
 */
export async function addOwner(
  deps: { store: Pick<Store, 'transaction' | 'findIdempotentResponse'>; clock: () => number },
  request: {
    gigId: number;
    body: unknown;
    once: IdempotencyKey | null;
    render: (owner: Account) => object;
    actor: Actor;
  },
): Promise<string> {
  const { store, clock } = deps;
  const { gigId, once, render, actor } = request;
  const known = await firstAnswer(store, once);
  if (known !== null) return known;
  const { platform, platform_user_id: platformUserId, username } = complete(readFields(accountShape, request.body));
  const owner = { platform, platformUserId, username };
  return await store.transaction(async (tx) => {
    const now = clock();
    await findReachedGig({ store: tx }, { gigId, actor });
    const effect = async () => {
      await keepOwner(tx, gigId, owner, { actor, now });
      return render((await tx.account(owner)) ?? owner);
    };
    return await withIdempotency(tx, once, { now, effect });
  });
}

/**
 * A gig's owners in the order in which they were added, as far as an actor may know of the gig.
 * @throws DomainError `gig_not_found`
 */
export async function listOwners(
  { store }: { store: Pick<Store, 'gig' | 'gigOwners'> },
  { gigId, actor }: { gigId: number; actor: Actor },
): Promise<Account[]> {
  await findReachedGig({ store }, { gigId, actor });
  return await store.gigOwners(gigId);
}

/**
 * Takes an account's command over a gig away.
 * @throws DomainError `gig_not_found`, or `invalid_request` when the account does not own it
 */
export async function removeOwner(
  { store, clock }: { store: Pick<Store, 'transaction'>; clock: () => number },
  { gigId, owner, actor }: { gigId: number; owner: AccountKey; actor: Actor },
): Promise<void> {
  const subjectId = accountKeyText(owner);
  await store.transaction(async (tx) => {
    await findGig({ store: tx }, { gigId });
    if (!(await tx.removeGigOwner(gigId, owner))) {
      throw new DomainError({ code: 'invalid_request', message: `${subjectId} is no owner of gig ${gigId}.` });
    }
    const event = { action: 'owner.remove', subject: 'account', subjectId, gigId, detail: {} } as const;
    await recordEvent(tx, { actor, now: clock() }, event);
  });
}
