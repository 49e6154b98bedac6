import type { Gig } from '../domain/gig.ts';
import type { GigPayment, Store } from '../store/port.ts';

/** Where a gig's reward went. Amounts are base units of its token. */
export interface GigPayments {
  /** Confirmed on chain. */
  readonly paid: bigint;
  /** Awarded as tips that are not paid yet. */
  readonly waiting: bigint;
  /** Not awarded. */
  readonly left: bigint;
  /** How many payouts were confirmed: one for each claim. */
  readonly payouts: number;
  /** What was paid in each of equally long parts of the time from `from` to `to` (epoch ms), oldest first. */
  readonly parts: { readonly from: number; readonly to: number; readonly amounts: readonly bigint[] };
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** Sums payments over `count` equal parts of a time; what lies outside counts to the nearest part. */
function divide(payments: readonly GigPayment[], options: { from: number; to: number; count: number }): bigint[] {
  const { from, to, count } = options;
  const amounts = new Array<bigint>(count).fill(0n);
  for (const { at, amount } of payments) {
    const part = Math.floor(((at - from) / Math.max(1, to - from)) * count);
    const index = Math.min(count - 1, Math.max(0, part));
    amounts[index] = (amounts[index] ?? 0n) + amount;
  }
  return amounts;
}

/**
 * What a gig has paid so far and what it still owes. The parts cover the gig's window, and the time after it as long as
 * there were payments.
 */
export async function findGigPayments(
  { store }: { store: Pick<Store, 'paidByGig'> },
  { gig, parts }: { gig: Gig; parts: number },
): Promise<GigPayments> {
  const payments = await store.paidByGig(gig.id);
  const paid = sum(payments.map(({ amount }) => amount));
  const from = gig.startTime;
  const to = Math.max(gig.endTime, payments.at(-1)?.at ?? 0);
  return {
    paid,
    waiting: gig.awardedAmount - paid,
    left: gig.rewardAmount - gig.awardedAmount,
    payouts: payments.length,
    parts: { from, to, amounts: divide(payments, { from, to, count: parts }) },
  };
}
