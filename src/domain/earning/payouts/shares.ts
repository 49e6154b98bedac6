/** What the weight of an account is made of; what is not known counts nothing. */
export interface Standing {
  /** In millionths. */
  readonly score: number | null;
  readonly followers: number | null;
}

/** How many rounds a window has; the last one may be shorter. */
export function roundsOf({ duration, roundMs }: { duration: number; roundMs: number }): number {
  return Math.max(1, Math.ceil(duration / roundMs));
}

/** The pool of a round, the first being 1: an equal part of what is left for it and the rounds after it. */
export function poolOf(left: bigint, { round, rounds }: { round: number; rounds: number }): bigint {
  return left / BigInt(rounds - round + 1);
}

/** The share of each winner of a raffle. */
export function prizeOf(left: bigint, winners: number): bigint {
  return left / BigInt(winners);
}

export interface WeightCount {
  readonly weight: bigint;
  readonly count: number;
}

interface Pool {
  readonly pool: bigint;
  /** The sum of the weights of all members. */
  readonly total: bigint;
}

/** How the pool of a round is divided. Amounts are base units. */
export interface Division extends Pool {
  readonly members: number;
  /** What is reserved for members that have no tip yet; at the division the sum of all shares. */
  readonly reserved: bigint;
}

/** What a weight gets of a pool, at most `maxAmount`; all weights together never get more than the pool. */
export function roundShareOf(weight: bigint, { pool, total }: Pool, maxAmount: bigint): bigint {
  if (total === 0n) return 0n;
  const share = (pool * weight) / total;
  return share < maxAmount ? share : maxAmount;
}

/** The outcome of members of a round when it is handed out. */
export interface SharePlan<Member> {
  readonly awards: readonly { readonly earning: Member; readonly amount: bigint }[];
  /** Those who get nothing: too small a share, nothing left for it, or paid before. */
  readonly refused: readonly Member[];
  /** The shares of all of them, which are not reserved any more. */
  readonly released: bigint;
}

/** What these members of a divided round get, by rank, when this much of the reward has not been awarded. */
export function planShares<Member extends { readonly weight: bigint | null }>(
  members: readonly Member[],
  {
    round,
    left,
    maxAmount,
    isPaid,
  }: {
    readonly round: Pool;
    readonly left: bigint;
    readonly maxAmount: bigint;
    readonly isPaid: (member: Member) => boolean;
  },
): SharePlan<Member> {
  const awards: { earning: Member; amount: bigint }[] = [];
  const refused: Member[] = [];
  let [rest, released] = [left, 0n];
  for (const earning of members) {
    const amount = roundShareOf(earning.weight ?? 0n, round, maxAmount);
    released += amount;
    if (amount === 0n || amount > rest || isPaid(earning)) {
      refused.push(earning);
      continue;
    }
    awards.push({ earning, amount });
    rest -= amount;
  }
  return { awards, refused, released };
}

/** Divides the pool of a round between members with these weights, with the exact sum of their shares. */
export function divisionOf(
  weights: readonly WeightCount[],
  { pool, maxAmount }: { pool: bigint; maxAmount: bigint },
): Division {
  const sumOf = (value: (weight: bigint) => bigint) =>
    weights.reduce((sum, { weight, count }) => sum + value(weight) * BigInt(count), 0n);
  const total = sumOf((weight) => weight);
  const members = weights.reduce((sum, { count }) => sum + count, 0);
  return { pool, total, members, reserved: sumOf((weight) => roundShareOf(weight, { pool, total }, maxAmount)) };
}
