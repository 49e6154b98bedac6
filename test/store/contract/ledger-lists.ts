import { describe, expect, test } from 'vitest';
import type { AccountKey } from '../../../src/domain/account.ts';
import type { Store } from '../../../src/store/port/index.ts';
import {
  sampleAttempt,
  sampleClaim,
  seedAddress,
  seedClaim,
  seedFee,
  seedGig,
  seedHash,
  seedTips,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const FID = { platform: 'farcaster', platformUserId: '7' } as const;
const LANDING = { hash: seedHash(1), blockNumber: 9n, gasSpent: 21n };

export function describeLedgerLists(subject: Subject): void {
  const ids = async (query: Parameters<Store['transfers']>[0]) =>
    (await subject.store.transfers(query)).map(({ id }) => id);

  /** 1 a confirmed fee, 2 gas signed, 3 a failed payout, 4 gas, 5 a payout and 6 a fee planned. */
  async function seed(): Promise<void> {
    const { store } = subject;
    const gig = await seedGig(store, { live: true });
    const gas = { kind: 'gas', sender: seedAddress(0x6a5), recipient: gig.walletAddress } as const;
    await seedFee(store, gig);
    await seedFee(store, gig, gas);
    await store.transaction(async (tx) => {
      await tx.markSigned(1, { nonce: 0, attempt: sampleAttempt(1), now: 1 });
      await tx.markConfirmed(1, { ...LANDING, now: 2 });
      await tx.markSigned(2, { nonce: 0, attempt: sampleAttempt(2), now: 1 });
    });
    await seedTips(store, gig, [FID]);
    await seedClaim(store, sampleClaim(FID, 'p'));
    await store.transaction((tx) => tx.markTransferFailed(3, { reason: 'no', inclusion: null, now: 3 }));
    await seedFee(store, gig, gas);
    await seedClaim(store, sampleClaim(FID, 'q'));
    await seedFee(store, await seedGig(store, { live: true }));
  }

  describe('lists of transfers', () => {
    test('behavior: go back from the newest, by state, by kind and by both', async () => {
      await seed();
      expect(await ids({ limit: 10 })).toEqual([6, 5, 4, 3, 2, 1]);
      expect(await ids({ limit: 10, state: 'planned' })).toEqual([6, 5, 4]);
      expect(await ids({ limit: 10, state: 'replaced' })).toEqual([]);
      expect(await ids({ limit: 10, kind: 'fee' })).toEqual([6, 1]);
      expect(await ids({ limit: 10, kind: 'gas' })).toEqual([4, 2]);
      expect(await ids({ limit: 10, kind: 'payout', state: 'failed' })).toEqual([3]);
      expect(await ids({ limit: 10, kind: 'fee', state: 'signed' })).toEqual([]);
    });

    test('behavior: those that landed in vain are counted for each account, over all of its claims', async () => {
      const gig = await seedGig(subject.store, { live: true });
      const other = { ...FID, platformUserId: '8' };
      const count = (account: AccountKey, since = 2) => subject.store.countRevertedPayouts(account, { since });
      await seedTips(subject.store, gig, [FID, other]);
      const landed = await seedClaim(subject.store, sampleClaim(FID, 'p'));
      const [first] = landed.payouts;
      await subject.store.transaction(async (tx) => {
        await tx.markSigned(first?.id ?? 0, { nonce: 0, attempt: sampleAttempt(1), now: 1 });
        expect(await tx.markTransferFailed(first?.id ?? 0, { reason: 'no', inclusion: LANDING, now: 2 })).toBe(true);
      });
      const again = await seedClaim(subject.store, sampleClaim(FID, 'q'));
      const refused = again.payouts[0]?.id ?? 0;
      await subject.store.transaction((tx) =>
        tx.markTransferFailed(refused, { reason: 'no', inclusion: null, now: 3 }),
      );
      expect([await count(FID), await count(other), await count({ ...FID, platform: 'twitter' })]).toEqual([1, 0, 0]);
      expect(await count(FID, 3)).toBe(0);
    });

    test('behavior: whoever used a nonce of a wallet is found, whatever became of it', async () => {
      await seed();
      const [confirmed, planned] = [await subject.store.transfer(1), await subject.store.transfer(6)];
      if (confirmed === null || planned === null) throw new TypeError('they were seeded');
      expect(await subject.store.transferByNonce(confirmed, 0)).toEqual(confirmed);
      expect(await subject.store.transferByNonce(confirmed, 1)).toBeNull();
      expect(await subject.store.transferByNonce(planned, 0)).toBeNull();
    });

    test('behavior: come in pages', async () => {
      await seed();
      expect(await ids({ limit: 2 })).toEqual([6, 5]);
      expect(await ids({ limit: 2, before: 5 })).toEqual([4, 3]);
      expect(await ids({ limit: 2, state: 'planned' })).toEqual([6, 5]);
      expect(await ids({ limit: 2, state: 'planned', before: 5 })).toEqual([4]);
      expect(await ids({ limit: 1, kind: 'payout' })).toEqual([5]);
      expect(await ids({ limit: 1, kind: 'payout', before: 5 })).toEqual([3]);
    });

    test('behavior: are narrowed to one gig, with its gas, page by page', async () => {
      await seed();
      expect(await ids({ limit: 10, gigId: 1 })).toEqual([5, 4, 3, 2, 1]);
      expect(await ids({ limit: 10, gigId: 2 })).toEqual([6]);
      expect(await ids({ limit: 10, gigId: 3 })).toEqual([]);
      expect(await ids({ limit: 2, gigId: 1 })).toEqual([5, 4]);
      expect(await ids({ limit: 2, gigId: 1, before: 4 })).toEqual([3, 2]);
      expect(await ids({ limit: 10, gigId: 1, state: 'planned' })).toEqual([5, 4]);
      expect(await ids({ limit: 10, gigId: 1, kind: 'gas' })).toEqual([4, 2]);
      expect(await ids({ limit: 10, gigId: 1, kind: 'payout', state: 'failed' })).toEqual([3]);
    });

    test('behavior: say all of each transfer', async () => {
      await seed();
      const [newest] = await subject.store.transfers({ limit: 1, state: 'signed' });
      expect(newest).toEqual(await subject.store.transfer(2));
      expect(newest?.attempts).toEqual([sampleAttempt(2)]);
    });

    test('behavior: are counted by state', async () => {
      const none = { planned: 0, signed: 0, broadcast: 0, confirmed: 0, failed: 0, replaced: 0 };
      expect(await subject.store.transferDepths()).toEqual(none);
      await seed();
      expect(await subject.store.transferDepths()).toEqual({ ...none, planned: 3, signed: 1, confirmed: 1, failed: 1 });
      await subject.store.transaction((tx) => tx.planAgain(2, { reason: 'spent', now: 9 }));
      expect(await subject.store.transferDepths()).toEqual({
        ...none,
        planned: 4,
        confirmed: 1,
        failed: 1,
        replaced: 1,
      });
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
