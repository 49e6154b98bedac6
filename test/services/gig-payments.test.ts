import { expect, test } from 'vitest';
import { findGigPayments } from '../../src/services/gig-payments.ts';
import { gig, NOW } from '../bot/samples.ts';

/** A live gig for 1000 base units over 100 ms, of which 600 are awarded, and what was paid of it. */
function find(paid: readonly (readonly [at: number, amount: bigint])[]) {
  const about = gig({
    ...{ status: 'live', rewardAmount: 1000n, awardedAmount: 600n },
    ...{ startTime: NOW, endTime: NOW + 100, duration: 100 },
  });
  const payments = paid.map(([at, amount]) => ({ at: NOW + at, amount }));
  return findGigPayments({ store: { paidByGig: async () => payments } }, { gig: about, parts: 4 });
}

test('behavior: the reward is what was paid, what waits to be claimed, and what is not awarded', async () => {
  expect(
    await find([
      [10, 100n],
      [20, 50n],
    ]),
  ).toMatchObject({ paid: 150n, waiting: 450n, left: 400n, payouts: 2 });
  expect(await find([])).toMatchObject({ paid: 0n, waiting: 600n, left: 400n, payouts: 0 });
});

test('behavior: the payments are summed over equal parts of the window', async () => {
  const { parts } = await find([
    [0, 1n],
    [24, 2n],
    [25, 4n],
    [99, 8n],
    [100, 16n],
  ]);
  expect(parts).toEqual({ from: NOW, to: NOW + 100, amounts: [3n, 4n, 0n, 24n] });
});

test('behavior: what is claimed after the window makes the time longer', async () => {
  const { parts } = await find([
    [50, 1n],
    [200, 2n],
  ]);
  expect(parts).toEqual({ from: NOW, to: NOW + 200, amounts: [0n, 1n, 0n, 2n] });
});

test('behavior: amounts beyond what a float holds stay exact', async () => {
  const { parts } = await find([
    [0, 2n ** 200n],
    [1, 1n],
  ]);
  expect(parts.amounts[0]).toBe(2n ** 200n + 1n);
});
