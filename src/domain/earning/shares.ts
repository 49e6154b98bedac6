import type { Rule } from './rules.ts';

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

function bitLength(whole: number): bigint {
  return BigInt(BigInt(whole).toString(2).length);
}

/** The weight of an account in a round. */
export function weightOf(rule: Extract<Rule, { type: 'split' | 'weighted' }>, { score, followers }: Standing): bigint {
  if (rule.type === 'split') return 1n;
  const byScore = BigInt(score ?? 0);
  return rule.by === 'score' ? byScore : byScore * bitLength((followers ?? 0) + 1);
}

/** What each of these weights gets of a pool, at most `maxAmount`; together never more than the pool. */
export function sharesOf(
  weights: readonly bigint[],
  { pool, maxAmount }: { pool: bigint; maxAmount: bigint },
): readonly bigint[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  if (total === 0n) return weights.map(() => 0n);
  return weights.map((weight) => {
    const share = (pool * weight) / total;
    return share < maxAmount ? share : maxAmount;
  });
}
