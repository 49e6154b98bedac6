import { describe, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../../src/domain/operators/actor.ts';
import type { Payment } from '../../../../src/domain/payments/payment.ts';
import { addPayout, noPayouts } from '../../../../src/domain/payments/payout-sums.ts';
import { findGigPayments, findPaid, listGigPayouts } from '../../../../src/services/gigs/tips/find-gig-payments.ts';
import type { Store } from '../../../../src/store/port/index.ts';
import { gig, NOW } from '../../../bot/samples.ts';
import { partStore } from '../../../support/part-store.ts';
import { storePerCase } from '../../../support/per-case.ts';
import { sampleClaim, seedClaim, seedFee, seedGig, seedTips } from '../../../support/store.ts';
import { ALICE } from '../../cashier.ts';

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

test('behavior: what each of several gigs has paid is the sum of its parts, and of one that awards nothing nothing is asked', async () => {
  const asked: number[] = [];
  const paidByGig = async (id: number) => {
    asked.push(id);
    const parts = [1n, 2n].map((amount, part) => ({ part, payouts: 1, amount: amount * BigInt(id) }));
    return id === 11 ? null : { partMs: 4, parts };
  };
  const gigs = Array.from({ length: 12 }, (_, id) => gig({ id, awardedAmount: id === 0 ? 0n : 1n }));
  const paid = await findPaid({ store: partStore({ paidByGig }) }, gigs);
  expect([...paid]).toEqual(asked.map((id) => [id, id === 11 ? 0n : 3n * BigInt(id)]));
  expect(asked).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

describe('the payouts of a gig', () => {
  const { store } = storePerCase();

  test('behavior: come with their claims, newest first, and those of no claim are left out', async () => {
    const seeded = await seedGig(store);
    const planned: number[] = [];
    for (const n of [1, 2, 3, 4]) {
      await seedTips(store, seeded, [ALICE]);
      const { payouts } = await seedClaim(store, sampleClaim(ALICE, `0x${n}`));
      planned.push(...payouts.map(({ id }) => id));
    }
    await seedFee(store, seeded);
    // One that the ledger knows from the chain alone.
    const unclaimed = (each: Payment) => (each.id === planned[3] ? { ...each, claimId: null } : each);
    const payments: Store['payments'] = async (query) => (await store.payments(query)).map(unclaimed);
    const list = async (limit: number, before?: number) => {
      const found = await listGigPayouts(
        { store: { ...store, payments } },
        { gigId: seeded.id, actor: COMMAND_LINE, limit, before },
      );
      expect(found.gig).toEqual(await store.gig(seeded.id));
      return [found.payouts.map(({ payment, claim }) => [payment.id, claim.postId]), found.next];
    };
    const [first = 0, second = 0, third = 0] = planned;
    expect(await list(2)).toEqual([[[third, '0x3']], third]);
    expect(await list(2, third)).toEqual([
      [
        [second, '0x2'],
        [first, '0x1'],
      ],
      null,
    ]);
    await expect(listGigPayouts({ store }, { gigId: 99, actor: COMMAND_LINE, limit: 1 })).rejects.toMatchObject({
      refusal: { code: 'gig_not_found' },
    });
  });
});
