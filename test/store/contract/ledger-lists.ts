import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/store/port/index.ts';
import {
  sampleAttempt,
  sampleClaim,
  seedClaim,
  seedConfirmed,
  seedFee,
  seedGig,
  seedHash,
  seedSent,
  seedTips,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const FID = { platform: 'farcaster', platformUserId: '7' } as const;

export function describeLedgerLists(subject: Subject): void {
  const ids = async (query: Parameters<Store['payments']>[0]) =>
    (await subject.store.payments(query)).map(({ id }) => id);

  /** Of gig 1: 1 a confirmed fee, 2 a failed payout, 3 a sent payout, 4 a planned one; 5 the planned fee of gig 2. */
  async function seed(): Promise<void> {
    const { store } = subject;
    const gig = await seedGig(store, { live: true });
    await seedFee(store, gig);
    await seedConfirmed(store, 1, { hash: seedHash(1) });
    await seedTips(store, gig, [FID]);
    await seedClaim(store, sampleClaim(FID, 'p'));
    await store.transaction((tx) => tx.failPayment(2, { reason: 'no', now: 3 }));
    await seedClaim(store, sampleClaim(FID, 'q'));
    await seedSent(store, [3], { nonce: 0, attempt: sampleAttempt(1) });
    await seedTips(store, gig, [FID]);
    await seedClaim(store, sampleClaim(FID, 'r'));
    await seedFee(store, await seedGig(store, { live: true }));
  }

  describe('lists of payments', () => {
    test('behavior: go back from the newest, by state, by kind and by both', async () => {
      await seed();
      expect(await ids({ limit: 10 })).toEqual([5, 4, 3, 2, 1]);
      expect(await ids({ limit: 10, state: 'planned' })).toEqual([5, 4]);
      expect(await ids({ limit: 10, kind: 'fee' })).toEqual([5, 1]);
      expect(await ids({ limit: 10, kind: 'mark' })).toEqual([]);
      expect(await ids({ limit: 10, kind: 'payout', state: 'failed' })).toEqual([2]);
      expect(await ids({ limit: 10, kind: 'fee', state: 'sent' })).toEqual([]);
    });

    test('behavior: come in pages', async () => {
      await seed();
      expect(await ids({ limit: 2 })).toEqual([5, 4]);
      expect(await ids({ limit: 2, before: 4 })).toEqual([3, 2]);
      expect(await ids({ limit: 1, state: 'planned' })).toEqual([5]);
      expect(await ids({ limit: 2, state: 'planned', before: 5 })).toEqual([4]);
      expect(await ids({ limit: 1, kind: 'payout', before: 4 })).toEqual([3]);
    });

    test('behavior: are narrowed to one gig, page by page', async () => {
      await seed();
      expect(await ids({ limit: 10, gigId: 1 })).toEqual([4, 3, 2, 1]);
      expect(await ids({ limit: 10, gigId: 2 })).toEqual([5]);
      expect(await ids({ limit: 10, gigId: 3 })).toEqual([]);
      expect(await ids({ limit: 2, gigId: 1, before: 4 })).toEqual([3, 2]);
      expect(await ids({ limit: 10, gigId: 1, state: 'planned' })).toEqual([4]);
      expect(await ids({ limit: 10, gigId: 1, kind: 'payout', state: 'failed' })).toEqual([2]);
    });

    test('behavior: are counted by state', async () => {
      expect(await subject.store.paymentDepths()).toEqual({ planned: 0, sent: 0, confirmed: 0, failed: 0 });
      await seed();
      expect(await subject.store.paymentDepths()).toEqual({ planned: 2, sent: 1, confirmed: 1, failed: 1 });
    });
  });

  describe('a frozen gig', () => {
    const freeze = (id: number, reason: string | null) =>
      subject.store.transaction((tx) => tx.freezeGig(id, { reason, now: 1 }));

    test('behavior: says why, until it is let go on, and changes nothing else', async () => {
      const gig = await seedGig(subject.store, { live: true });
      const other = await seedGig(subject.store);
      expect(await subject.store.gigFreeze(gig.id)).toBeNull();
      await freeze(gig.id, 'less arrived than was sent');
      expect(await subject.store.gigFreeze(gig.id)).toBe('less arrived than was sent');
      expect(await subject.store.gigFreeze(other.id)).toBeNull();
      expect(await subject.store.gig(gig.id)).toEqual(gig);
      await freeze(gig.id, 'an operator said so');
      expect(await subject.store.gigFreeze(gig.id)).toBe('an operator said so');
      await freeze(other.id, 'so is this one');
      expect(await subject.store.frozenGigs()).toEqual([
        { gigId: gig.id, reason: 'an operator said so' },
        { gigId: other.id, reason: 'so is this one' },
      ]);
      await freeze(other.id, null);
      await freeze(gig.id, null);
      expect(await subject.store.gigFreeze(gig.id)).toBeNull();
      expect(await subject.store.frozenGigs()).toEqual([]);
    });

    test('error: there is none to freeze', async () => {
      await expect(freeze(99, 'why not')).rejects.toThrow(RangeError);
      expect(await subject.store.gigFreeze(99)).toBeNull();
    });
  });
}
