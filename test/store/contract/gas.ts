import { describe, expect, test } from 'vitest';
import { SEEDED_AT, sampleAttempt, seedAddress, seedFee, seedGig, seedHash, seedMove } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const TANK = seedAddress(0x7a);

export function describeGas(subject: Subject): void {
  let attempts = 0;

  async function land(id: number, end: 'confirmed' | 'failed'): Promise<void> {
    attempts += 1;
    const inclusion = { hash: seedHash(attempts), blockNumber: 9n, gasSpent: 21n };
    await subject.store.transaction(async (tx) => {
      await tx.markSigned(id, { nonce: attempts, attempt: sampleAttempt(attempts), now: SEEDED_AT });
      if (end === 'confirmed') await tx.markConfirmed(id, { ...inclusion, now: SEEDED_AT });
      else await tx.markTransferFailed(id, { reason: 'it did nothing', inclusion, now: SEEDED_AT });
    });
  }

  describe('what a gig has paid', () => {
    test('behavior: is the exact sum of what is confirmed, larger than any machine integer', async () => {
      const [gig, other] = [await seedGig(subject.store), await seedGig(subject.store)];
      expect(await subject.store.amountPaidByGig(gig.id)).toBe(0n);
      const failed = await seedFee(subject.store, gig, { amount: 7n });
      await land(failed.id, 'failed');
      const fee = await seedFee(subject.store, gig, { amount: 10n ** 60n + 1n });
      expect(await subject.store.amountPaidByGig(gig.id)).toBe(0n);
      await land(fee.id, 'confirmed');
      await land((await seedFee(subject.store, other, { amount: 3n })).id, 'confirmed');
      expect(await subject.store.amountPaidByGig(gig.id)).toBe(10n ** 60n + 1n);
      expect(await subject.store.amountPaidByGig(other.id)).toBe(3n);
      expect(await subject.store.amountPaidByGig(99)).toBe(0n);
    });

    test('behavior: leaves out the gas that was brought to its wallet', async () => {
      const gig = await seedGig(subject.store);
      const gas = await seedMove(subject.store, gig, { sender: TANK, amount: 5n });
      await land(gas.id, 'confirmed');
      expect(await subject.store.amountPaidByGig(gig.id)).toBe(0n);
    });
  });

  describe('gas for a gig', () => {
    test('behavior: is awaited from its plan until it landed, for each gig by itself', async () => {
      const [gig, other] = [await seedGig(subject.store), await seedGig(subject.store)];
      await seedFee(subject.store, gig);
      expect(await subject.store.awaitsGas(gig.id)).toBe(false);
      const gas = await seedMove(subject.store, gig, { sender: TANK });
      expect(await subject.store.awaitsGas(gig.id)).toBe(true);
      expect(await subject.store.awaitsGas(other.id)).toBe(false);
      await subject.store.transaction((tx) =>
        tx.markSigned(gas.id, { nonce: 0, attempt: sampleAttempt(500), now: SEEDED_AT }),
      );
      expect(await subject.store.awaitsGas(gig.id)).toBe(true);
      await subject.store.transaction((tx) => tx.markBroadcast(gas.id, SEEDED_AT));
      expect(await subject.store.transaction((tx) => tx.awaitsGas(gig.id))).toBe(true);
      const inclusion = { hash: seedHash(500), blockNumber: 9n, gasSpent: 21n };
      await subject.store.transaction((tx) => tx.markConfirmed(gas.id, { ...inclusion, now: SEEDED_AT }));
      expect(await subject.store.awaitsGas(gig.id)).toBe(false);
    });
  });
}
