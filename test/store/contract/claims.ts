import { describe, expect, test } from 'vitest';
import type { AccountKey } from '../../../src/domain/account.ts';
import { CLAIM_SOURCES, type Claim } from '../../../src/domain/claims/claim.ts';
import type { Store } from '../../../src/store/port/index.ts';
import {
  planPayouts,
  SEEDED_AT,
  sampleClaim,
  seedAddress,
  seedClaim,
  seedGig,
  seedTips,
  seedToken,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const FID = { platform: 'farcaster', platformUserId: '7' } as const;
const X_ID = { platform: 'twitter', platformUserId: '7' } as const;

export function describeClaims({ store, openAgain, change, write }: Subject): void {
  const insert = (...args: Parameters<typeof sampleClaim>) => write.insertClaim(sampleClaim(...args));
  const take = (claim: Claim, now = 50) => write.takeTips(claim, { now, lockTimeout: now + 1_000 });
  const pendingOf = async (account: AccountKey) => (await store.pendingTips([account])).tips;

  describe('claims', () => {
    test('behavior: a claim comes back as it was inserted, by its id, its public id and its post', async () => {
      const claim = await insert(FID, '0xc1');
      expect(claim).toEqual({
        id: 1,
        publicId: 'claim-0xc1',
        platform: 'farcaster',
        platformUserId: '7',
        postId: '0xc1',
        source: 'mention',
        recipient: '0x000000000000000000000000000000000000cafe',
        createdAt: SEEDED_AT,
      });
      expect(await store.claim(1)).toEqual(claim);
      expect(await store.claimByPost('farcaster', '0xc1')).toEqual(claim);
      expect(await store.claimByPost('twitter', '0xc1')).toBeNull();
      expect(await store.claimByPublicId('claim-0xc1')).toEqual(claim);
      expect(await store.claimByPublicId('claim-0xc2')).toBeNull();
      expect(await store.claim(2)).toBeNull();
    });

    test.each(CLAIM_SOURCES)('behavior: a claim keeps that it came by %s', async (source) => {
      const claim = await insert(FID, '0xc1', { source });
      expect(claim.source).toBe(source);
      expect(await store.claim(claim.id)).toEqual(claim);
    });

    test('behavior: a tip’s claim is that of its last planned payment', async () => {
      const gig = await seedGig(store, { live: true });
      await seedTips(store, gig, [FID, X_ID]);
      expect(await store.claimOfTip(1)).toBeNull();
      const { claim } = await seedClaim(store, sampleClaim(FID, '0xc1'));
      expect([await store.claimOfTip(1), await store.claimOfTip(2)]).toEqual([claim, null]);
      expect(await store.claimOfTip(9)).toBeNull();
    });

    test('security: a post is one claim for ever; the same number on another platform is another post', async () => {
      await insert(FID, '99');
      await expect(insert(FID, '99', { publicId: 'another' })).rejects.toThrow();
      await expect(insert({ ...FID, platformUserId: '8' }, '99', { publicId: 'another' })).rejects.toThrow();
      await expect(insert(X_ID, '99')).rejects.toThrow();
      const onX = await insert(X_ID, '99', { publicId: 'another' });
      expect((await store.claims({ limit: 10 })).map(({ id }) => id)).toEqual([onX.id, 1]);
    });

    test('error: a recipient is an address in lower case, an account a number', async () => {
      await expect(insert(FID, 'a', { recipient: '0xABC' })).rejects.toThrow();
      await expect(insert(FID, 'a', { recipient: '0x000000000000000000000000000000000000CAFE' })).rejects.toThrow();
      await expect(insert({ ...FID, platformUserId: 'alice' }, 'a')).rejects.toThrow();
      expect(await store.claims({ limit: 10 })).toEqual([]);
    });

    test('behavior: lists go back from the newest, of everybody or of one account', async () => {
      for (const post of ['1', '2', '3']) await insert(FID, post);
      await insert(X_ID, '4');
      const ids = async (query: Parameters<Store['claims']>[0]) => (await store.claims(query)).map(({ id }) => id);
      expect(await ids({ limit: 2 })).toEqual([4, 3]);
      expect(await ids({ limit: 2, before: 3 })).toEqual([2, 1]);
      expect(await ids({ limit: 2, account: FID })).toEqual([3, 2]);
      expect(await ids({ limit: 2, account: FID, before: 2 })).toEqual([1]);
      expect(await ids({ limit: 2, account: X_ID })).toEqual([4]);
      expect(await ids({ limit: 2, account: { ...X_ID, platformUserId: '1' } })).toEqual([]);
    });

    test('security: nobody is paid at a stored token or a gig’s wallet', async () => {
      const gig = await seedGig(store, { live: true });
      await seedToken(store, { chainId: 10, address: seedAddress(0xdead) });
      expect(await store.isOwnAddress(gig.walletAddress)).toBe(true);
      expect(await store.isOwnAddress(gig.token.address)).toBe(true);
      expect(await store.isOwnAddress(seedAddress(0xdead))).toBe(true);
      expect(await store.isOwnAddress(seedAddress(0xcafe))).toBe(false);
    });
  });

  describe('the tips of a claim', () => {
    test('behavior: are all that its account has pending, oldest first, and say so', async () => {
      const gig = await seedGig(store, { live: true });
      await write.setUsername({ ...FID, username: 'Alice' }, 1);
      const [late, early] = await seedTips(store, gig, [
        { ...FID, createdAt: 20 },
        { ...FID, createdAt: 10, userAddress: seedAddress(0xb) },
      ]);
      const [other] = await seedTips(store, gig, [X_ID]);
      const taken = await take(await insert(FID, 'p'));
      const held = {
        username: 'Alice',
        userAddress: '0x000000000000000000000000000000000000cafe',
        claimNonce: 'claim-p',
        claimStartedAt: 50,
        lockTimeout: 1_050,
      };
      expect(taken).toEqual([
        { ...early, ...held },
        { ...late, ...held },
      ]);
      expect(await pendingOf(FID)).toEqual(taken);
      expect(await pendingOf(X_ID)).toEqual([other]);
    });

    test('security: are in no other claim; what is earned later is for the next', async () => {
      const gig = await seedGig(store, { live: true });
      const [first] = await seedTips(store, gig, [FID]);
      const claim = await insert(FID, 'p1');
      expect((await take(claim)).map(({ id }) => id)).toEqual([first?.id]);
      expect(await take(claim)).toEqual([]);
      const [second] = await seedTips(store, gig, [FID]);
      const next = await insert(FID, 'p2');
      expect((await take(next, 60)).map(({ id }) => id)).toEqual([second?.id]);
      expect((await pendingOf(FID)).map(({ claimNonce }) => claimNonce)).toEqual(['claim-p1', 'claim-p2']);
    });

    test('behavior: are free again when the transaction fails', async () => {
      const gig = await seedGig(store, { live: true });
      const tips = await seedTips(store, gig, [FID]);
      const failed = change(async (tx) => {
        await tx.takeTips(await tx.insertClaim(sampleClaim(FID, 'p')), { now: 1, lockTimeout: 2 });
        throw new Error('no');
      });
      await expect(failed).rejects.toThrow('no');
      expect(await pendingOf(FID)).toEqual(tips);
      expect(await store.claimByPost('farcaster', 'p')).toBeNull();
    });

    test('security: claims that race for them get each tip once, and pay it once', async () => {
      const gig = await seedGig(store, { live: true });
      const second = await seedGig(store, { live: true });
      const other = await openAgain();
      const race = Array.from({ length: 30 }, async (_, i) => {
        const by = i % 2 ? store : other;
        await seedTips(by, i % 3 ? gig : second, [{ ...FID, amount: 10n ** BigInt(i) }]);
        return await seedClaim(by, sampleClaim(FID, `p${i}`), i);
      });
      const claims = await Promise.all(race);
      await seedClaim(store, sampleClaim(FID, 'last'), 99);
      const taken = claims.flatMap(({ tips }) => tips.map(({ id }) => id));
      expect(new Set(taken).size).toBe(taken.length);
      const all = await pendingOf(FID);
      expect(all).toHaveLength(30);
      expect(all.every(({ claimNonce }) => claimNonce !== null)).toBe(true);
      const payouts = await store.payments({ limit: 100, kind: 'payout' });
      // One digit for each tip.
      expect(payouts.reduce((sum, { amount }) => sum + amount, 0n)).toBe(111_111_111_111_111_111_111_111_111_111n);
    });

    test('security: cannot be planned by a claim of another account', async () => {
      const gig = await seedGig(store, { live: true });
      await seedTips(store, gig, [FID]);
      const tips = await take(await insert(FID, 'mine'));
      const thief = await insert(X_ID, 'theirs');
      await expect(change((tx) => planPayouts(tx, thief, tips))).rejects.toThrow(RangeError);
    });
  });
}
