import type { Claim } from '../../../domain/claims/claim.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { Actor } from '../../../domain/operators/actor.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import type { ReadContext } from '../../context.ts';
import { requireSeen } from '../command-gig.ts';
import { findGig } from '../find-gigs.ts';

export interface GigPayout {
  readonly payment: Payment;
  readonly claim: Claim;
}

/**
 * A page of the payouts planned from a gig, newest first; `next` is the `before` of the next page, or null on the last.
 * A page may hold fewer than `limit` and still have a next.
 * @throws DomainError `gig_not_found`, also when the actor may not see the gig
 */
export async function listGigPayouts(
  { store }: ReadContext,
  { gigId, actor, limit, before }: { gigId: number; actor: Actor; limit: number; before?: number | undefined },
): Promise<{ gig: Gig; payouts: GigPayout[]; next: number | null }> {
  const gig = requireSeen(await findGig({ store }, { gigId }), actor);
  const found = await store.payments({ gigId, kind: 'payout', limit: limit + 1, before });
  const page = found.slice(0, limit);
  const payouts: GigPayout[] = [];
  for (const payment of page) {
    const claim = payment.claimId === null ? null : await store.claim(payment.claimId);
    if (claim !== null) payouts.push({ payment, claim });
  }
  return { gig, payouts, next: found.length > limit ? (page.at(-1)?.id ?? null) : null };
}
