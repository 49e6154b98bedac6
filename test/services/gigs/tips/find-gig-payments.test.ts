import { expect, test } from 'vitest';
import { addPayout, noPayouts } from '../../../../src/domain/payments/payout-sums.ts';
import { findGigPayments } from '../../../../src/services/gigs/tips/find-gig-payments.ts';
import { gig, NOW } from '../../../bot/samples.ts';
import { partStore } from '../../../support/part-store.ts';

/** A live gig for 1000 base units over 120 ms, of which 600 are awarded, and what was paid of it. */
function find(paid: readonly (readonly [at: number, amount: bigint])[]) {
  const about = gig({
    status: 'live',
    rewardAmount: 1000n,
    awardedAmount: 600n,
    startTime: NOW,
    endTime: NOW + 120,
    duration: 120,
  });
  const sums = paid.reduce(
    (before, [at, amount]) => addPayout(before, { startTime: NOW, at: NOW + at, amount }),
    noPayouts(about),
  );
  const kept = sums.parts.length === 0 ? null : sums;
  return findGigPayments({ store: partStore({ paidByGig: async () => kept }) }, { gig: about });
}

/** Thirty parts without payments but for these. */
function parts(paid: Readonly<Record<number, bigint>>): bigint[] {
  return Array.from({ length: 30 }, (_, part) => paid[part] ?? 0n);
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

test('behavior: the payments are summed over thirty equal parts of the window', async () => {
  const found = await find([
    [0, 1n],
    [3, 2n],
    [4, 4n],
    [119, 8n],
  ]);
  expect(found.parts).toEqual({ from: NOW, to: NOW + 120, amounts: parts({ 0: 3n, 1: 4n, 29: 8n }) });
  expect((await find([])).parts).toEqual({ from: NOW, to: NOW + 120, amounts: parts({}) });
});

test('behavior: what is claimed after the window makes the time longer', async () => {
  const found = await find([
    [50, 1n],
    [200, 2n],
  ]);
  // Parts of 8 ms: fifteen of them are the window, and the last payment is in the twenty-sixth.
  const amounts = parts({ 6: 1n, 25: 2n }).slice(0, 26);
  expect(found.parts).toEqual({ from: NOW, to: NOW + 208, amounts });
});

test('behavior: amounts beyond what a float holds stay exact', async () => {
  const { parts } = await find([
    [0, 2n ** 200n],
    [1, 1n],
  ]);
  expect(parts.amounts[0]).toBe(2n ** 200n + 1n);
});
