import { describe, expect, test } from 'vitest';
import { seedPayments } from '../../support/payments.ts';
import { SEEDED_AT, sampleClaim, samplePayment, seedClaim, seedGig, seedHash, seedTips } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const ALICE = { platform: 'twitter', platformUserId: '1' } as const;
const BOB = { platform: 'twitter', platformUserId: '2' } as const;
const handle = (name: string) => ({ platform: 'twitter', handle: name });

/** What `takeChangedAccounts` promises. */
export function describeChangedAccounts(subject: Subject): void {
  const take = () => subject.store.takeChangedAccounts();
  const name = (account: typeof ALICE | typeof BOB, username: string) =>
    subject.store.transaction((tx) => tx.setUsername({ ...account, username }, SEEDED_AT));

  describe('changed accounts', () => {
    test('behavior: a new tip changes its account, by id and by handle, and is told of once', async () => {
      const gig = await seedGig(subject.store, { live: true });
      await name(ALICE, 'Alice');
      take();
      await seedTips(subject.store, gig, [{ ...ALICE, amount: 1n }]);
      expect(take()).toEqual([ALICE, handle('alice')]);
      expect(take()).toEqual([]);
    });

    test('behavior: a claim that takes a tip, and a tip that is taken back, change its account', async () => {
      const gig = await seedGig(subject.store, { live: true });
      const [paid, voided] = await seedTips(subject.store, gig, [
        { ...ALICE, amount: 1n },
        { ...BOB, amount: 1n },
      ]);
      take();
      await seedClaim(subject.store, sampleClaim(ALICE, 'post-1'));
      expect(take()).toContainEqual(ALICE);
      expect((await subject.store.pendingTips([ALICE])).tips).toMatchObject([
        { id: paid?.id, claimNonce: expect.any(String) },
      ]);
      take();
      await subject.store.transaction((tx) => tx.voidTip(voided?.id ?? 0, { reason: 'wrong', now: SEEDED_AT }));
      expect(take()).toEqual([BOB]);
    });

    test('behavior: a payment that is confirmed, taken back, adopted or failed changes the account of its tips', async () => {
      const gig = await seedGig(subject.store, { live: true });
      await seedTips(subject.store, gig, [{ ...ALICE, amount: 1n }]);
      const { payments } = await seedPayments(subject.store, sampleClaim(ALICE, 'post-1'));
      const { id = 0, recipient = gig.walletAddress } = payments[0] ?? {};
      const where = { hash: seedHash(1), blockNumber: 1n, gasUsed: 0n, numbers: [0n], now: SEEDED_AT };
      take();
      await subject.store.transaction((tx) => tx.confirmPayment(id, { ...where, recipient }));
      expect(take()).toEqual([ALICE]);
      await subject.store.transaction((tx) => tx.unconfirmPayment(id, { reason: 'reorganised', now: SEEDED_AT }));
      expect(take()).toEqual([ALICE]);
      await subject.store.transaction((tx) => tx.failPayment(id, { reason: 'refused', now: SEEDED_AT }));
      expect(take()).toEqual([ALICE]);
      const payment = samplePayment(gig, { kind: 'payout', amount: 1n, recipient });
      await subject.store.transaction((tx) =>
        tx.adoptPayment({ ...payment, numbers: [0n] }, { ...where, tipIds: [1] }),
      );
      expect(take()).toEqual([ALICE]);
      expect((await subject.store.pendingTips([ALICE])).tips).toEqual([]);
    });

    test('behavior: a handle that moves changes both accounts', async () => {
      await name(ALICE, 'old');
      take();
      await name(ALICE, 'new');
      expect(take()).toEqual(expect.arrayContaining([ALICE, handle('old'), handle('new')]));
      await name(BOB, 'New');
      expect(take()).toEqual(expect.arrayContaining([ALICE, BOB, handle('new')]));
    });

    test('behavior: a gig, and an account that opts out, change no tips and no name', async () => {
      await name(ALICE, 'alice');
      take();
      await seedGig(subject.store);
      await subject.store.transaction((tx) => tx.setOptedOut(ALICE, true, SEEDED_AT));
      expect(take()).toEqual([]);
    });

    test('behavior: a transaction is told of when it is committed, not while it runs', async () => {
      const gig = await seedGig(subject.store, { live: true });
      take();
      await subject.store.transaction(async (tx) => {
        await tx.setUsername({ ...ALICE, username: 'alice' }, SEEDED_AT);
        expect(take()).toEqual([]);
      });
      expect(take()).toEqual(expect.arrayContaining([ALICE, handle('alice')]));
      expect(gig.id).toBe(1);
    });

    test('behavior: after a commit through another connection any account may have changed', async () => {
      const other = await subject.openAgain();
      take();
      await other.transaction((tx) => tx.setUsername({ ...ALICE, username: 'alice' }, SEEDED_AT));
      expect(take()).toBeNull();
      expect(take()).toEqual([]);
    });
  });
}
