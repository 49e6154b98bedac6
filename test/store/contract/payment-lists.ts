import { describe, expect, test } from 'vitest';
import { FEE_NUMBER } from '../../../src/domain/payments/payment.ts';
import type { PaymentScope, Store } from '../../../src/store/port/index.ts';
import { confirmPayment, seedMark, seedPayments, sendPayments } from '../../support/payments.ts';
import {
  confirmOne,
  type GigSeed,
  SEEDED_AT,
  sampleClaim,
  samplePayment,
  seedAddress,
  seedFee,
  seedGig,
  seedHash,
  seedTips,
  seedToken,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const ALICE = { platform: 'farcaster', platformUserId: '7' } as const;
const BOB = { platform: 'farcaster', platformUserId: '8' } as const;

/** What is found of payments: for the sender, for operators, and for the pages of an account. */
export function describePaymentLists({ store, change, write }: Subject): void {
  const live = (overrides: GigSeed = {}) => seedGig(store, { live: true, ...overrides });
  const feeOf = async (overrides: GigSeed = {}, now = SEEDED_AT) =>
    (await seedFee(store, await live(overrides), {}, now)).id;
  const candidates = async (query: { now?: number; limit?: number } = {}, chainId = 8453) => {
    const { now = SEEDED_AT, limit = 10 } = query;
    return (await store.paymentCandidates(chainId, { now, limit })).map(({ id }) => id);
  };
  const ids = async (query: Parameters<Store['payments']>[0]) => (await store.payments(query)).map(({ id }) => id);

  describe('the payments that may be sent', () => {
    test('behavior: are those of a chain that are due, longest first, as many as are asked for', async () => {
      const optimism = await seedToken(store, { chainId: 10 });
      const [first, second, third] = [await feeOf({}, 30), await feeOf({}, 20), await feeOf({}, 30)];
      const other = await feeOf({ tokenId: optimism.id }, 40);
      expect(await candidates({ now: 30 })).toEqual([second, first, third]);
      expect(await candidates({ now: 29 })).toEqual([second]);
      expect(await candidates({ limit: 2 })).toEqual([second, first]);
      expect(await candidates({}, 10)).toEqual([other]);
      expect(await candidates({}, 1)).toEqual([]);
      expect(await store.nextPaymentDue(8453)).toBe(20);
      await write.notePayment(second, { reason: 'waits', dueAt: 50, now: 30 });
      expect(await store.nextPaymentDue(8453)).toBe(30);
      expect(await candidates({ now: 50 })).toEqual([first, third, second]);
      await sendPayments(store, [first]);
      await write.failPayment(third, { reason: 'refused', now: 1 });
      expect(await candidates({ now: 50 })).toEqual([second]);
      expect(await store.nextPaymentDue(1)).toBeNull();
    });

    test('behavior: of a client, a gig or a token wait together, but for those up to one in their order', async () => {
      const other = await seedToken(store, { symbol: 'OTHER', address: seedAddress(0x77) });
      const gigs = [await live(), await live(), await live({ tokenId: other.id }), await live()];
      const [one, two, three, four] = gigs.map(({ id }) => id);
      const fees: number[] = [];
      for (const gig of gigs) fees.push((await seedFee(store, gig, {}, 20)).id);
      for (const id of [one, three]) await write.assignGig(id ?? 0, 'mallory');
      const start = { dueAt: 0, id: 0 };
      const delay = (scope: PaymentScope, dueAt: number, after = start) =>
        write.delayPayments(scope, { reason: 'waits', dueAt, now: 30, after });
      const due = async () => (await candidates({ now: 30 })).map((id) => fees.indexOf(id));
      const chainId = 8453;
      expect(await delay({ chainId, kind: 'client', of: 'mallory' }, 40, { dueAt: 20, id: fees[0] ?? 0 })).toBe(1);
      expect(await due()).toEqual([0, 1, 3]);
      expect((await store.payment(fees[2] ?? 0))?.reason).toBe('waits');
      expect(await delay({ chainId, kind: 'gig', of: two ?? 0 }, 41)).toBe(1);
      const token = gigs[0]?.token.id ?? 0;
      expect(await delay({ chainId: 10, kind: 'token', of: token }, 42)).toBe(0);
      expect(await delay({ chainId, kind: 'gig', of: four ?? 0 }, 42, { dueAt: 21, id: 0 })).toBe(0);
      // What waits already goes on waiting for what it waits for.
      expect(await delay({ chainId, kind: 'token', of: token }, 42)).toBe(2);
      expect((await candidates({ now: 42 })).map((id) => fees.indexOf(id))).toEqual([2, 1, 0, 3]);
    });

    test('behavior: come with their numbers and with what decides whether they are sent', async () => {
      const gig = await live();
      await seedTips(store, gig, [ALICE, ALICE]);
      const payment = (await seedPayments(store, sampleClaim(ALICE, 'p'))).payments[0];
      const fee = await seedFee(store, gig);
      const plain = { client: null, freeze: null, awaitsFunding: false, isAllowed: false };
      const found = () => store.paymentCandidates(8453, { now: SEEDED_AT, limit: 10 });
      expect(await found()).toEqual([
        { ...payment, numbers: [0n, 1n], ...plain },
        { ...fee, numbers: [FEE_NUMBER], ...plain },
      ]);
      await change(async (tx) => {
        await tx.renumberTip(1);
        await tx.assignGig(gig.id, 'shop');
        await tx.allowToken(gig.token.id, true);
        await tx.freezeByOperator(gig.id, 'the operator said so');
        const funding = { gigId: gig.id, tokenId: gig.token.id, chainId: 8453, amount: 1n, commissionAmount: 1n };
        await tx.recordGigTransaction({ ...funding, blockNumber: 4n, checkBlock: 4n }, 1);
      });
      const changed = { client: 'shop', freeze: 'the operator said so', awaitsFunding: true, isAllowed: true };
      expect(await found()).toMatchObject([{ numbers: [1n, expect.any(BigInt)], ...changed }, changed]);
      await change(async (tx) => {
        await tx.freezeGig(gig.id, { reason: 'an audit said so', now: 1 });
        await tx.markFundingChecked(gig.id);
        await tx.allowToken(gig.token.id, false);
      });
      const again = { freeze: 'an audit said so', awaitsFunding: false, isAllowed: false };
      expect(await found()).toMatchObject([again, again]);
    });

    test('security: of a gig whose paid tips are still to be marked are its mark alone, until that is confirmed', async () => {
      const gig = await live();
      const fee = await seedFee(store, gig);
      const other = await feeOf();
      const mark = await seedMark(store, gig);
      expect(await candidates()).toEqual([other, mark.id]);
      const numbers = [4n];
      await write.failPayment(mark.id, { reason: 'refused', now: 1 });
      expect(await candidates()).toEqual([fee.id, other]);
      const again = await seedMark(store, gig);
      const where = { hash: seedHash(3), blockNumber: 9n, gasUsed: 1n, recipient: gig.walletAddress, now: 2 };
      await confirmOne(write, again.id, { ...where, numbers });
      expect(await candidates()).toEqual([fee.id, other]);
      await write.unconfirmPayment(again.id, { reason: 'reorganised', now: 3 });
      expect(await candidates()).toEqual([again.id, other]);
    });

    test('behavior: keep their chain busy, and so does a transaction that is not over', async () => {
      const chains = () => store.chainsWithPayments();
      expect(await chains()).toEqual([]);
      const optimism = await seedToken(store, { chainId: 10 });
      const base = await feeOf();
      await feeOf();
      await feeOf({ tokenId: optimism.id });
      expect(await chains()).toEqual([10, 8453]);
      await write.failPayment(3, { reason: 'refused', now: 1 });
      await write.failPayment(2, { reason: 'refused', now: 1 });
      await sendPayments(store, [base]);
      expect(await chains()).toEqual([8453]);
      await confirmPayment(store, base);
      expect(await chains()).toEqual([8453]);
      await write.endTankTransaction(1);
      expect(await chains()).toEqual([]);
    });
  });

  describe('lists of payments', () => {
    /** 1 a confirmed fee, 2 a failed payout, 3 a payout and 4 a mark that are planned, 5 a fee that is sent. */
    async function seed(): Promise<void> {
      const gig = await live();
      await seedFee(store, gig);
      await confirmPayment(store, 1);
      await seedTips(store, gig, [ALICE]);
      await seedPayments(store, sampleClaim(ALICE, 'p'));
      await write.failPayment(2, { reason: 'refused', now: 3 });
      await seedPayments(store, sampleClaim(ALICE, 'q'));
      await seedMark(store, gig);
      await sendPayments(store, [await feeOf()]);
    }

    test('behavior: go back from the newest, by state, by kind and by both, in pages', async () => {
      await seed();
      expect(await ids({ limit: 10 })).toEqual([5, 4, 3, 2, 1]);
      expect(await ids({ limit: 10, state: 'planned' })).toEqual([4, 3]);
      expect(await ids({ limit: 10, kind: 'fee' })).toEqual([5, 1]);
      expect(await ids({ limit: 10, kind: 'payout', state: 'failed' })).toEqual([2]);
      expect(await ids({ limit: 10, kind: 'mark', state: 'sent' })).toEqual([]);
      expect(await ids({ limit: 2, before: 4 })).toEqual([3, 2]);
      expect(await ids({ limit: 1, kind: 'fee', before: 5 })).toEqual([1]);
      expect(await ids({ limit: 1, state: 'planned' })).toEqual([4]);
      expect(await store.payment(5)).toMatchObject((await store.payments({ limit: 1 }))[0] ?? {});
    });

    test('behavior: are narrowed to one gig', async () => {
      await seed();
      expect(await ids({ limit: 10, gigId: 1 })).toEqual([4, 3, 2, 1]);
      expect(await ids({ limit: 10, gigId: 2 })).toEqual([5]);
      expect(await ids({ limit: 10, gigId: 3 })).toEqual([]);
      expect(await ids({ limit: 2, gigId: 1, before: 4 })).toEqual([3, 2]);
      expect(await ids({ limit: 10, gigId: 1, state: 'planned' })).toEqual([4, 3]);
      expect(await ids({ limit: 10, gigId: 1, kind: 'payout', state: 'failed' })).toEqual([2]);
    });

    test('behavior: those that were marked above a block come with their numbers, lowest block first', async () => {
      const made = [await feeOf(), await feeOf(), await feeOf()];
      const blocks = [30n, 9n, 100n];
      for (const [index, id] of made.entries()) {
        await confirmPayment(store, id, { number: index + 1, blockNumber: blocks[index] ?? 0n });
      }
      const above = async (block: bigint, chainId = 8453) => {
        const found = await store.paymentsConfirmedAbove(chainId, block);
        for (const { numbers } of found) expect(numbers).toEqual([FEE_NUMBER]);
        return found.map(({ id }) => id);
      };
      expect([await above(8n), await above(9n), await above(100n)]).toEqual([[2, 1, 3], [1, 3], []]);
      expect(await above(0n, 10)).toEqual([]);
      await write.unconfirmPayment(3, { reason: 'reorganised', now: 1 });
      expect(await above(9n)).toEqual([1]);
    });

    test('behavior: unpaid tips are found by their numbers, in the order that is asked for', async () => {
      const gig = await live();
      await seedTips(store, gig, [ALICE, BOB, ALICE, BOB]);
      await seedTips(store, await live(), [BOB]);
      await write.voidTip(4, { reason: 'a mistake', now: 1 });
      await seedPayments(store, sampleClaim(BOB, 'b'));
      const found = async (...numbers: bigint[]) =>
        (await store.unpaidTipsByNumber(gig.id, numbers)).map(({ id }) => id);
      expect(await found(2n, 1n, 0n, 3n, 9n, FEE_NUMBER)).toEqual([3, 2, 1]);
      expect(await found()).toEqual([]);
      await confirmPayment(store, 1);
      expect(await found(0n, 1n)).toEqual([1]);
    });
  });

  describe('payouts by payments', () => {
    test('behavior: an account was paid what is confirmed, newest first, in pages', async () => {
      const [first, second] = [await live(), await live()];
      await seedTips(store, first, [ALICE, BOB]);
      await seedTips(store, second, [ALICE]);
      await seedPayments(store, sampleClaim(ALICE, 'a'));
      await seedPayments(store, sampleClaim(BOB, 'b'));
      const [later] = await seedTips(store, first, [ALICE]);
      const paid = async (
        account = ALICE as typeof ALICE | typeof BOB,
        page: { limit: number; before?: number } = { limit: 9 },
      ) => (await store.payoutsTo(account, page)).map(({ id }) => id);
      expect(await paid()).toEqual([]);
      for (const id of [2, 1, 3]) await confirmPayment(store, id, { number: id });
      const payment = samplePayment(first, { kind: 'payout', recipient: seedAddress(1), amount: 10n ** 18n });
      const where = { hash: seedHash(9), blockNumber: 1n, gasUsed: 0n, tipIds: [later?.id ?? 0], now: 5 };
      await write.adoptPayment({ ...payment, numbers: [2n] }, where);
      expect(await paid()).toEqual([4, 2, 1]);
      expect(await paid(BOB)).toEqual([3]);
      expect(await paid(ALICE, { limit: 2 })).toEqual([4, 2]);
      expect(await paid(ALICE, { limit: 2, before: 4 })).toEqual([2, 1]);
      const [newest] = await store.payoutsTo(BOB, { limit: 1 });
      expect(await store.payment(3)).toEqual({ ...newest, numbers: [1n] });
    });

    test('behavior: are in the sums of a gig, until a reorganisation takes them back', async () => {
      const gig = await live();
      const { startTime } = gig;
      const partMs = 2_880_000;
      const token = 10n ** 18n;
      await seedTips(store, gig, [ALICE, BOB]);
      await seedPayments(store, sampleClaim(ALICE, 'a'));
      await seedPayments(store, sampleClaim(BOB, 'b'));
      const fee = await seedFee(store, gig, { amount: 3n });
      expect(await store.amountPaidByGig(gig.id)).toBe(0n);
      await confirmPayment(store, 1, { number: 1, now: startTime + partMs });
      await confirmPayment(store, fee.id, { number: 3, now: startTime });
      expect(await store.amountPaidByGig(gig.id)).toBe(token + 3n);
      const first = { part: 1, payouts: 1, amount: token };
      expect(await store.paidByGig(gig.id)).toEqual({ partMs, parts: [first] });
      // After the window, so that the parts become twice as long.
      await confirmPayment(store, 2, { number: 2, now: gig.endTime + partMs });
      expect(await store.paidByGig(gig.id)).toMatchObject({ parts: [{ part: 0 }, { part: 15 }] });
      await write.unconfirmPayment(1, { reason: 'reorganised', now: gig.endTime });
      const last = { part: 15, payouts: 1, amount: token };
      expect(await store.paidByGig(gig.id)).toEqual({ partMs: 2 * partMs, parts: [last] });
      await write.unconfirmPayment(fee.id, { reason: 'reorganised', now: gig.endTime });
      expect(await store.amountPaidByGig(gig.id)).toBe(token);
    });
  });
}
