import { describe, expect, test } from 'vitest';
import {
  SEEDED_AT,
  sampleClaim,
  samplePayment,
  seedAddress,
  seedClaim,
  seedConfirmed,
  seedGig,
  seedHash,
  seedTips,
  seedToken,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const FID = { platform: 'farcaster', platformUserId: '7' } as const;
const X_ID = { platform: 'twitter', platformUserId: '7' } as const;

export function describeTips({ store, change, write }: Subject): void {
  const label = (platformUserId: string, username: string) =>
    write.setUsername({ platform: 'twitter', platformUserId, username }, 1);
  const idsOf = async (...identifiers: Parameters<Subject['store']['pendingTips']>[0]) =>
    (await store.pendingTips(identifiers)).tips.map(({ id }) => id);

  describe('tips', () => {
    test('behavior: a tip comes back as it was inserted', async () => {
      const gig = await seedGig(store, { live: true });
      const userAddress = seedAddress(0xabc);
      const [inserted] = await seedTips(store, gig, [{ ...FID, amount: 2n ** 200n, userAddress }]);
      const { tips, tokens } = await store.pendingTips([FID]);
      expect(tips).toEqual([inserted]);
      expect(inserted).toEqual({
        id: 1,
        createdAt: SEEDED_AT,
        gigId: 1,
        number: 0,
        tokenId: gig.token.id,
        amount: 2n ** 200n,
        status: 'pending',
        platform: 'farcaster',
        platformUserId: '7',
        username: null,
        userAddress: '0x0000000000000000000000000000000000000abc',
        txHash: null,
        claimedAt: null,
        claimNonce: null,
        claimStartedAt: null,
        lockTimeout: null,
      });
      expect(tokens).toEqual(new Map([[gig.token.id, gig.token]]));
    });

    test('behavior: the tips of a gig are paged by their numbers, the highest first, with what became of them', async () => {
      const gig = await seedGig(store, { live: true });
      const other = await seedGig(store, { live: true });
      await seedTips(store, gig, [X_ID]);
      await seedClaim(store, sampleClaim(X_ID, 'paid'));
      await seedConfirmed(store, 1, { hash: seedHash(1) });
      await seedTips(store, gig, [FID, FID]);
      await seedTips(store, other, [FID]);
      await write.voidTip(2, { reason: 'spam', now: 5 });
      const page = await store.tipsOfGig(gig.id, { limit: 2 });
      expect(page.map(({ id, number }) => `${id}: ${number}`)).toEqual(['3: 2', '2: 1']);
      expect(page[1]).toMatchObject({ status: 'pending', voidedAt: 5, voidReason: 'spam', recipient: null });
      const rest = await store.tipsOfGig(gig.id, { limit: 2, before: 1 });
      expect(rest).toMatchObject([{ id: 1, status: 'claimed', txHash: seedHash(1), recipient: seedAddress(0xcafe) }]);
    });

    test('behavior: the sums of a gig have its fee, also one that failed, and no payouts', async () => {
      const gig = await seedGig(store, { live: true });
      await seedTips(store, gig, [FID, X_ID]);
      await seedClaim(store, sampleClaim(FID, 'paid'));
      await seedConfirmed(store, 1, { hash: seedHash(1), gasUsed: 70_000n });
      await change(async (tx) => {
        await tx.voidTip(2, { reason: 'spam', now: 5 });
        await tx.planPayment(samplePayment(gig), { now: 6, tipIds: [] });
        await tx.failPayment(2, { reason: 'no', now: 7 });
        await tx.planPayment(samplePayment(gig), { now: 8, tipIds: [] });
      });
      const sums = await store.gigSums(gig.id);
      expect(sums).toMatchObject({ paid: 10n ** 18n, voided: 10n ** 18n, gasUsed: 70_000n });
      expect(sums?.gig.awardedAmount).toBe(10n ** 18n);
      const others = sums?.payments.map(({ id, kind, state }) => `${id} ${kind} ${state}`);
      expect(others).toEqual(['2 fee failed', '3 fee planned']);
      expect(await store.gigSums(987)).toBeNull();
    });

    test('behavior: nobody’s tips are an empty answer', async () => {
      const none = await store.pendingTips([FID, { platform: 'twitter', handle: 'nobody' }]);
      expect(none).toEqual({ tips: [], tokens: new Map() });
      expect(await idsOf()).toEqual([]);
    });

    test('behavior: many accounts are found together, oldest tip first, then by id', async () => {
      const gig = await seedGig(store, { live: true });
      await label('8', 'Carol');
      const [a, b, c, d] = await seedTips(store, gig, [
        { ...FID, createdAt: 30 },
        { platform: 'twitter', platformUserId: '8', createdAt: 10 },
        { ...X_ID, createdAt: 30 },
        { ...FID, createdAt: 20 },
      ]);
      await seedTips(store, gig, [{ platform: 'farcaster', platformUserId: '9' }]);
      const found = await idsOf(X_ID, FID, { platform: 'twitter', handle: 'carol' });
      expect(found).toEqual([b?.id, d?.id, a?.id, c?.id]);
    });

    test('behavior: the same number on two platforms is two accounts', async () => {
      const gig = await seedGig(store, { live: true });
      const [onFarcaster, onX] = await seedTips(store, gig, [FID, X_ID]);
      expect(await idsOf(FID)).toEqual([onFarcaster?.id]);
      expect(await idsOf(X_ID)).toEqual([onX?.id]);
    });

    test('behavior: an id and the handle it holds give each tip once', async () => {
      const gig = await seedGig(store, { live: true });
      await label('7', 'Dave');
      const [tip] = await seedTips(store, gig, [X_ID]);
      expect(await idsOf(X_ID, { platform: 'twitter', handle: 'dave' }, X_ID)).toEqual([tip?.id]);
    });

    test('behavior: every token behind the tips is there', async () => {
      const usdc = await seedToken(store, { address: seedAddress(0xc), symbol: 'USDC', decimals: 6 });
      const first = await seedGig(store, { live: true });
      const second = await seedGig(store, { live: true, tokenId: usdc.id });
      await seedTips(store, first, [FID]);
      await seedTips(store, second, [FID]);
      const { tokens } = await store.pendingTips([FID]);
      expect([...tokens.values()].map(({ symbol }) => symbol).sort()).toEqual(['DEGEN', 'USDC']);
    });

    test('security: tips stay with the account when its handle moves to another', async () => {
      const gig = await seedGig(store, { live: true });
      await label('7', 'rich');
      const [tip] = await seedTips(store, gig, [X_ID]);
      await label('8', 'rich');
      expect(await idsOf({ platform: 'twitter', handle: 'rich' })).toEqual([]);
      expect(await idsOf(X_ID)).toEqual([tip?.id]);
      await label('7', 'renamed');
      expect(await idsOf({ platform: 'twitter', handle: 'renamed' })).toEqual([tip?.id]);
    });

    test('security: a Farcaster name is no X handle', async () => {
      const gig = await seedGig(store, { live: true });
      await write.setUsername({ ...FID, username: 'eve' }, 1);
      await seedTips(store, gig, [FID]);
      expect(await idsOf({ platform: 'twitter', handle: 'eve' })).toEqual([]);
    });

    test('behavior: a tip shows the label that its account has now', async () => {
      const gig = await seedGig(store, { live: true });
      await label('7', 'Old');
      const [inserted] = await seedTips(store, gig, [X_ID]);
      await label('7', 'New');
      const { tips } = await store.pendingTips([X_ID]);
      expect([inserted?.username, tips[0]?.username]).toEqual(['Old', 'New']);
    });

    test('behavior: a transaction sees its own tips, others only after the commit', async () => {
      const gig = await seedGig(store, { live: true });
      const tip = { ...FID, gigId: gig.id, tokenId: gig.token.id, amount: 1n, userAddress: null };
      const inside = await change(async (tx) => {
        await tx.insertTips([tip, tip], 1);
        return (await tx.pendingTips([FID])).tips.length;
      });
      expect(inside).toBe(2);
      expect(await idsOf(FID)).toHaveLength(2);
    });

    test('error: tips are inserted all or none', async () => {
      const gig = await seedGig(store, { live: true });
      const tip = { ...FID, gigId: gig.id, tokenId: gig.token.id, amount: 1n, userAddress: null };
      const bad = [
        { ...tip, amount: -1n },
        { ...tip, gigId: 99 },
        { ...tip, tokenId: 99 },
        { ...tip, platformUserId: 'x' },
      ];
      for (const wrong of bad) {
        await expect(write.insertTips([tip, wrong], 1)).rejects.toThrow();
      }
      expect(await idsOf(FID)).toEqual([]);
    });

    test('behavior: look-ups of one turn answer each caller its own', async () => {
      const gig = await seedGig(store, { live: true });
      const accounts = Array.from({ length: 20 }, (_, i) => ({ ...FID, platformUserId: `${i + 1}` }));
      const tips = await seedTips(store, gig, accounts);
      const found = await Promise.all(accounts.map((account) => idsOf(account)));
      expect(found).toEqual(tips.map(({ id }) => [id]));
    });
  });
}
