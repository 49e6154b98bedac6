import { describe, expect, test } from 'vitest';
import type { AccountName } from '../../../src/domain/account.ts';
import { seedPayments } from '../../support/payments.ts';
import {
  confirmOne,
  SEEDED_AT,
  sampleClaim,
  samplePayment,
  seedClaim,
  seedGig,
  seedHash,
  seedTips,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const ALICE = { platform: 'twitter', platformUserId: '1' } as const;
const BOB = { platform: 'twitter', platformUserId: '2' } as const;
const handle = (name: string) => ({ platform: 'twitter', handle: name }) as const;

/** What `pendingTipsSince` promises of every engine: one may say of any change that it concerns any account. */
export function describeChangedAccounts({ store, openAgain, write }: Subject): void {
  const ask = (name: AccountName, since: string | null) => store.pendingTipsSince([name], since);
  const isSame = async (name: AccountName) => {
    const { asOf } = await ask(name, null);
    return (await ask(name, asOf)).found === null;
  };
  /** A server may take commits in other databases for changes of any account: it says that there are none when it is quiet. */
  const expectNone = (name: AccountName) =>
    expect.poll(() => isSame(name), { timeout: 30_000, interval: 1 }).toBe(true);
  /** Makes a change and expects each of these names to be read again, as another store on the storage reads it, and then to be kept. */
  async function expectTold(change: () => Promise<unknown>, ...names: AccountName[]): Promise<void> {
    const before: string[] = [];
    for (const name of names) before.push((await ask(name, null)).asOf);
    await change();
    for (const [place, name] of names.entries()) {
      const { found } = await ask(name, before[place] ?? null);
      expect(found).toEqual(await store.pendingTips([name]));
      await expectNone(name);
    }
  }
  const name = (account: typeof ALICE | typeof BOB, username: string) =>
    write.setUsername({ ...account, username }, SEEDED_AT);

  describe('tips since a state', () => {
    test('behavior: are the same while there are only reads, of several accounts as well', async () => {
      await expectNone(ALICE);
      await expectNone(handle('nobody'));
      const both = [ALICE, BOB];
      const isSame = async () => {
        const { asOf } = await store.pendingTipsSince(both, null);
        return (await store.pendingTipsSince(both, asOf)).found === null;
      };
      await expect.poll(isSame, { timeout: 30_000, interval: 1 }).toBe(true);
    });

    test('behavior: are read when no state, or one that was never named, is known', async () => {
      const gig = await seedGig(store, { live: true });
      await seedTips(store, gig, [ALICE]);
      for (const since of [null, '', 'never']) {
        expect((await ask(ALICE, since)).found?.tips).toHaveLength(1);
      }
    });

    test('behavior: a new tip changes its account, by id and by handle', async () => {
      const gig = await seedGig(store, { live: true });
      await name(ALICE, 'Alice');
      await expectTold(() => seedTips(store, gig, [ALICE]), ALICE, handle('alice'));
    });

    test('behavior: those that are asked together get their own', async () => {
      const gig = await seedGig(store, { live: true });
      await name(BOB, 'bob');
      await seedTips(store, gig, [
        { ...ALICE, amount: 1n },
        { ...BOB, amount: 2n },
        { ...BOB, amount: 3n },
      ]);
      const asked = [[ALICE], [handle('nobody')], [handle('bob')], [BOB, handle('bob'), ALICE]] as const;
      const found = await Promise.all(asked.map((names) => store.pendingTipsSince(names, null)));
      const amounts = found.map((each) => each.found?.tips.map(({ amount }) => amount).join());
      expect(amounts).toEqual(['1', '', '2,3', '1,2,3']);
    });

    test('behavior: a claim that takes a tip, and a tip that is taken back, change its account', async () => {
      const gig = await seedGig(store, { live: true });
      const [paid, voided] = await seedTips(store, gig, [ALICE, BOB]);
      await expectTold(() => seedClaim(store, sampleClaim(ALICE, 'post-1')), ALICE);
      expect((await store.pendingTips([ALICE])).tips).toMatchObject([{ id: paid?.id, claimNonce: expect.any(String) }]);
      const take = { reason: 'wrong', now: SEEDED_AT };
      await expectTold(() => write.voidTip(voided?.id ?? 0, take), BOB);
    });

    test('behavior: a payment that is confirmed, taken back, adopted or failed changes the account of its tips', async () => {
      const gig = await seedGig(store, { live: true });
      const [tip] = await seedTips(store, gig, [ALICE]);
      const { payments } = await seedPayments(store, sampleClaim(ALICE, 'post-1'));
      const { id = 0, recipient = gig.walletAddress } = payments[0] ?? {};
      const where = { hash: seedHash(1), blockNumber: 1n, gasUsed: 0n, numbers: [0n], now: SEEDED_AT };
      await expectTold(() => confirmOne(write, id, { ...where, recipient }), ALICE);
      const takenBack = { reason: 'reorganised', now: SEEDED_AT };
      await expectTold(() => write.unconfirmPayment(id, takenBack), ALICE);
      const refused = { reason: 'refused', now: SEEDED_AT };
      await expectTold(() => write.failPayment(id, refused), ALICE);
      const payment = { ...samplePayment(gig, { kind: 'payout', amount: 10n ** 18n, recipient }), numbers: [0n] };
      const adopted = { ...where, tipIds: [tip?.id ?? 0] };
      await expectTold(() => write.adoptPayment(payment, adopted), ALICE);
      expect((await store.pendingTips([ALICE])).tips).toEqual([]);
    });

    test('behavior: a handle that moves changes both accounts', async () => {
      await name(ALICE, 'old');
      await expectTold(() => name(ALICE, 'new'), ALICE, handle('old'), handle('new'));
      await expectTold(() => name(BOB, 'New'), ALICE, BOB, handle('new'));
    });

    test('behavior: a commit through another connection is told of', async () => {
      const other = await openAgain();
      const rename = () => other.transaction((tx) => tx.setUsername({ ...ALICE, username: 'alice' }, SEEDED_AT));
      await expectTold(rename, ALICE, handle('alice'));
    });

    test('behavior: a look-up finds every commit that was told before it was asked', async () => {
      const gig = await seedGig(store, { live: true });
      let since: string | null = null;
      for (let tips = 1; tips <= 20; tips += 1) {
        await seedTips(store, gig, [ALICE]);
        const look = await ask(ALICE, since);
        expect(look.found?.tips).toHaveLength(tips);
        since = look.asOf;
      }
    });
  });
}
