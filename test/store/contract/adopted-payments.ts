import { describe, expect, test } from 'vitest';
import { FEE_NUMBER, type NewPayment, type Payment } from '../../../src/domain/payments/payment.ts';
import type { MarkedIn } from '../../../src/store/port/index.ts';
import { confirmPayment, seedPayments, sendPayments } from '../../support/payments.ts';
import {
  gasOfGig,
  sampleAttempt,
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

const FID = { platform: 'farcaster', platformUserId: '7' } as const;
const OTHER = { platform: 'farcaster', platformUserId: '8' } as const;
const TOKEN = 10n ** 18n;
const WHERE = { hash: seedHash(5), blockNumber: 4n, gasUsed: 0n } satisfies MarkedIn;

/** Payments that the ledger knows from the chain alone. */
export function describeAdoptedPayments({ store, write }: Subject): void {
  /** A gig with three tips of one whole token for one account, numbers 0 to 2, and one of another account, number 3. */
  async function seed() {
    const gig = await seedGig(store, { live: true });
    const tips = await seedTips(store, gig, [FID, FID, FID, OTHER]);
    const adopt = (
      numbers: readonly bigint[],
      {
        tipIds = [],
        where = {},
        ...changes
      }: Partial<NewPayment> & { tipIds?: number[]; where?: Partial<MarkedIn> } = {},
    ): Promise<Payment> => {
      const amount = TOKEN * BigInt(numbers.length);
      const payment = samplePayment(gig, { kind: 'payout', amount, recipient: seedAddress(0xd00d), ...changes });
      return write.adoptPayment({ ...payment, numbers }, { ...WHERE, ...where, tipIds, now: 70 });
    };
    return { gig, tips, adopt };
  }
  const pendingOf = async () => (await store.pendingTips([FID])).tips.map(({ id }) => id);
  const unconfirm = (id: number) => write.unconfirmPayment(id, { reason: 'reorganised', now: 80 });

  describe('a payment that is adopted', () => {
    test('behavior: is confirmed, and its tips are claimed with what the chain says', async () => {
      const { gig, tips, adopt } = await seed();
      const adopted = await adopt([2n, 0n], { tipIds: [1, 3] });
      const recipient = seedAddress(0xd00d);
      const planned = samplePayment(gig, { kind: 'payout', amount: 2n * TOKEN, recipient });
      const { tokenId: _, ...said } = planned;
      const times = { dueAt: 70, createdAt: 70, updatedAt: 70 };
      expect(adopted).toEqual({
        ...said,
        ...times,
        ...WHERE,
        id: 1,
        wallet: gig.walletAddress,
        token: gig.token,
        state: 'confirmed',
        reason: null,
        transactionId: null,
        gasReserved: 0n,
        place: null,
        failures: 0,
      } satisfies Payment);
      const claimed = { status: 'claimed', userAddress: recipient, txHash: WHERE.hash, claimedAt: 70 };
      const paid = tips.filter(({ id }) => id === 1 || id === 3).map((tip) => ({ ...tip, ...claimed }));
      expect(await store.tipsOfPayment(adopted.id)).toEqual(paid);
      expect(await pendingOf()).toEqual([2]);
      expect(await store.markedNumbers(gig.id)).toEqual([0n, 2n]);
      expect(await store.payoutsTo(FID, { limit: 10 })).toEqual([adopted]);
      expect(await store.payoutsTo(OTHER, { limit: 10 })).toEqual([]);
      expect(await store.amountPaidByGig(gig.id)).toBe(2n * TOKEN);
    });

    test('behavior: fails what was planned for one of its tips, whose others can be claimed again by the same claim', async () => {
      const { adopt } = await seed();
      const { claim, payments } = await seedPayments(store, sampleClaim(FID, 'p'));
      const planned = payments[0]?.id ?? 0;
      const adopted = await adopt([1n], { tipIds: [2] });
      const reason = 'another payment of it is on the chain';
      expect(await store.payment(planned)).toMatchObject({ state: 'failed', reason, updatedAt: 70 });
      expect((await store.tipsOfPayment(planned)).map(({ id }) => id)).toEqual([1, 3]);
      expect((await store.tipsOfPayment(adopted.id)).map(({ id }) => id)).toEqual([2]);
      const retake = { claim, now: 90, lockTimeout: 91 };
      const retaken = await write.retakePaymentTips(planned, retake);
      expect(retaken.map(({ id }) => id)).toEqual([1, 3]);
    });

    test('behavior: may be that of a claim, to which it is owed again after a reorganisation', async () => {
      const { gig, adopt } = await seed();
      const { claim, payments } = await seedPayments(store, sampleClaim(FID, 'p'));
      const adopted = await adopt([0n], { tipIds: [1], claimId: claim.id });
      expect(await store.paymentsOfClaim(claim.id)).toMatchObject([{ id: payments[0]?.id }, { id: adopted.id }]);
      expect(await unconfirm(adopted.id)).toBe(true);
      expect(await store.payment(adopted.id)).toMatchObject({ state: 'planned', recipient: claim.recipient });
      expect(await store.tip(1)).toMatchObject({ status: 'pending', claimNonce: claim.publicId, txHash: null });
      expect(await store.amountPaidByGig(gig.id)).toBe(0n);
    });

    test('behavior: without a claim fails after a reorganisation, and its tips can be claimed', async () => {
      const { gig, adopt } = await seed();
      const { id } = await adopt([0n, 1n, 2n], { tipIds: [1, 2, 3] });
      expect(await unconfirm(id)).toBe(true);
      expect(await store.payment(id)).toMatchObject({ state: 'failed', reason: 'reorganised', hash: null });
      expect(await store.markedNumbers(gig.id)).toEqual([]);
      expect((await store.gig(gig.id))?.awardedAmount).toBe(4n * TOKEN);
      expect(await store.paidByGig(gig.id)).toBeNull();
      expect(await store.payoutsTo(FID, { limit: 10 })).toEqual([]);
      expect((await seedPayments(store, sampleClaim(FID, 'p'))).tips).toHaveLength(3);
    });

    test('behavior: names the transaction of the gas tank that made it, and its gas', async () => {
      const { gig, adopt } = await seed();
      const other = await seedFee(store, await seedGig(store, { live: true }));
      const { id } = await sendPayments(store, [other.id], { attempt: sampleAttempt(5) });
      const adopted = await adopt([0n], { tipIds: [1], where: { gasUsed: 30n } });
      expect(adopted).toMatchObject({ transactionId: id, gasUsed: 30n });
      expect(await gasOfGig(store, gig.id)).toEqual({ gasUsed: 30n, tips: 4 });
    });

    test('behavior: of the fee takes the place of a planned one', async () => {
      const { gig, adopt } = await seed();
      const planned = await seedFee(store, gig);
      const fee = { kind: 'fee', amount: 5n * TOKEN } as const;
      const adopted = await adopt([FEE_NUMBER], fee);
      expect(await store.payment(planned.id)).toMatchObject({ state: 'failed' });
      expect(await store.amountPaidByGig(gig.id)).toBe(5n * TOKEN);
      expect(await store.markedNumbers(gig.id)).toEqual([FEE_NUMBER]);
      await expect(adopt([FEE_NUMBER], fee)).rejects.toThrow();
      expect(await unconfirm(adopted.id)).toBe(true);
      expect(await store.payment(adopted.id)).toMatchObject({ state: 'planned' });
      expect(await store.amountPaidByGig(gig.id)).toBe(0n);
    });

    test('behavior: of a return takes the place of one that was planned for its place alone', async () => {
      const { gig, adopt } = await seed();
      const planned = [];
      for (const place of [0, 1]) planned.push((await seedFee(store, gig, { kind: 'return', place })).id);
      await adopt([2n ** 255n + 129n], { kind: 'return', place: 1 });
      const states = planned.map(async (id) => (await store.payment(id))?.state);
      expect(await Promise.all(states)).toEqual(['planned', 'failed']);
    });

    test('security: of the fee is refused while that is sent', async () => {
      const { gig, adopt } = await seed();
      const { id } = await seedFee(store, gig);
      await sendPayments(store, [id]);
      await expect(adopt([FEE_NUMBER], { kind: 'fee' })).rejects.toThrow();
      expect(await store.paymentsOfGig(gig.id)).toMatchObject([{ state: 'sent' }]);
    });

    test('behavior: of numbers that no tip has is kept, and counts as moved when it is in the token of the gig', async () => {
      const { gig, adopt } = await seed();
      await write.voidTip(2, { reason: 'a mistake', now: 1 });
      await adopt([1n, 9n, 2n ** 60n, 2n ** 200n], { amount: TOKEN });
      expect(await store.markedNumbers(gig.id)).toEqual([1n, 9n, 2n ** 60n, 2n ** 200n]);
      const usdc = await seedToken(store, { address: seedAddress(0xc), symbol: 'USDC' });
      await adopt([10n], { tokenId: usdc.id });
      await adopt([11n], { kind: 'mark', amount: 0n });
      expect(await store.amountPaidByGig(gig.id)).toBe(TOKEN);
      expect(await pendingOf()).toEqual([1, 3]);
    });

    test('security: of numbers that an unpaid tip has, or that are known already, is refused without tips', async () => {
      const { gig, adopt } = await seed();
      await expect(adopt([9n, 1n])).rejects.toThrow(
        new RangeError(`number 1 of gig ${gig.id} is that of an unpaid tip`),
      );
      await expect(adopt([])).rejects.toThrow();
      await adopt([0n], { tipIds: [1] });
      await adopt([9n]);
      for (const number of [0n, 9n]) {
        await expect(adopt([8n, number])).rejects.toThrow(
          new RangeError(`number ${number} of gig ${gig.id} is known as paid already`),
        );
      }
      expect(await store.paymentsOfGig(gig.id)).toHaveLength(2);
    });

    test('security: pays unpaid tips of one account, with its numbers and its amount, or nothing changes', async () => {
      const { gig, adopt } = await seed();
      const second = await seedGig(store, { live: true });
      const usdc = await seedToken(store, { address: seedAddress(0xc), symbol: 'USDC' });
      const foreign = await seedPayments(store, sampleClaim(OTHER, 'o'));
      await write.failPayment(1, { reason: 'no', now: 1 });
      const payments = await store.payments({ limit: 10 });
      const wrong = [
        adopt([0n, 1n], { tipIds: [1] }),
        adopt([0n], { tipIds: [1, 2] }),
        adopt([1n], { tipIds: [1] }),
        adopt([0n, 0n], { tipIds: [1, 1] }),
        adopt([0n], { tipIds: [1], amount: TOKEN + 1n }),
        adopt([0n, 3n], { tipIds: [1, 4] }),
        adopt([0n], { tipIds: [99] }),
        adopt([0n], { tipIds: [1], gigId: second.id }),
        adopt([0n], { tipIds: [1], tokenId: usdc.id }),
        adopt([0n], { tipIds: [1], chainId: 10 }),
        adopt([0n], { tipIds: [1], claimId: foreign.claim.id }),
        adopt([0n], { tipIds: [1], claimId: 99 }),
        adopt([0n], { tipIds: [1], where: { hash: '0x1' } }),
      ];
      const outcomes = await Promise.allSettled(wrong);
      expect(outcomes.map(({ status }) => status)).toEqual(wrong.map(() => 'rejected'));
      await write.voidTip(2, { reason: 'a mistake', now: 1 });
      await expect(adopt([1n], { tipIds: [2] })).rejects.toThrow(RangeError);
      expect(await store.payments({ limit: 10 })).toEqual(payments);
      expect(await pendingOf()).toEqual([1, 3]);
      expect(await store.amountPaidByGig(gig.id)).toBe(0n);
      await adopt([0n], { tipIds: [1] });
      await expect(adopt([0n], { tipIds: [1] })).rejects.toThrow(RangeError);
    });

    test('security: is refused while a tip of it is in a payment that is sent', async () => {
      const { adopt } = await seed();
      const [payment] = (await seedPayments(store, sampleClaim(FID, 'p'))).payments;
      await sendPayments(store, [payment?.id ?? 0]);
      await expect(adopt([0n], { tipIds: [1] })).rejects.toThrow(RangeError);
      expect(await confirmPayment(store, payment?.id ?? 0)).toBe(true);
    });
  });
}
