import type { Token } from '../gigs/token.ts';
import { DAY_MS } from '../time.ts';

/** What was done with a token in all gigs that have started, in its base units. */
export interface TokenSums {
  readonly token: Token;
  /** How many gigs have started. */
  readonly gigs: number;
  /** Reward and fee of the gigs that have started. */
  readonly funded: bigint;
  readonly awarded: bigint;
  /** Of confirmed payouts. */
  readonly paid: bigint;
  /** What settled gigs have not awarded. */
  readonly settled: bigint;
  /** Of confirmed refunds. */
  readonly refunded: bigint;
  /** What was paid, by the day since 1970. */
  readonly paidOn: ReadonlyMap<number, bigint>;
}

/** `reply`: from a mention's post to its reply; `payment`: from a claim to a payout that is settled. */
export type DurationKind = 'reply' | 'payment';

/** The upper bounds of durations in milliseconds, the same as those of the triggers; what took longer has a bucket of its own. */
export const DURATION_BOUNDS: readonly number[] = [
  1_000, 2_000, 3_000, 5_000, 7_000, 10_000, 15_000, 20_000, 30_000, 45_000, 60_000, 90_000, 120_000, 180_000, 300_000,
  600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000, 86_400_000,
];

/** How many things took at most `bucket` milliseconds, and more than the bucket before; `longest` is the longest of them. */
export interface DurationCount {
  readonly bucket: number;
  readonly n: number;
  readonly longest: number;
}

/** How many things of all time took at most `bucket` milliseconds, and more than the bucket before; `total` is their sum. */
export interface DurationTotal {
  readonly kind: DurationKind;
  readonly bucket: number;
  readonly n: number;
  readonly total: number;
}

/** The day of a moment (epoch milliseconds), in days since 1970. */
export function dayNumber(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** An amount from its places of nine digits each, of which each may exceed its digits, or be negative. */
export function addPlaces(places: readonly { readonly place: number; readonly sum: bigint }[]): bigint {
  return places.reduce((total, { place, sum }) => total + sum * 10n ** BigInt(9 * place), 0n);
}

/** What is awarded and not paid. Never negative, also while the sums of a moment differ. */
export function owedOf({ awarded, paid }: TokenSums): bigint {
  return awarded > paid ? awarded - paid : 0n;
}

/** What settled gigs are to return and have not returned. */
export function refundableOf({ settled, refunded }: TokenSums): bigint {
  return settled > refunded ? settled - refunded : 0n;
}

/** The median and the worst of durations, in milliseconds. */
export interface DurationSummary {
  /** At most this: the bound of the bucket that holds the median, or the longest where that is less. */
  readonly median: number;
  readonly worst: number;
  readonly count: number;
}

/** The median and the worst; null without any duration. */
export function summarizeDurations(counts: readonly DurationCount[]): DurationSummary | null {
  const count = counts.reduce((sum, { n }) => sum + n, 0);
  if (count === 0) return null;
  const worst = Math.max(...counts.map(({ longest }) => longest));
  let below = 0;
  for (const { bucket, n } of counts.toSorted((a, b) => a.bucket - b.bucket)) {
    below += n;
    if (below * 2 >= count) return { median: Math.min(bucket, worst), worst, count };
  }
  return { median: worst, worst, count };
}

/** How many days the gas tank lasts at a pace. Null when nothing was spent. */
export function daysLeft({ balance, spent, days }: { balance: bigint; spent: bigint; days: number }): number | null {
  return spent <= 0n ? null : Number((balance * BigInt(days) * 10n) / spent) / 10;
}
