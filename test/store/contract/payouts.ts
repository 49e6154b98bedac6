import { describe, expect, test } from 'vitest';
import type { AccountKey } from '../../../src/domain/account.ts';
import type { NewPayment, Payment } from '../../../src/domain/payment.ts';
import {
  planPayouts,
  SEEDED_AT,
  sampleAttempt,
  sampleClaim,
  seedAddress,
  seedClaim,
  seedConfirmed,
  seedFee,
  seedGig,
  seedHash,
  seedSent,
  seedTips,
  seedToken,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const FID = { platform: 'farcaster', platformUserId: '7' } as const;
const X_ID = { platform: 'twitter', platformUserId: '7' } as const;

export function describePayouts(subject: Subject): void {
  const pendingOf = async (account: AccountKey) => (await subject.store.pendingTips([account])).tips;
  const idsOf = async (paymentId: number) => (await subject.store.tipsOfPayment(paymentId)).map(({ id }) => id);
  const send = (id: number) => seedSent(subject.store, [id], { nonce: 0, attempt: sampleAttempt(id), now: 60 });
  const fail = (id: number) =>
    subject.store.transaction((tx) => tx.failPayment(id, { reason: 'it was refused', now: 70 }));

  /** A gig with tips of 1 and 2 whole tokens for one account, and the claim that holds both. */
  async function seed() {
    const gig = await seedGig(subject.store, { live: true });
    await seedTips(subject.store, gig, [FID, { ...FID, amount: 2n * 10n ** 18n }]);
    const { claim, tips, payouts } = await seedClaim(subject.store, sampleClaim(FID, 'p'));
    const [payout] = payouts;
    if (payout === undefined) throw new Error('nothing was planned');
    return { gig, claim, tips, payout };
  }

  describe('payouts', () => {
    test('behavior: a payout comes back as it was planned, with its token and its tips', async () => {
      const { gig, claim, tips, payout } = await seed();
      expect(payout).toEqual({
        id: 1,
        kind: 'payout',
        chainId: 8453,
        wallet: '0x0000000000000000000000000000000000000001',
        gigId: 1,
        claimId: claim.id,
        token: gig.token,
        recipient: '0x000000000000000000000000000000000000cafe',
        amount: 3_000_000_000_000_000_000n,
        state: 'planned',
        reason: null,
        transactionId: null,
        hash: null,
        blockNumber: null,
        gasUsed: 0n,
        gasReserved: 0n,
        failures: 0,
        dueAt: SEEDED_AT,
        createdAt: SEEDED_AT,
        updatedAt: SEEDED_AT,
      });
      expect(await subject.store.payment(1)).toEqual({ ...payout, numbers: [0n, 1n] });
      expect(await subject.store.payment(2)).toBeNull();
      expect(await subject.store.tipsOfPayment(1)).toEqual(tips);
      expect(await subject.store.tipsOfPayment(2)).toEqual([]);
    });

    test('behavior: a claim and a gig know their payments, oldest first', async () => {
      const { gig, claim, payout } = await seed();
      const fee = await seedFee(subject.store, gig);
      const second = await seedGig(subject.store, { live: true });
      await seedTips(subject.store, second, [FID]);
      await seedTips(subject.store, gig, [FID]);
      const next = await seedClaim(subject.store, sampleClaim(FID, 'q'));
      const ids = (payments: Payment[]) => payments.map(({ id }) => id);
      expect(await subject.store.paymentsOfClaim(claim.id)).toEqual([payout]);
      expect(ids(await subject.store.paymentsOfClaim(next.claim.id))).toEqual([3, 4]);
      expect(ids(await subject.store.paymentsOfGig(gig.id))).toEqual([payout.id, fee.id, 4]);
      expect(ids(await subject.store.paymentsOfGig(second.id))).toEqual([3]);
      expect(await subject.store.paymentsOfGig(99)).toEqual([]);
    });

    test('security: a payout pays exactly the tips that its claim holds, or nothing is planned', async () => {
      const { gig, claim, tips, payout } = await seed();
      const [first, second] = tips.map(({ id }) => id);
      if (first === undefined || second === undefined) throw new Error('not seeded');
      await fail(payout.id);
      await subject.store.transaction((tx) => tx.retakePaymentTips(payout.id, { claim, now: 1, lockTimeout: 2 }));
      const [free] = await seedTips(subject.store, gig, [FID]);
      const other = await seedGig(subject.store, { live: true });
      const usdc = await seedToken(subject.store, { address: seedAddress(0xc), symbol: 'USDC' });
      const foreign = await seedClaim(subject.store, sampleClaim(X_ID, 'q'));
      const { token, ...rest } = payout;
      const good: NewPayment = { ...rest, tokenId: token.id };
      const plan = (change: Partial<NewPayment>, tipIds: readonly number[]) =>
        subject.store.transaction(async (tx) => {
          // Whoever catches the error goes on without half a payment.
          await expect(tx.planPayment({ ...good, ...change }, { now: 1, tipIds })).rejects.toThrow();
        });
      await plan({}, []);
      await plan({}, [first]);
      await plan({}, [first, first]);
      await plan({}, [first, second, free?.id ?? 0]);
      await plan({}, [first, second, 99]);
      await plan({ amount: good.amount + 1n }, [first, second]);
      await plan({ amount: good.amount - 1n }, [first, second]);
      await plan({ gigId: other.id }, [first, second]);
      await plan({ tokenId: usdc.id }, [first, second]);
      await plan({ recipient: seedAddress(0xbad) }, [first, second]);
      await plan({ claimId: foreign.claim.id }, [first, second]);
      await plan({ claimId: 99 }, [first, second]);
      await plan({ claimId: null }, [first, second]);
      await plan({ kind: 'fee' }, [first, second]);
      await plan({ kind: 'fee', claimId: null }, [first, second]);
      await plan({ chainId: 10 }, [first, second]);
      expect(await subject.store.payments({ limit: 10 })).toHaveLength(1);
      const made = await subject.store.transaction((tx) => tx.planPayment(good, { now: 1, tipIds: [first, second] }));
      expect(await idsOf(made.id)).toEqual([first, second]);
      await plan({}, [first, second]);
    });
  });

  describe('what becomes of a payout’s tips', () => {
    test('behavior: confirmed, they are claimed with its hash at the address that was paid, and no longer pending', async () => {
      const { tips, payout } = await seed();
      const [later] = await seedTips(subject.store, await seedGig(subject.store, { live: true }), [FID]);
      await send(payout.id);
      expect(await pendingOf(FID)).toEqual([...tips, later]);
      await seedConfirmed(subject.store, payout.id, { hash: seedHash(1), now: 70 });
      const claimed = {
        status: 'claimed',
        txHash: '0x0000000000000000000000000000000000000000000000000000000000000001',
        claimedAt: 70,
        claimNonce: null,
        claimStartedAt: null,
        lockTimeout: null,
      };
      expect(await subject.store.tipsOfPayment(payout.id)).toEqual(tips.map((tip) => ({ ...tip, ...claimed })));
      expect(await pendingOf(FID)).toEqual([later]);
      expect((await seedClaim(subject.store, sampleClaim(FID, 'q'))).tips.map(({ id }) => id)).toEqual([later?.id]);
    });

    test('behavior: failed, they can be claimed again', async () => {
      const { tips, payout } = await seed();
      expect(await fail(payout.id)).toBe(true);
      const free = tips.map((tip) => ({ ...tip, claimNonce: null, claimStartedAt: null, lockTimeout: null }));
      expect(await pendingOf(FID)).toEqual(free);
      const next = await seedClaim(subject.store, sampleClaim(FID, 'q', { recipient: seedAddress(0xabc) }), 90);
      expect(next.tips.map(({ id }) => id)).toEqual(tips.map(({ id }) => id));
      expect(next.payouts[0]).toMatchObject({ amount: payout.amount, recipient: seedAddress(0xabc) });
      expect(await idsOf(payout.id)).toEqual([]);
    });

    test('security: none is free while its payment is sent', async () => {
      const { tips, payout } = await seed();
      await send(payout.id);
      expect(await fail(payout.id)).toBe(false);
      expect(await pendingOf(FID)).toEqual(tips);
      expect((await seedClaim(subject.store, sampleClaim(FID, 'q'))).tips).toEqual([]);
    });

    test('behavior: failed, its own claim takes again those that nobody else has claimed since', async () => {
      const { gig, claim, tips, payout } = await seed();
      const retake = (id = payout.id, by = claim) =>
        subject.store.transaction((tx) => tx.retakePaymentTips(id, { claim: by, now: 90, lockTimeout: 91 }));
      expect(await retake()).toEqual([]);
      await fail(payout.id);
      expect(await idsOf(payout.id)).toEqual(tips.map(({ id }) => id));
      await seedTips(subject.store, gig, [FID]);
      const held = { claimNonce: 'claim-p', claimStartedAt: 90, lockTimeout: 91 };
      const retaken = await subject.store.transaction(async (tx) => {
        const taken = await tx.retakePaymentTips(payout.id, { claim, now: 90, lockTimeout: 91 });
        await planPayouts(tx, claim, taken);
        return taken;
      });
      expect(retaken).toEqual(tips.map((tip) => ({ ...tip, ...held })));
      expect(await retake()).toEqual([]);
      expect(await idsOf(2)).toEqual(tips.map(({ id }) => id));
      await fail(2);
      const next = await seedClaim(subject.store, sampleClaim(FID, 'q'));
      expect(next.tips).toHaveLength(3);
      expect(await retake(2)).toEqual([]);
    });

    test('security: nobody retakes the tips of another claim, or of a payment that is not over', async () => {
      const { claim, payout } = await seed();
      const mine = await seedClaim(subject.store, sampleClaim(FID, 'q'));
      const theirs = await seedClaim(subject.store, sampleClaim(X_ID, 'q'.repeat(2)));
      const retake = (by: typeof claim) =>
        subject.store.transaction((tx) => tx.retakePaymentTips(payout.id, { claim: by, now: 90, lockTimeout: 91 }));
      expect(await retake(claim)).toEqual([]);
      await fail(payout.id);
      expect(await retake(mine.claim)).toEqual([]);
      expect(await retake(theirs.claim)).toEqual([]);
      expect(await retake({ ...claim, platformUserId: '8' })).toEqual([]);
      expect(await retake(claim)).toHaveLength(2);
    });
  });
}
