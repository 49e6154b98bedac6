import type { Account } from '../domain/account.ts';
import { accountShape } from '../domain/terms.ts';
import { complete, readFields } from '../domain/validation.ts';
import type { Store } from '../store/port.ts';
import { keepOwner } from './create-gig.ts';
import { findGig } from './gigs.ts';
import { firstAnswer, type Once, runOnce } from './once.ts';

/**
 * Lets an account command a gig, live or not; one that may already stays as it is. With `once` it does so only the first
 * time.
 * @returns what `render` makes of the owner, as JSON
 * @throws DomainError `validation_failed`, `gig_not_found`, `key_reused`
 */
export async function addOwner(
  deps: { store: Pick<Store, 'transaction' | 'firstAnswer'>; clock: () => number },
  request: { gigId: number; body: unknown; once: Once | null; render: (owner: Account) => object },
): Promise<string> {
  const { store, clock } = deps;
  const { gigId, once, render } = request;
  const known = await firstAnswer(store, once);
  if (known !== null) return known;
  const { platform, platform_user_id: platformUserId, username } = complete(readFields(accountShape, request.body));
  const owner = { platform, platformUserId, username };
  return await store.transaction(async (tx) => {
    const now = clock();
    await findGig({ store: tx }, { gigId });
    const effect = async () => {
      await keepOwner(tx, gigId, owner, now);
      return render((await tx.account(owner)) ?? owner);
    };
    return await runOnce(tx, once, { now, effect });
  });
}
