import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  divisionOf,
  poolOf,
  prizeOf,
  roundShareOf,
  roundsOf,
  type Standing,
} from '../../../../src/domain/earning/payouts/shares.ts';
import { payoutOf, type Rule } from '../../../../src/domain/earning/rules/index.ts';

/** What members with these weights get, which is what their division reserves. */
function sharesOf(weights: readonly bigint[], of: { pool: bigint; maxAmount: bigint }): bigint[] {
  const counted = Map.groupBy(weights, (weight) => weight);
  const counts = [...counted].map(([weight, { length: count }]) => ({ weight, count }));
  const division = divisionOf(counts, of);
  const shares = weights.map((weight) => roundShareOf(weight, division, of.maxAmount));
  expect(division).toMatchObject({ pool: of.pool, members: weights.length });
  expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(division.reserved);
  return shares;
}

const DAY = 86_400_000;
const ROUNDS = { roundMs: DAY, maxAmount: 1n };

describe('rounds', () => {
  test('behavior: the last round may be shorter', () => {
    expect(roundsOf({ duration: 7 * DAY, roundMs: DAY })).toBe(7);
    expect(roundsOf({ duration: 7 * DAY, roundMs: 2 * DAY })).toBe(4);
    expect(roundsOf({ duration: DAY, roundMs: DAY })).toBe(1);
  });

  test('behavior: leftovers go to later rounds', () => {
    expect(poolOf(100n, { round: 1, rounds: 4 })).toBe(25n);
    expect(poolOf(100n, { round: 2, rounds: 4 })).toBe(33n);
    expect(poolOf(67n, { round: 4, rounds: 4 })).toBe(67n);
    expect(prizeOf(100n, 3)).toBe(33n);
  });
});

describe('weights', () => {
  const known = { score: 900_000, followers: 1_023 };
  const weightOf = (rule: Rule, standing: Standing) => {
    const payout = payoutOf(rule);
    return payout.by === 'rounds' ? payout.weightOf(standing) : null;
  };

  test('behavior: all are equal in a split', () => {
    expect(weightOf({ type: 'split', ...ROUNDS }, known)).toBe(1n);
  });

  test('behavior: the score counts, and the reach by its bits', () => {
    expect(weightOf({ type: 'weighted', by: 'score', ...ROUNDS }, known)).toBe(900_000n);
    const byReach = { type: 'weighted', by: 'score_reach', ...ROUNDS } as const;
    expect(weightOf(byReach, known)).toBe(9_900_000n);
    expect(weightOf(byReach, { score: 500_000, followers: 0 })).toBe(500_000n);
    expect(weightOf(byReach, { score: 500_000, followers: 1 })).toBe(1_000_000n);
    expect(weightOf(byReach, { score: 500_000, followers: null })).toBe(500_000n);
    expect(weightOf(byReach, { score: null, followers: 9 })).toBe(0n);
  });
});

describe('shares', () => {
  test('behavior: they follow the weights, up to the most for one', () => {
    expect(sharesOf([1n, 1n, 1n], { pool: 100n, maxAmount: 100n })).toEqual([33n, 33n, 33n]);
    expect(sharesOf([3n, 1n], { pool: 100n, maxAmount: 50n })).toEqual([50n, 25n]);
    expect(sharesOf([0n, 0n], { pool: 100n, maxAmount: 100n })).toEqual([0n, 0n]);
    expect(sharesOf([], { pool: 100n, maxAmount: 100n })).toEqual([]);
  });

  test('behavior: together they are never more than the pool', () => {
    const weights = fc.array(fc.bigInt({ min: 0n, max: 32_000_000n }), { maxLength: 60 });
    const amount = fc.bigInt({ min: 0n, max: 10n ** 27n });
    fc.assert(
      fc.property(weights, amount, amount, (parts, pool, maxAmount) => {
        const shares = sharesOf(parts, { pool, maxAmount });
        expect(shares.reduce((sum, share) => sum + share, 0n)).toBeLessThanOrEqual(pool);
        for (const share of shares) expect(share).toBeLessThanOrEqual(maxAmount);
        for (const [index, share] of shares.entries()) {
          const isOrdered = parts.every((part, other) => part > (parts[index] ?? 0n) || (shares[other] ?? 0n) <= share);
          expect(isOrdered).toBe(true);
        }
      }),
    );
  });

  test('behavior: over all rounds never more than the reward goes out', () => {
    const round = fc.array(fc.bigInt({ min: 0n, max: 1_000n }), { maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(round, { minLength: 1, maxLength: 12 }),
        fc.bigInt({ min: 0n, max: 10n ** 18n }),
        (rounds, reward) => {
          let left = reward;
          for (const [index, weights] of rounds.entries()) {
            const pool = poolOf(left, { round: index + 1, rounds: rounds.length });
            for (const share of sharesOf(weights, { pool, maxAmount: reward })) left -= share;
            expect(left).toBeGreaterThanOrEqual(0n);
          }
        },
      ),
    );
  });
});
