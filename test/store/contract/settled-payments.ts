import { describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { MadePayment } from '../../../src/store/port/index.ts';
import { seedMark, seedPayments, sendPayments } from '../../support/payments.ts';
import {
  gasOfGig,
  SEEDED_AT,
  sampleAttempt,
  sampleClaim,
  seedAddress,
  seedConfirmed,
  seedFee,
  seedGig,
  seedHash,
  seedTips,
  seedToken,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const ALICE = { platform: 'farcaster', platformUserId: '7' } as const;
const BOB = { platform: 'farcaster', platformUserId: '8' } as const;
const UNIT = 1_000_000_000_000_000_000n;

/** Payments of one transaction, which are settled together. */
export function describeSettledPayments({ store, change, write }: Subject): void {
  const confirm = (made: readonly MadePayment[], now = SEEDED_AT) => write.confirmPayments(made, now);

  /** As the chain has made it in one transaction: each with a gas of its own. */
  function made(id: number, numbers: readonly bigint[]): MadePayment {
    const recipient = seedAddress(0xd000 + id);
    return { id, numbers, recipient, hash: seedHash(1), blockNumber: 9n, gasUsed: 10n + BigInt(id) };
  }

  /** Payouts 1 of the first gig's tips 0 and 1 and 2 of the second's tip 0 to alice, 3 of the first's tip 2 to bob; all are sent. */
  async function seed(): Promise<{ first: Gig; second: Gig; all: MadePayment[] }> {
    const first = await seedGig(store, { live: true });
    const second = await seedGig(store, { live: true });
    await seedTips(store, first, [ALICE, ALICE]);
    await seedTips(store, second, [ALICE]);
    await seedPayments(store, sampleClaim(ALICE, 'a'));
    await seedTips(store, first, [{ ...BOB, amount: 3n }]);
    await seedPayments(store, sampleClaim(BOB, 'b'));
    await sendPayments(store, [1, 2, 3]);
    return { first, second, all: [made(3, [2n]), made(1, [1n, 0n]), made(2, [0n])] };
  }

  const states = async (...ids: number[]) => {
    const found = await Promise.all(ids.map((id) => store.payment(id)));
    return found.map((payment) => payment?.state);
  };

  describe('payments that are confirmed together', () => {
    test('behavior: each has what the chain says of it, its tips, and its part of its gig’s sums', async () => {
      const { first, second, all } = await seed();
      expect(await confirm(all, first.startTime)).toEqual([3, 1, 2]);
      for (const { id, numbers, gasUsed, recipient, hash } of all) {
        const said = { numbers: numbers.toSorted(), gasUsed, recipient, hash, blockNumber: 9n, transactionId: 1 };
        const confirmed = { ...said, state: 'confirmed', gasReserved: 0n, reason: null, updatedAt: first.startTime };
        expect(await store.payment(id)).toMatchObject(confirmed);
        const tips = await store.tipsOfPayment(id);
        expect(tips.map(({ number }) => BigInt(number))).toEqual(numbers.toSorted());
        const claimed = { status: 'claimed', userAddress: recipient, txHash: hash, claimedAt: first.startTime };
        for (const tip of tips) expect(tip).toMatchObject({ ...claimed, claimNonce: null, lockTimeout: null });
      }
      const { parts } = (await store.paidByGig(first.id)) ?? {};
      expect(parts).toEqual([{ part: 0, payouts: 2, amount: 2n * UNIT + 3n }]);
      expect((await store.paidByGig(second.id))?.parts).toEqual([{ part: 0, payouts: 1, amount: UNIT }]);
      expect((await gasOfGig(store, first.id)).gasUsed).toBe(24n);
      expect((await gasOfGig(store, second.id)).gasUsed).toBe(12n);
      expect(await store.paymentDepths()).toEqual({ planned: 0, sent: 0, confirmed: 3, failed: 0 });
      expect(await store.markedNumbers(first.id)).toEqual([0n, 1n, 2n]);
    });

    test('behavior: what is neither planned nor sent stays as it is, and the others are confirmed', async () => {
      const { first, second, all } = await seed();
      await seedConfirmed(store, 1, { hash: seedHash(7), gasUsed: 5n, now: first.startTime });
      const fee = await seedFee(store, second);
      await write.failPayment(fee.id, { reason: 'refused', now: 1 });
      // What is left alone is not compared either.
      const given = [...all, made(fee.id, [5n]), made(99, [1n]), { ...made(1, [4n]), hash: seedHash(8) }];
      expect(await confirm(given)).toEqual([3, 2]);
      expect(await store.payment(1)).toMatchObject({ hash: seedHash(7), gasUsed: 5n, numbers: [0n, 1n] });
      expect(await store.payment(fee.id)).toMatchObject({ state: 'failed', hash: null });
      const { parts } = (await store.paidByGig(first.id)) ?? {};
      expect(parts?.map(({ payouts, amount }) => [payouts, amount])).toEqual([[2, 2n * UNIT + 3n]]);
      expect(await confirm(all)).toEqual([]);
      expect((await store.paidByGig(first.id))?.parts).toEqual(parts);
    });

    test('security: nothing is done when one has other numbers than its own, even if caught', async () => {
      const { first, all } = await seed();
      const [bobs, ...others] = all;
      const wrong = [...others, { ...made(bobs?.id ?? 0, [3n]) }];
      await expect(confirm(wrong)).rejects.toThrow(new RangeError('payment 3 pays the numbers 2, not 3'));
      const caught = change(async (tx) => {
        await tx.confirmPayments(wrong, 1).catch(() => []);
      });
      await expect(caught).rejects.toThrow(RangeError);
      expect(await states(1, 2, 3)).toEqual(['sent', 'sent', 'sent']);
      expect(await store.paidByGig(first.id)).toBeNull();
      expect((await store.tipsOfPayment(1)).map(({ status }) => status)).toEqual(['pending', 'pending']);
      expect(await confirm(all)).toEqual([3, 1, 2]);
    });

    test('security: one that is named twice is confirmed and counted once, as it is named first', async () => {
      const { first, all } = await seed();
      const again = { ...made(1, [7n]), recipient: seedAddress(9), gasUsed: 90n };
      expect(await confirm([...all, again, ...all])).toEqual([3, 1, 2]);
      expect(await store.payment(1)).toMatchObject({ recipient: seedAddress(0xd001), gasUsed: 11n });
      expect(await store.amountPaidByGig(first.id)).toBe(2n * UNIT + 3n);
      expect((await gasOfGig(store, first.id)).gasUsed).toBe(24n);
    });

    test('behavior: none are confirmed when none are named', async () => {
      await seed();
      expect(await confirm([])).toEqual([]);
      expect(await states(1, 2, 3)).toEqual(['sent', 'sent', 'sent']);
    });

    test('behavior: planned and sent ones of every kind, of which payouts in their gig’s token alone are summed', async () => {
      const { first, second, all } = await seed();
      const fee = await seedFee(store, first);
      const mark = await seedMark(store, second);
      const other = await seedToken(store, { address: seedAddress(0x70), symbol: 'OTHER' });
      const back = await seedFee(store, first, { kind: 'return', place: 3, tokenId: other.id });
      const numbers = [2n ** 255n, 2n ** 255n + 131n, 50n];
      const rest = [fee, back, mark].map(({ id }, index) => made(id, [numbers[index] ?? 0n]));
      // In blocks of their own, when gigs have sums already.
      expect(await confirm(all.slice(0, 1), first.startTime)).toEqual([3]);
      expect(await confirm([...rest, ...all], first.endTime)).toEqual([fee.id, back.id, mark.id, 1, 2]);
      expect(await states(fee.id, back.id, mark.id)).toEqual(['confirmed', 'confirmed', 'confirmed']);
      expect(await store.payment(mark.id)).toMatchObject({ numbers: [50n], transactionId: 1 });
      const sums = await store.paidByGig(first.id);
      expect(sums?.parts.map(({ payouts, amount }) => [payouts, amount])).toEqual([
        [1, 3n],
        [1, 2n * UNIT],
      ]);
      expect((await store.paidByGig(second.id))?.parts).toMatchObject([{ payouts: 1, amount: UNIT }]);
    });

    test('behavior: by the gas of one transaction only those are that are sent in it', async () => {
      const { all } = await seed();
      const confirmSent = (sentIn: number) => write.confirmPayments(all, 8, sentIn);
      const missed = [2, 3].map((id) => ({ id, reason: 'no', dueAt: 40, hasFailed: false, gasUsed: 0n }));
      await write.replanPayments(missed, { transactionId: 1, now: 40 });
      const next = await sendPayments(store, [2], { attempt: sampleAttempt(2), now: 60 });
      expect(await confirmSent(1)).toEqual([1]);
      expect(await states(1, 2, 3)).toEqual(['confirmed', 'sent', 'planned']);
      expect(await confirmSent(next.id)).toEqual([2]);
      expect(await states(2, 3)).toEqual(['confirmed', 'planned']);
    });
  });

  describe('payments that are planned again together', () => {
    const missed = (id: number, hasFailed: boolean) => {
      return { id, reason: `no ${id}`, dueAt: 50 + id, hasFailed, gasUsed: 5n };
    };

    test('behavior: each has its reason, its gas and its failures; what is not sent stays as it is', async () => {
      const { first, second, all } = await seed();
      await write.confirmPayments(all.slice(0, 1), 8);
      const again = [missed(3, true), missed(2, true), missed(1, false), missed(99, true), missed(2, false)];
      expect(await write.replanPayments(again, { transactionId: 1, now: 40 })).toEqual([2, 1]);
      const planned = { state: 'planned', gasUsed: 5n, gasReserved: 0n, hash: null, updatedAt: 40 };
      expect(await store.payment(1)).toMatchObject({ ...planned, reason: 'no 1', dueAt: 51, failures: 0 });
      expect(await store.payment(2)).toMatchObject({ ...planned, reason: 'no 2', dueAt: 52, failures: 1 });
      expect(await store.payment(3)).toMatchObject({ state: 'confirmed', reason: null, failures: 0 });
      expect((await gasOfGig(store, first.id)).gasUsed).toBe(18n);
      expect((await gasOfGig(store, second.id)).gasUsed).toBe(5n);
      expect(await store.failuresOfToken(second.token.id, 40)).toBe(1);
      expect(await write.replanPayments(again, { transactionId: 1, now: 41 })).toEqual([]);
      expect(await write.replanPayments([], { transactionId: 1, now: 41 })).toEqual([]);
      expect((await store.payment(2))?.failures).toBe(1);
    });

    test('behavior: those that were sent again since then stay in their new transaction', async () => {
      await seed();
      const [here, again] = [{ transactionId: 1, now: 40 }, [missed(1, true)]];
      expect(await write.replanPayments(again, here)).toEqual([1]);
      const next = await sendPayments(store, [1], { attempt: sampleAttempt(2), now: 60 });
      expect(await write.replanPayments(again, here)).toEqual([]);
      expect(await store.payment(1)).toMatchObject({ state: 'sent', failures: 1, transactionId: next.id });
      expect(await write.replanPayments(again, { transactionId: next.id, now: 61 })).toEqual([1]);
    });
  });
}
