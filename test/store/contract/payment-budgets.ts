import { describe, expect, test } from 'vitest';
import { confirmPayment, seedPayments, sendPayments } from '../../support/payments.ts';
import {
  type GigSeed,
  gasOfGig,
  replanOne,
  SEEDED_AT,
  sampleAttempt,
  sampleClaim,
  seedAddress,
  seedFee,
  seedGig,
  seedTips,
  seedToken,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const ALICE = { platform: 'farcaster', platformUserId: '7' } as const;
const BOB = { platform: 'farcaster', platformUserId: '8' } as const;

/** What has been used of the budgets of payments. */
export function describePaymentBudgets({ store, change, write }: Subject): void {
  const live = (overrides: GigSeed = {}) => seedGig(store, { live: true, ...overrides });
  const feeOf = async (overrides: GigSeed = {}) => (await seedFee(store, await live(overrides))).id;

  describe('what the budgets count', () => {
    test('behavior: the gas of a gig for its whole life, with the numbers that it has given', async () => {
      const gig = await live();
      await seedTips(store, gig, [ALICE, ALICE, BOB]);
      expect(await gasOfGig(store, gig.id)).toEqual({ gasUsed: 0n, tips: 3 });
      await seedPayments(store, sampleClaim(ALICE, 'a'));
      await seedPayments(store, sampleClaim(BOB, 'b'));
      await sendPayments(store, [1, 2]);
      expect(await gasOfGig(store, gig.id)).toEqual({ gasUsed: 200n, tips: 3 });
      await confirmPayment(store, 1);
      expect(await gasOfGig(store, gig.id)).toEqual({ gasUsed: 170n, tips: 3 });
      expect(await store.gasOfGigs([99])).toEqual(new Map());
    });

    test('behavior: the gas of a client’s gigs, of payments that changed since then', async () => {
      const [shop, other] = [await live(), await live()];
      const optimism = await seedToken(store, { chainId: 10 });
      const second = await live({ tokenId: optimism.id });
      await change(async (tx) => {
        for (const { id } of [shop, second]) await tx.assignGig(id, 'shop');
        await tx.assignGig(other.id, 'another');
      });
      for (const [index, gig] of [shop, other, second].entries()) {
        const { id } = await seedFee(store, gig);
        await sendPayments(store, [id], { attempt: sampleAttempt(index + 1), now: 10 * (index + 1) });
      }
      const ofFees = (fees: bigint) => ({ claims: 0n, fees });
      const gas = (since: number) => store.gasOfClient('shop', since);
      expect([await gas(0), await gas(11), await gas(30), await gas(31)]).toEqual([200n, 100n, 100n, 0n].map(ofFees));
      await confirmPayment(store, 1, { now: 40 });
      expect([await gas(0), await gas(31)]).toEqual([170n, 70n].map(ofFees));
      expect(await store.gasOfClient('another', 0)).toEqual(ofFees(100n));
      expect(await store.gasOfClient('nobody', 0)).toEqual(ofFees(0n));
    });

    test('behavior: a gig that an operator’s key made counts against no client, and a fee against no claim', async () => {
      const keys = { name: 'k', client: 'shop', createdAt: 1, expiresAt: null } as const;
      const [operators, clients] = await change(async (tx) => [
        await tx.insertApiKey({ ...keys, hash: 'a'.repeat(64), scopes: ['gigs:read', 'operator'] }),
        await tx.insertApiKey({ ...keys, hash: 'b'.repeat(64), scopes: ['gigs:write'] }),
      ]);
      const gigs = [];
      for (const key of [operators, clients]) gigs.push(await live({ client: 'shop', createdBy: key?.id ?? null }));
      for (const [index, gig] of gigs.entries()) {
        await seedTips(store, gig, [ALICE, BOB]);
        const { id } = await seedFee(store, gig);
        await sendPayments(store, [id], { nonce: index, attempt: sampleAttempt(index + 1) });
      }
      expect(await store.gasOfClient('shop', 0)).toEqual({ claims: 0n, fees: 100n });
      expect((await store.gasOfGigs([gigs[1]?.id ?? 0])).get(gigs[1]?.id ?? 0)).toMatchObject({ gasUsed: 0n });
      const { payments } = await seedPayments(store, sampleClaim(ALICE, 'a'));
      const chainId = gigs[0]?.token.chainId ?? 0;
      const query = { now: Number.MAX_SAFE_INTEGER, limit: 10 };
      const budgets = (await store.paymentCandidates(chainId, query)).map(({ client }) => client);
      expect(budgets).toEqual([null, 'shop']);
      const [first] = payments;
      if (first === undefined) throw new Error('no payment is planned');
      const delay = { reason: 'later', dueAt: 9, now: SEEDED_AT, after: { dueAt: 0, id: 0 } };
      expect(await write.delayPayments({ chainId, kind: 'client', of: 'shop' }, delay)).toBe(1);
      await sendPayments(store, [first.id], { nonce: 2, attempt: sampleAttempt(3) });
      expect(await store.gasOfClient('shop', 0)).toEqual({ claims: 0n, fees: 100n });
    });

    test('behavior: the payments in a token that failed on the chain since then', async () => {
      const usdc = await seedToken(store, { address: seedAddress(0xc), symbol: 'USDC' });
      const { token } = await live();
      const failOne = async (overrides: GigSeed, now: number, hasFailed = true) => {
        const id = await feeOf(overrides);
        await sendPayments(store, [id], { attempt: sampleAttempt(id) });
        await replanOne(write, id, { reason: 'no', dueAt: now, hasFailed, gasUsed: 1n, now });
      };
      await failOne({}, 10);
      await failOne({}, 20);
      await failOne({}, 20, false);
      await failOne({ tokenId: usdc.id }, 20);
      const failures = (since: number, tokenId = token.id) => store.failuresOfToken(tokenId, since);
      expect([await failures(0), await failures(11), await failures(20), await failures(21)]).toEqual([2, 1, 1, 0]);
      expect(await failures(0, usdc.id)).toBe(1);
    });

    test('security: one account, and one call of several payments, count once among the failures of a token', async () => {
      const gigs = [await live(), await live()];
      for (const gig of gigs) await seedTips(store, gig, [ALICE, BOB, { ...BOB, platformUserId: '9' }]);
      const failures = () => store.failuresOfToken(gigs[0]?.token.id ?? 0, 0);
      const fail = async (number: number, ids: readonly number[]) => {
        await sendPayments(store, ids, { attempt: sampleAttempt(number) });
        const failed = { reason: 'no', dueAt: 1, hasFailed: true, gasUsed: 1n, now: 1 };
        await change(async (tx) => {
          for (const id of ids) await replanOne(tx, id, failed);
        });
      };
      for (const by of [ALICE, BOB, { ...BOB, platformUserId: '9' }]) {
        await seedPayments(store, sampleClaim(by, by.platformUserId));
      }
      const [one, two] = gigs.map(({ id }) => id);
      const found = (await store.payments({ limit: 10 })).toReversed();
      const of = (gigId: number | undefined) => found.filter((payment) => payment.gigId === gigId).map(({ id }) => id);
      expect([of(one).length, of(two).length]).toEqual([3, 3]);
      await fail(1, of(one));
      expect(await failures()).toBe(1);
      const token = gigs[0]?.token.id ?? 0;
      const own = { ...ALICE, gigId: one, failures: 1, gasUsed: 1n, failedAt: 1 };
      expect(await store.accountFailures(token, 1)).toContainEqual(own);
      expect(await store.accountFailures(token, 2)).toEqual([]);
      // Alice’s in the other gig.
      await fail(2, of(two).slice(0, 1));
      expect(await failures()).toBe(2);
      await fail(3, of(one).slice(0, 1));
      expect(await failures()).toBe(3);
      const ofAlice = (await store.accountFailures(token, 0)).filter(({ platformUserId }) => platformUserId === '7');
      expect(ofAlice.map(({ gigId, failures }) => [gigId, failures])).toEqual([
        [one, 2],
        [two, 1],
      ]);
      for (const [index, id] of of(one).slice(1).entries()) await confirmPayment(store, id, { number: 4 + index });
      expect(await failures()).toBe(1);
      // What was confirmed later is no failure.
      expect(await store.accountFailures(token, 0)).toHaveLength(2);
    });

    test('behavior: a token is allowed to take more gas until that ends, and is the same token', async () => {
      const token = await seedToken(store);
      const allow = (isAllowed: boolean, id = token.id) => write.allowToken(id, isAllowed);
      expect([await allow(true), await allow(true)]).toEqual([true, false]);
      expect(await store.token(token.chainId, token.address)).toEqual(token);
      expect([await allow(false), await allow(false), await allow(true, 99)]).toEqual([true, false, false]);
    });
  });
}
