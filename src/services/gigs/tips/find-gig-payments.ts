import { setImmediate } from 'node:timers/promises';
import type { Claim } from '../../../domain/claims/claim.ts';
import { awardableOf, type Gig } from '../../../domain/gigs/gig.ts';
import type { Actor } from '../../../domain/operators/actor.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { noPayouts } from '../../../domain/payments/payout-sums.ts';
import type { ReadContext } from '../../context.ts';
import { findSeenGig } from '../command-gig.ts';

/** Where a gig's reward went. Amounts are base units of its token. */
export interface GigPayments {
  /** Confirmed on chain. */
  readonly paid: bigint;
  /** Awarded as tips that are not paid yet. */
  readonly waiting: bigint;
  /** Not awarded. */
  readonly left: bigint;
  /** Number of confirmed payouts. */
  readonly payouts: number;
  /** Amounts paid in equally long parts of the time from `from` to `to` (epoch ms), oldest first. */
  readonly parts: { readonly from: number; readonly to: number; readonly amounts: readonly bigint[] };
}

/** What a gig has paid and what it still owes. The parts cover its window, and later time up to the last payout. */
export async function findGigPayments({ store }: ReadContext, { gig }: { gig: Gig }): Promise<GigPayments> {
  const { partMs, parts } = (await store.paidByGig(gig.id)) ?? noPayouts(gig);
  const paid = parts.reduce((sum, { amount }) => sum + amount, 0n);
  const from = gig.startTime;
  const count = Math.max(Math.ceil((gig.endTime - from) / partMs), 1 + (parts.at(-1)?.part ?? 0));
  const amounts = new Array<bigint>(count).fill(0n);
  for (const { part, amount } of parts) amounts[part] = amount;
  return {
    paid,
    waiting: gig.awardedAmount - paid,
    left: awardableOf(gig),
    payouts: parts.reduce((sum, { payouts }) => sum + payouts, 0),
    parts: { from, to: from + count * partMs, amounts },
  };
}

/** How many gigs are looked up before the event loop turns. */
const AT_ONCE = 10;

/** What each of these gigs has paid, by its id: kept sums, and none for a gig that has awarded nothing. */
export async function findPaid({ store }: ReadContext, gigs: readonly Gig[]): Promise<ReadonlyMap<number, bigint>> {
  const paid = new Map<number, bigint>();
  const awarding = gigs.filter(({ awardedAmount }) => awardedAmount > 0n);
  for (let from = 0; from < awarding.length; from += AT_ONCE) {
    if (from > 0) await setImmediate();
    for (const { id } of awarding.slice(from, from + AT_ONCE)) {
      const { parts = [] } = (await store.paidByGig(id)) ?? {};
      paid.set(
        id,
        parts.reduce((sum, { amount }) => sum + amount, 0n),
      );
    }
  }
  return paid;
}

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
  const gig = await findSeenGig(store, { gigId, actor });
  const found = await store.payments({ gigId, kind: 'payout', limit: limit + 1, before });
  const page = found.slice(0, limit);
  const payouts: GigPayout[] = [];
  for (const payment of page) {
    const claim = payment.claimId === null ? null : await store.claim(payment.claimId);
    if (claim !== null) payouts.push({ payment, claim });
  }
  return { gig, payouts, next: found.length > limit ? (page.at(-1)?.id ?? null) : null };
}
