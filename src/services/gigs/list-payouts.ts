import type { Actor } from '../../domain/actor.ts';
import type { Claim } from '../../domain/claim.ts';
import type { Gig } from '../../domain/gig.ts';
import type { Transfer } from '../../domain/transfer.ts';
import type { Store } from '../../store/port/index.ts';
import { findReachedGig } from './find-gigs.ts';

export interface GigPayout {
  readonly transfer: Transfer;
  readonly claim: Claim;
}

/**
 * A page of the payouts planned from a gig, newest first; `next` is the `before` of the next page, or null on the last.
 * A page may hold fewer than `limit` and still have a next.
 * @throws DomainError `gig_not_found`, also when the actor may not see the gig
 */
export async function listGigPayouts(
  { store }: { store: Pick<Store, 'gig' | 'transfers' | 'claim'> },
  { gigId, actor, limit, before }: { gigId: number; actor: Actor; limit: number; before?: number | undefined },
): Promise<{ gig: Gig; payouts: GigPayout[]; next: number | null }> {
  const gig = await findReachedGig({ store }, { gigId, actor });
  const found = await store.transfers({ gigId, kind: 'payout', limit: limit + 1, before });
  const page = found.slice(0, limit);
  const payouts: GigPayout[] = [];
  for (const transfer of page) {
    // A replaced transfer was planned again.
    if (transfer.state === 'replaced') continue;
    const claim = transfer.claimId === null ? null : await store.claim(transfer.claimId);
    if (claim !== null) payouts.push({ transfer, claim });
  }
  return { gig, payouts, next: found.length > limit ? (page.at(-1)?.id ?? null) : null };
}
