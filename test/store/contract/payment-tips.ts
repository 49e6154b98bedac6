import { describe, expect, test } from 'vitest';
import type { AccountKey } from '../../../src/domain/account.ts';
import type { Claim } from '../../../src/domain/claims/claim.ts';
import type { NewPayment } from '../../../src/domain/payments/payment.ts';
import { confirmPayment, seedPayments, sendPayments } from '../../support/payments.ts';
import {
  confirmOne,
  planPayouts,
  replanOne,
  SEEDED_AT,
  sampleAttempt,
  sampleClaim,
  samplePayment,
  seedAddress,
  seedClaim,
  seedFee,
  seedGig,
  seedHash,
  seedMention,
  seedTips,
  seedToken,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const FID = { platform: 'farcaster', platformUserId: '7' } as const;
const X_ID = { platform: 'twitter', platformUserId: '7' } as const;

/** What becomes of the tips of payments. */
export function describePaymentTips({ store, change, write }: Subject): void {
  const pendingOf = async (account: AccountKey) => (await store.pendingTips([account])).tips;
  const idsOf = async (paymentId: number) => (await store.tipsOfPayment(paymentId)).map(({ id }) => id);
  const fail = (id: number) => write.failPayment(id, { reason: 'it was refused', now: 70 });
  const retake = (id: number, claim: Claim) => write.retakePaymentTips(id, { claim, now: 90, lockTimeout: 91 });
  const renumber = (tipId: number) => write.renumberTip(tipId);
  const unconfirm = (id: number) => write.unconfirmPayment(id, { reason: 'reorganised', now: 80 });

  /** A gig with tips of 1 and 2 whole tokens for one account, and the claim that holds both. */
  async function seed() {
    const gig = await seedGig(store, { live: true });
    await seedTips(store, gig, [FID, { ...FID, amount: 2n * 10n ** 18n }]);
    const { claim, tips, payments } = await seedPayments(store, sampleClaim(FID, 'p'));
    const [payment] = payments;
    if (payment === undefined) throw new Error('nothing was planned');
    return { gig, claim, tips, payment };
  }

  describe('the tips of a payment', () => {
    test('behavior: are known, and so are the payments of a claim and of a gig, oldest first', async () => {
      const { gig, claim, tips, payment } = await seed();
      const fee = await seedFee(store, gig);
      const second = await seedGig(store, { live: true });
      await seedTips(store, second, [FID, { ...FID, createdAt: 1 }]);
      await seedTips(store, gig, [FID]);
      const next = await seedPayments(store, sampleClaim(FID, 'q'));
      expect(await store.tipsOfPayment(payment.id)).toEqual(tips);
      expect([await idsOf(fee.id), await idsOf(next.payments[0]?.id ?? 0)]).toEqual([[], [4, 3]]);
      expect(await store.paymentsOfClaim(claim.id)).toEqual([payment]);
      expect(await store.paymentsOfClaim(next.claim.id)).toEqual(next.payments);
      expect(await store.paymentsOfGig(gig.id)).toEqual([payment, fee, next.payments[1]]);
      expect(await store.paymentsOfGig(second.id)).toEqual([next.payments[0]]);
      expect(await store.paymentsOfGig(99)).toEqual([]);
      expect(await store.claimOfTip(1)).toEqual(claim);
    });

    test('security: are exactly what its claim holds, or nothing is planned', async () => {
      const { gig, claim, tips, payment } = await seed();
      const [first, second] = tips.map(({ id }) => id);
      if (first === undefined || second === undefined) throw new Error('not seeded');
      await fail(payment.id);
      await retake(payment.id, claim);
      const [free] = await seedTips(store, gig, [FID]);
      const other = await seedGig(store, { live: true });
      const usdc = await seedToken(store, { address: seedAddress(0xc), symbol: 'USDC' });
      const foreign = await seedPayments(store, sampleClaim(X_ID, 'q'));
      const { recipient, amount } = payment;
      const good = samplePayment(gig, { kind: 'payout', claimId: claim.id, recipient, amount });
      const plan = (other: Partial<NewPayment>, tipIds: readonly number[]) =>
        expect(
          change(async (tx) => {
            // A transaction that catches the error and goes on does not commit half a payment.
            await tx.planPayment({ ...good, ...other }, { now: 1, tipIds }).catch(() => null);
          }),
        ).rejects.toThrow();
      await plan({}, []);
      await plan({}, [first]);
      await plan({}, [first, first]);
      await plan({}, [first, second, free?.id ?? 0]);
      await plan({}, [first, second, 99]);
      await plan({ amount: amount + 1n }, [first, second]);
      await plan({ amount: amount - 1n }, [first, second]);
      await plan({ gigId: other.id }, [first, second]);
      await plan({ tokenId: usdc.id }, [first, second]);
      await plan({ recipient: seedAddress(0xbad) }, [first, second]);
      await plan({ claimId: foreign.claim.id }, [first, second]);
      await plan({ claimId: 99 }, [first, second]);
      await plan({ claimId: null }, [first, second]);
      await plan({ kind: 'fee' }, [first, second]);
      await plan({ kind: 'fee', claimId: null }, [first, second]);
      await plan({ kind: 'mark', claimId: null, amount: 0n }, [first, second]);
      await plan({ chainId: 10 }, [first, second]);
      expect(await store.payments({ limit: 10 })).toHaveLength(1);
      const made = await write.planPayment(good, { now: 1, tipIds: [first, second] });
      expect(await idsOf(made.id)).toEqual([first, second]);
      await plan({}, [first, second]);
    });

    test('behavior: confirmed, are claimed with its hash and its recipient, and no longer pending', async () => {
      const { gig, tips, payment } = await seed();
      const [later] = await seedTips(store, gig, [FID]);
      await sendPayments(store, [payment.id]);
      expect(await pendingOf(FID)).toEqual([...tips, later]);
      const recipient = seedAddress(0xd00d);
      const marked = { hash: seedHash(1), blockNumber: 9n, gasUsed: 70n, numbers: [0n, 1n], now: 70 };
      await confirmOne(write, payment.id, { ...marked, recipient });
      const claimed = {
        status: 'claimed',
        userAddress: recipient,
        txHash: seedHash(1),
        claimedAt: 70,
        claimNonce: null,
        claimStartedAt: null,
        lockTimeout: null,
      };
      expect(await store.tipsOfPayment(payment.id)).toEqual(tips.map((tip) => ({ ...tip, ...claimed })));
      expect(await pendingOf(FID)).toEqual([later]);
      expect((await seedPayments(store, sampleClaim(FID, 'q'))).tips.map(({ id }) => id)).toEqual([later?.id]);
      expect(await store.hasTip(gig.id, FID)).toBe(true);
    });

    test('behavior: taken back by a reorganisation, are pending for the same claim and its recipient, and paid later', async () => {
      const { tips, payment } = await seed();
      await sendPayments(store, [payment.id]);
      const marked = { hash: seedHash(1), blockNumber: 9n, gasUsed: 70n, numbers: [0n, 1n], now: 70 };
      await confirmOne(write, payment.id, { ...marked, recipient: seedAddress(0xd00d) });
      expect(await unconfirm(payment.id)).toBe(true);
      expect(await store.payment(payment.id)).toMatchObject({ recipient: payment.recipient });
      const held = tips.map((tip) => ({ ...tip, claimStartedAt: 80, lockTimeout: null }));
      expect(await store.tipsOfPayment(payment.id)).toEqual(held);
      expect((await seedPayments(store, sampleClaim(FID, 'q'))).tips).toEqual([]);
      await sendPayments(store, [payment.id], { nonce: 1, attempt: sampleAttempt(2) });
      expect(await confirmPayment(store, payment.id, { number: 2 })).toBe(true);
      expect(await pendingOf(FID)).toEqual([]);
    });

    test('behavior: failed, can be claimed again', async () => {
      const { tips, payment } = await seed();
      expect(await fail(payment.id)).toBe(true);
      const free = tips.map((tip) => ({ ...tip, claimNonce: null, claimStartedAt: null, lockTimeout: null }));
      expect(await pendingOf(FID)).toEqual(free);
      const other = sampleClaim(FID, 'q', { recipient: seedAddress(0xabc) });
      const next = await seedPayments(store, other, 90);
      expect(next.tips.map(({ id }) => id)).toEqual(tips.map(({ id }) => id));
      expect(next.payments[0]).toMatchObject({ amount: payment.amount, recipient: seedAddress(0xabc) });
      expect(await idsOf(payment.id)).toEqual([]);
      expect(await store.claimOfTip(1)).toEqual(next.claim);
    });

    test('behavior: failed, its own claim takes again those that nobody else has claimed since', async () => {
      const { gig, claim, tips, payment } = await seed();
      expect(await retake(payment.id, claim)).toEqual([]);
      await fail(payment.id);
      expect(await idsOf(payment.id)).toEqual(tips.map(({ id }) => id));
      await seedTips(store, gig, [FID]);
      const held = { claimNonce: 'claim-p', claimStartedAt: 90, lockTimeout: 91 };
      const retaken = await change(async (tx) => {
        const taken = await tx.retakePaymentTips(payment.id, { claim, now: 90, lockTimeout: 91 });
        await planPayouts(tx, claim, taken);
        return taken;
      });
      expect(retaken).toEqual(tips.map((tip) => ({ ...tip, ...held })));
      expect(await retake(payment.id, claim)).toEqual([]);
      expect(await idsOf(2)).toEqual(tips.map(({ id }) => id));
      await fail(2);
      expect((await seedPayments(store, sampleClaim(FID, 'q'))).tips).toHaveLength(3);
      expect(await retake(2, claim)).toEqual([]);
    });

    test('security: nobody takes those of another claim, or of a payment that is not over', async () => {
      const { claim, payment } = await seed();
      const mine = await seedPayments(store, sampleClaim(FID, 'q'));
      const theirs = await seedPayments(store, sampleClaim(X_ID, 'qq'));
      await sendPayments(store, [payment.id]);
      expect(await retake(payment.id, claim)).toEqual([]);
      await replanOne(write, payment.id, { reason: 'no', dueAt: 1, hasFailed: true, gasUsed: 1n, now: 2 });
      expect(await retake(payment.id, claim)).toEqual([]);
      await fail(payment.id);
      expect(await retake(payment.id, mine.claim)).toEqual([]);
      expect(await retake(payment.id, theirs.claim)).toEqual([]);
      expect(await retake(payment.id, { ...claim, platformUserId: '8' })).toEqual([]);
      expect(await retake(payment.id, claim)).toHaveLength(2);
    });

    test('security: are paid in one way alone, and with their payments named in one', async () => {
      const { gig, payment } = await seed();
      expect((await seedClaim(store, sampleClaim(FID, 'q'))).tips).toEqual([]);
      await fail(payment.id);
      const first = await seedClaim(store, sampleClaim(FID, 'r'));
      expect(first.payouts).toHaveLength(1);
      expect(await idsOf(payment.id)).toEqual([]);
      expect(await store.claimOfTip(1)).toEqual(first.claim);
      const tipIds = first.tips.map(({ id }) => id);
      const { recipient, amount } = payment;
      const twice = samplePayment(gig, { kind: 'payout', claimId: first.claim.id, recipient, amount });
      await expect(write.planPayment(twice, { now: 1, tipIds })).rejects.toThrow(RangeError);
    });

    test('security: are not voided while it is to be made or made; then they name it no more', async () => {
      const { payment } = await seed();
      const withdraw = () => write.voidTip(1, { reason: 'a mistake', now: 1 });
      expect(await withdraw()).toBe(false);
      await sendPayments(store, [payment.id]);
      expect(await withdraw()).toBe(false);
      await confirmPayment(store, payment.id);
      expect(await withdraw()).toBe(false);
      await unconfirm(payment.id);
      expect(await withdraw()).toBe(false);
      await fail(payment.id);
      expect(await withdraw()).toBe(true);
      expect(await idsOf(payment.id)).toEqual([2]);
    });

    test('security: get another number while it is planned or has failed, and none while it is sent or paid', async () => {
      const { payment } = await seed();
      expect(await renumber(1)).toBeGreaterThan(1);
      await sendPayments(store, [payment.id]);
      expect(await renumber(1)).toBeNull();
      const change = { reason: 'no', dueAt: 1, hasFailed: false, gasUsed: 0n, now: 2 };
      await replanOne(write, payment.id, change);
      expect(await renumber(1)).toBeGreaterThan(1);
      await confirmPayment(store, payment.id);
      expect(await renumber(1)).toBeNull();
      await unconfirm(payment.id);
      await fail(payment.id);
      expect(await renumber(1)).toBeGreaterThan(1);
    });
  });

  describe('a claim whose author was told that it is on its way', () => {
    test('behavior: keeps its promise once none of its payments is planned or sent', async () => {
      const { claim, payment } = await seed();
      const mentionId = await seedMention(store);
      const promise = () => write.promiseOutcome(claim.id, mentionId);
      expect([await promise(), await promise()]).toEqual([true, false]);
      expect(await store.keptPromises()).toEqual([]);
      await sendPayments(store, [payment.id]);
      expect(await store.keptPromises()).toEqual([]);
      await confirmPayment(store, payment.id, { now: SEEDED_AT });
      expect(await store.keptPromises()).toEqual([{ claimId: claim.id, mentionId, platform: 'farcaster' }]);
      const end = (id: number) => write.endPromise(claim.id, id);
      expect([await end(mentionId + 1), await end(mentionId)]).toEqual([false, true]);
      expect(await store.keptPromises()).toEqual([]);
    });
  });
}
