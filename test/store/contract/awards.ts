import { describe, expect, test } from 'vitest';
import type { AccountKey } from '../../../src/domain/account.ts';
import type { NewTip } from '../../../src/domain/gigs/tip.ts';
import { type GigSeed, SEEDED_AT, seedAddress, seedGig, seedToken } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const FID = { platform: 'farcaster', platformUserId: '7' } as const;

export function describeAwards({ store, openAgain, change, write }: Subject): void {
  async function seed(overrides: GigSeed = {}) {
    const gig = await seedGig(store, { live: true, ...overrides });
    const tip = (amount: bigint, account: AccountKey = FID): NewTip => {
      return { ...account, gigId: gig.id, tokenId: gig.token.id, amount, userAddress: null };
    };
    return { gig, tip };
  }

  const award = (...tips: NewTip[]) => write.insertTips(tips, SEEDED_AT);
  const awarded = async (id: number) => (await store.gig(id))?.awardedAmount;

  describe('what a gig has awarded', () => {
    test('behavior: is the exact sum of its tips, over many batches', async () => {
      const { gig, tip } = await seed();
      expect(gig.awardedAmount).toBe(0n);
      await award(tip(2n ** 255n), tip(1n));
      await award(tip(99_999_999_999_999_999_999n));
      await award();
      expect(await awarded(gig.id)).toBe(
        57896044618658097711785492504343953926634992332820282019828792003956564819968n,
      );
    });

    test('behavior: is counted for each gig of a batch, and changes nothing else of them', async () => {
      const usdc = await seedToken(store, { address: seedAddress(0xc), decimals: 6 });
      const [one, two, three] = [await seed(), await seed({ tokenId: usdc.id }), await seed()];
      await award(one.tip(1n), two.tip(20n), one.tip(300n), two.tip(4_000n));
      expect(await store.gig(one.gig.id)).toEqual({ ...one.gig, awardedAmount: 301n });
      expect(await store.gig(two.gig.id)).toEqual({ ...two.gig, awardedAmount: 4_020n });
      expect(await store.gig(three.gig.id)).toEqual(three.gig);
    });

    test('behavior: is seen inside the transaction, and grows with every one of those that come together', async () => {
      const { gig, tip } = await seed();
      const other = await openAgain();
      const all = Array.from({ length: 40 }, (_, i) =>
        (i % 2 ? store : other).transaction(async (tx) => {
          const before = (await tx.gig(gig.id))?.awardedAmount ?? 0n;
          await tx.insertTips([tip(3n), tip(4n)], 1);
          return ((await tx.gig(gig.id))?.awardedAmount ?? 0n) - before;
        }),
      );
      expect(new Set(await Promise.all(all))).toEqual(new Set([7n]));
      expect(await awarded(gig.id)).toBe(280n);
    });

    test('error: a batch that fails counts nothing', async () => {
      const { gig, tip } = await seed();
      await award(tip(5n));
      await expect(award(tip(1n), tip(-1n))).rejects.toThrow();
      await expect(award(tip(1n), { ...tip(1n), gigId: 99 })).rejects.toThrow();
      const undone = change(async (tx) => {
        await tx.insertTips([tip(1n)], 1);
        throw new RangeError('no');
      });
      await expect(undone).rejects.toThrow(new RangeError('no'));
      expect(await awarded(gig.id)).toBe(5n);
    });

    test('behavior: a batch of 500 tips to as many accounts comes back in its order', async () => {
      const { gig, tip } = await seed();
      const tips = Array.from({ length: 500 }, (_, i) =>
        tip(BigInt(i + 1), { platform: i % 2 ? 'twitter' : 'farcaster', platformUserId: String(i + 1) }),
      );
      const inserted = await award(...tips);
      expect(inserted.map(({ platformUserId }) => platformUserId)).toEqual(tips.map((one) => one.platformUserId));
      expect(await awarded(gig.id)).toBe(125_250n);
    });
  });

  describe('whether an account has a tip of a gig', () => {
    test('behavior: it has one from the gig that gave it, and from no other', async () => {
      const [one, two] = [await seed(), await seed()];
      await award(one.tip(1n), one.tip(1n));
      expect(await store.hasTip(one.gig.id, FID)).toBe(true);
      expect([await store.hasTip(two.gig.id, FID), await store.hasTip(99, FID)]).toEqual([false, false]);
    });

    test('behavior: its tips from a gig come with their amounts, up to a limit', async () => {
      const [one, two] = [await seed(), await seed()];
      await award(one.tip(1n), one.tip(2n), two.tip(4n), one.tip(8n, { ...FID, platformUserId: '8' }));
      const tips = await store.ownTips(one.gig.id, FID, 10);
      expect(tips.toSorted((a, b) => Number(a.amount - b.amount))).toEqual([
        { amount: 1n, status: 'pending', claimedAt: null },
        { amount: 2n, status: 'pending', claimedAt: null },
      ]);
      expect(await store.ownTips(one.gig.id, FID, 1)).toHaveLength(1);
      expect(await store.ownTips(99, FID, 10)).toEqual([]);
    });

    test('security: the same id on the other platform has none', async () => {
      const { gig, tip } = await seed();
      await award(tip(1n));
      expect(await store.hasTip(gig.id, { ...FID, platform: 'twitter' })).toBe(false);
      expect(await store.hasTip(gig.id, { ...FID, platformUserId: '8' })).toBe(false);
    });
  });
}
