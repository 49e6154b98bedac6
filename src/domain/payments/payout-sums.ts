export interface PayoutPart {
  /** Counted from the gig's start, 0 first. */
  readonly part: number;
  readonly payouts: number;
  /** Base units of the gig's token. */
  readonly amount: bigint;
}

/** The payouts of a gig, summed over equally long parts of the time since its start; empty parts are left out. */
export interface PayoutSums {
  /** The length of a part, in milliseconds. */
  readonly partMs: number;
  /** In their order, and at most {@link MAX_PARTS}. */
  readonly parts: readonly PayoutPart[];
}

/** The most parts of a gig, however many payouts there are and however late they come. */
export const MAX_PARTS = 30;

/** No payouts of a gig so far: the parts divide its window (`duration`, in milliseconds). */
export function noPayouts({ duration }: { duration: number }): PayoutSums {
  return { partMs: Math.max(1, Math.ceil(duration / MAX_PARTS)), parts: [] };
}

function sumParts(parts: readonly PayoutPart[]): PayoutPart[] {
  return [...Map.groupBy(parts, ({ part }) => part)]
    .map(([part, same]) => ({
      part,
      payouts: same.reduce((sum, { payouts }) => sum + payouts, 0),
      amount: same.reduce((sum, { amount }) => sum + amount, 0n),
    }))
    .sort((a, b) => a.part - b.part);
}

/** 0 for a payout from before the gig's start. */
function partAt(partMs: number, { startTime, at }: { startTime: number; at: number }): number {
  return Math.max(0, Math.floor((at - startTime) / partMs));
}

/**
 * Adds a payout that was final at `at` (epoch ms). A payout after all parts doubles their length as often as needed;
 * one from before the gig's start counts to the first part.
 */
export function addPayout(
  { partMs, parts }: PayoutSums,
  payout: { startTime: number; at: number; amount: bigint },
): PayoutSums {
  const { amount } = payout;
  const part = partAt(partMs, payout);
  if (part < MAX_PARTS) return { partMs, parts: sumParts([...parts, { part, payouts: 1, amount }]) };
  const halved = parts.map((old) => ({ ...old, part: Math.floor(old.part / 2) }));
  return addPayout({ partMs: partMs * 2, parts: sumParts(halved) }, payout);
}

/** Takes back a payout that was added at `at` (epoch ms): the chain no longer holds it. */
export function removePayout(
  { partMs, parts }: PayoutSums,
  payout: { startTime: number; at: number; amount: bigint },
): PayoutSums {
  const part = partAt(partMs, payout);
  const less = sumParts([...parts, { part, payouts: -1, amount: -payout.amount }]);
  return { partMs, parts: less.filter(({ payouts }) => payouts !== 0) };
}
