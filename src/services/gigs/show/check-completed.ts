import { PLATFORMS } from '../../../domain/platforms/platforms.ts';
import type { ReadContext } from '../../context.ts';
import { findGig } from '../find-gigs.ts';

/**
 * Whether an account has a tip from a gig, pending or claimed, or an earning that is not refused. `who` is an id if all digits, else a handle, meaning its
 * current holder; both platforms are checked, because a gig may tip accounts of both.
 * @throws DomainError `gig_not_found`
 */
export async function hasCompleted(
  { store }: ReadContext,
  { gigId, who }: { gigId: number; who: string },
): Promise<boolean> {
  await findGig({ store }, { gigId });
  for (const { id: platform } of PLATFORMS) {
    const account = /^[0-9]+$/.test(who)
      ? { platform, platformUserId: who.replace(/^0+(?=[0-9])/, '') }
      : await store.accountByHandle(platform, who.replace(/^@/, ''));
    if (account === null) continue;
    const earning = await store.earning(gigId, account);
    if ((earning !== null && earning.state !== 'refused') || (await store.hasTip(gigId, account))) return true;
  }
  return false;
}
