import type { Store } from '../store/port.ts';
import { findGig } from './gigs.ts';

/**
 * Whether an account has earned from a gig: it has a tip, pending or claimed. Digits are an id on the gig's own network,
 * anything else a handle there, held by whoever holds it now.
 * @throws DomainError `gig_not_found`
 */
export async function hasCompleted(
  { store }: { store: Pick<Store, 'gig' | 'hasTip' | 'accountByHandle'> },
  { gigId, who }: { gigId: number; who: string },
): Promise<boolean> {
  const { platform } = await findGig({ store }, { gigId });
  const handle = who.replace(/^@/, '');
  const account = /^[0-9]+$/.test(who)
    ? { platform, platformUserId: who.replace(/^0+(?=[0-9])/, '') }
    : await store.accountByHandle(platform, handle);
  return account !== null && (await store.hasTip(gigId, account));
}
