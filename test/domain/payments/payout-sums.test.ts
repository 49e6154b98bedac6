import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addPayout,
  MAX_PARTS,
  noPayouts,
  type PayoutSums,
  removePayout,
} from '../../../src/domain/payments/payout-sums.ts';

const START = 1_000;

type Paid = readonly [at: number, amount: bigint];

function add(duration: number, ...payouts: readonly Paid[]): PayoutSums {
  return payouts.reduce(
    (sums, [at, amount]) => addPayout(sums, { startTime: START, at: START + at, amount }),
    noPayouts({ duration }),
  );
}

describe('the sums of payouts', () => {
  test('behavior: divide the window into thirty parts', () => {
    expect(add(300)).toEqual({ partMs: 10, parts: [] });
    expect(add(300, [299, 8n], [0, 1n], [9, 2n], [10, 4n])).toEqual({
      partMs: 10,
      parts: [
        { part: 0, payouts: 2, amount: 3n },
        { part: 1, payouts: 1, amount: 4n },
        { part: 29, payouts: 1, amount: 8n },
      ],
    });
  });

  test('behavior: a later payout makes the parts twice as long, as often as it takes', () => {
    expect(add(300, [0, 1n], [10, 2n], [290, 4n], [300, 8n])).toEqual({
      partMs: 20,
      parts: [
        { part: 0, payouts: 2, amount: 3n },
        { part: 14, payouts: 1, amount: 4n },
        { part: 15, payouts: 1, amount: 8n },
      ],
    });
    expect(add(300, [2_400, 1n])).toEqual({ partMs: 160, parts: [{ part: 15, payouts: 1, amount: 1n }] });
  });

  test('behavior: a window that thirty does not divide, and none at all, have parts of whole milliseconds', () => {
    expect(noPayouts({ duration: 31 }).partMs).toBe(2);
    expect(noPayouts({ duration: 0 }).partMs).toBe(1);
  });

  test('error: a payout from before the start counts to the first part', () => {
    expect(add(300, [-500, 7n]).parts).toEqual([{ part: 0, payouts: 1, amount: 7n }]);
  });

  const payout = fc.tuple(fc.integer({ min: -50, max: 100_000 }), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }));
  const run = fc.tuple(fc.integer({ min: 0, max: 5_000 }), fc.array(payout, { minLength: 1, maxLength: 60 }));

  /** The sums of these payouts over parts of this length. */
  function sumsOf(partMs: number, payouts: readonly Paid[]): PayoutSums {
    const sums = new Map<number, { payouts: number; amount: bigint }>();
    for (const [at, amount] of payouts) {
      const part = Math.max(0, Math.floor(at / partMs));
      const before = sums.get(part) ?? { payouts: 0, amount: 0n };
      sums.set(part, { payouts: before.payouts + 1, amount: before.amount + amount });
    }
    return { partMs, parts: [...sums].sort(([a], [b]) => a - b).map(([part, sum]) => ({ part, ...sum })) };
  }

  test('behavior: in any order they are those of all payouts at once, exact, and never more than thirty', () => {
    fc.assert(
      fc.property(run, ([duration, payouts]) => {
        const sums = add(duration, ...payouts);
        expect(sums).toEqual(sumsOf(sums.partMs, payouts));
        expect(sums.parts.length).toBeLessThanOrEqual(MAX_PARTS);
        expect(add(duration, ...payouts.toReversed())).toEqual(sums);
      }),
    );
  });

  test('behavior: without those that are taken back they are those of the others, however long the parts became', () => {
    fc.assert(
      fc.property(run, fc.nat(60), ([duration, payouts], kept) => {
        const all = add(duration, ...payouts);
        const less = payouts
          .slice(kept)
          .reduce((sums, [at, amount]) => removePayout(sums, { startTime: START, at: START + at, amount }), all);
        expect(less).toEqual(sumsOf(all.partMs, payouts.slice(0, kept)));
      }),
    );
  });
});
