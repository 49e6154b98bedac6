import { describe, expect, test } from 'vitest';
import type { AccountName } from '../../../src/domain/account.ts';
import { seedPayments } from '../../support/payments.ts';
import { SEEDED_AT, sampleClaim, samplePayment, seedClaim, seedGig, seedHash, seedTips } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const ALICE = { platform: 'twitter', platformUserId: '1' } as const;
const BOB = { platform: 'twitter', platformUserId: '2' } as const;
const handle = (name: string) => ({ platform: 'twitter', handle: name }) as const;

/** What `takeChangedAccounts` promises of every engine: one may say of any change that it concerns any account. */
export function describeChangedAccounts(subject: Subject): void {
  const take = () => subject.store.takeChangedAccounts();
  /** A server may take commits in other databases for changes of any account: it says that there are none when it is quiet. */
  const expectNone = () => expect.poll(take, { timeout: 30_000, interval: 1 }).toEqual([]);
  /** What was told since the last look: of these accounts and handles, unless it is of any account. */
  const expectTold = async (...names: AccountName[]) => {
    const told = await take();
    if (told !== null) expect(told).toEqual(expect.arrayContaining(names));
    await expectNone();
  };
  const name = (account: typeof ALICE | typeof BOB, username: string) =>
    subject.store.transaction((tx) => tx.setUsername({ ...account, username }, SEEDED_AT));

  describe('changed accounts', () => {
    test('behavior: there are none while there are only reads', async () => {
      await take();
      await subject.store.pendingTips([ALICE]);
      await expectNone();
    });

    test('behavior: a new tip changes its account, by id and by handle, and is told of once', async () => {
      const gig = await seedGig(subject.store, { live: true });
      await name(ALICE, 'Alice');
      await take();
      await seedTips(subject.store, gig, [{ ...ALICE, amount: 1n }]);
      await expectTold(ALICE, handle('alice'));
    });

    test('behavior: a claim that takes a tip, and a tip that is taken back, change its account', async () => {
      const gig = await seedGig(subject.store, { live: true });
      const [paid, voided] = await seedTips(subject.store, gig, [
        { ...ALICE, amount: 1n },
        { ...BOB, amount: 1n },
      ]);
      await take();
      await seedClaim(subject.store, sampleClaim(ALICE, 'post-1'));
      await expectTold(ALICE);
      expect((await subject.store.pendingTips([ALICE])).tips).toMatchObject([
        { id: paid?.id, claimNonce: expect.any(String) },
      ]);
      await subject.store.transaction((tx) => tx.voidTip(voided?.id ?? 0, { reason: 'wrong', now: SEEDED_AT }));
      await expectTold(BOB);
    });

    test('behavior: a payment that is confirmed, taken back, adopted or failed changes the account of its tips', async () => {
      const gig = await seedGig(subject.store, { live: true });
      const [tip] = await seedTips(subject.store, gig, [{ ...ALICE, amount: 1n }]);
      const { payments } = await seedPayments(subject.store, sampleClaim(ALICE, 'post-1'));
      const { id = 0, recipient = gig.walletAddress } = payments[0] ?? {};
      const where = { hash: seedHash(1), blockNumber: 1n, gasUsed: 0n, numbers: [0n], now: SEEDED_AT };
      await take();
      await subject.store.transaction((tx) => tx.confirmPayment(id, { ...where, recipient }));
      await expectTold(ALICE);
      await subject.store.transaction((tx) => tx.unconfirmPayment(id, { reason: 'reorganised', now: SEEDED_AT }));
      await expectTold(ALICE);
      await subject.store.transaction((tx) => tx.failPayment(id, { reason: 'refused', now: SEEDED_AT }));
      await expectTold(ALICE);
      const payment = samplePayment(gig, { kind: 'payout', amount: 1n, recipient });
      await subject.store.transaction((tx) =>
        tx.adoptPayment({ ...payment, numbers: [0n] }, { ...where, tipIds: [tip?.id ?? 0] }),
      );
      await expectTold(ALICE);
      expect((await subject.store.pendingTips([ALICE])).tips).toEqual([]);
    });

    test('behavior: a handle that moves changes both accounts', async () => {
      await name(ALICE, 'old');
      await take();
      await name(ALICE, 'new');
      await expectTold(ALICE, handle('old'), handle('new'));
      await name(BOB, 'New');
      await expectTold(ALICE, BOB, handle('new'));
    });

    test('behavior: a commit through another connection is told of', async () => {
      const other = await subject.openAgain();
      await take();
      await other.transaction((tx) => tx.setUsername({ ...ALICE, username: 'alice' }, SEEDED_AT));
      await expectTold(ALICE, handle('alice'));
    });
  });
}
