import { PLATFORMS } from '../../domain/platforms.ts';
import type { Store } from '../../store/port/index.ts';
import { findGig } from './find-gigs.ts';

/**
 * Whether an account has earned from a gig: it has a tip, pending or claimed. Digits are an id,
 * anything else a handle, held by whoever holds it now, on either network: a gig may tip accounts of both.
 * @throws DomainError `gig_not_found`
 */
export async function hasCompleted(
  { store }: { store: Pick<Store, 'gig' | 'hasTip' | 'accountByHandle'> },
  { gigId, who }: { gigId: number; who: string },
): Promise<boolean> {
  await findGig({ store }, { gigId });
  for (const { id: platform } of PLATFORMS) {
    const account = /^[0-9]+$/.test(who)
      ? { platform, platformUserId: who.replace(/^0+(?=[0-9])/, '') }
      : await store.accountByHandle(platform, who.replace(/^@/, ''));
    if (account !== null && (await store.hasTip(gigId, account))) return true;
  }
  return false;
}
