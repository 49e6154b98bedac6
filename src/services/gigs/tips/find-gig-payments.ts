import { type Gig, leftOf } from '../../../domain/gigs/gig.ts';
import { noPayouts } from '../../../domain/payments/payout-sums.ts';
import type { ReadContext } from '../../context.ts';

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
    left: leftOf(gig),
    payouts: parts.reduce((sum, { payouts }) => sum + payouts, 0),
    parts: { from, to: from + count * partMs, amounts },
  };
}
