import { describe, expect, test } from 'vitest';
import { SEEDED_AT, seedAddress, seedGig, seedToken } from '../../support/store.ts';
import { OTHER_TERMS } from './gig-terms.ts';
import type { Subject } from './subject.ts';

const OWNER = { platform: 'farcaster', platformUserId: '5' } as const;
const WINDOW = { startTime: SEEDED_AT, endTime: SEEDED_AT + 86_400_000 };

export function describeGigs({ store, openAgain, change, write }: Subject): void {
  const lock = (id: number, holder: string, now: number, until = now + 100) =>
    write.lockGig(id, { holder, now, until });
  const unlock = (id: number, holder: string) => write.unlockGig(id, holder);
  const goLive = (id: number, holder: string) => write.markLive(id, { holder, ...WINDOW });

  describe('tokens', () => {
    test('behavior: a token is kept once for each chain and address, as it was first seen', async () => {
      const first = await seedToken(store, { name: 'First' });
      const again = await seedToken(store, { name: 'Second', decimals: 6 });
      const elsewhere = await seedToken(store, { name: 'Third', chainId: 10 });
      expect(again).toEqual(first);
      expect(first).toEqual({
        id: first.id,
        createdAt: 1_767_225_600_000,
        address: '0x4ed4e862860bed51a9570b96d89af5e1b0efefed',
        chainId: 8453,
        decimals: 18,
        name: 'First',
        symbol: 'DEGEN',
        imageUrl: '',
        isNative: false,
        coingeckoId: null,
      });
      expect(elsewhere.id).not.toBe(first.id);
    });

    test('behavior: a token is found by its chain and address', async () => {
      const token = await seedToken(store);
      expect(await store.token(8453, token.address)).toEqual(token);
      expect(await store.token(10, token.address)).toBeNull();
      expect(await store.token(8453, seedAddress(1))).toBeNull();
    });

    test('error: an address that is not lower case is refused, because it would be a second token', async () => {
      const address = '0x4ED4E862860BED51A9570B96D89AF5E1B0EFEFED';
      await expect(seedToken(store, { address })).rejects.toThrow();
    });
  });

  describe('gigs', () => {
    test('behavior: a gig comes back as it was inserted, with its token and its wallet', async () => {
      const token = await seedToken(store);
      const same = { ...OTHER_TERMS, feeAmount: 0n, title: null, start: 'on_request' } as const;
      const terms = { ...same, tokenId: token.id };
      const inserted = await write.insertGig(terms, { now: 500, walletAddress: seedAddress });
      expect(inserted).toEqual({
        ...same,
        id: 1,
        createdAt: 500,
        status: 'created',
        production: false,
        token,
        walletAddress: '0x0000000000000000000000000000000000000001',
        awardedAmount: 0n,
        reservedAmount: 0n,
        startUntil: null,
        startRefusal: null,
        client: null,
        createdBy: null,
        createdBlock: null,
        transactionId: null,
        wentLiveAt: null,
        stoppedAt: null,
        settledAt: null,
        cancelledAt: null,
        refundTo: null,
        refundedAt: null,
      });
      expect([await store.gig(1), await store.gig(2)]).toEqual([inserted, null]);
    });

    test('behavior: ids go up and every wallet derives from its own', async () => {
      const ids = [];
      for (let i = 0; i < 3; i++) ids.push((await seedGig(store)).id);
      expect(ids).toEqual([1, 2, 3]);
      expect((await store.gig(3))?.walletAddress).toBe('0x0000000000000000000000000000000000000003');
    });

    test('error: a gig of an unknown token, a negative amount, or a window that is not its duration is refused', async () => {
      await expect(seedGig(store, { tokenId: 99 })).rejects.toThrow();
      await expect(seedGig(store, { rewardAmount: -1n })).rejects.toThrow();
      await expect(seedGig(store, { startTime: 10, duration: 5, endTime: 16 })).rejects.toThrow();
    });

    test('security: two gigs never share a wallet', async () => {
      await seedGig(store, { walletAddress: () => seedAddress(7) });
      await expect(seedGig(store, { walletAddress: () => seedAddress(7) })).rejects.toThrow();
    });

    test('behavior: an owner is added once, also to a live gig', async () => {
      const gig = await seedGig(store, { live: true });
      const add = (gigId: number) => write.addGigOwner(gigId, OWNER, 1);
      expect(await store.ownsGig(gig.id, OWNER)).toBe(false);
      expect([await add(gig.id), await add(gig.id), await add(99)]).toEqual([true, false, false]);
      expect([await store.ownsGig(gig.id, OWNER), await store.ownsGig(99, OWNER)]).toEqual([true, false]);
    });

    test('behavior: owners come in the order in which they were added, under the handles they hold now', async () => {
      const onX = { platform: 'twitter', platformUserId: '9' } as const;
      const others = [onX, { platform: 'farcaster', platformUserId: '1' }];
      const gig = await seedGig(store, { owners: [OWNER, ...others] });
      const late = { platform: 'farcaster', platformUserId: '3' } as const;
      await change(async (tx) => {
        await tx.setUsername({ ...OWNER, username: 'Carol' }, 1);
        await tx.addGigOwner(gig.id, late, 1);
        await tx.addGigOwner(gig.id, OWNER, 2);
        await tx.setUsername({ ...late, username: 'carol' }, 3);
      });
      expect(await store.gigOwners(gig.id)).toEqual([
        { platform: 'farcaster', platformUserId: '5', username: null },
        { platform: 'twitter', platformUserId: '9', username: null },
        { platform: 'farcaster', platformUserId: '1', username: null },
        { platform: 'farcaster', platformUserId: '3', username: 'carol' },
      ]);
      expect(await store.gigOwners(99)).toEqual([]);
    });

    test('security: the same id on the other platform owns nothing', async () => {
      const gig = await seedGig(store, { owners: [OWNER] });
      expect(await store.ownsGig(gig.id, { ...OWNER, platform: 'twitter' })).toBe(false);
    });

    test('behavior: one of many accounts owns a gig', async () => {
      const gig = await seedGig(store, { owners: [OWNER] });
      const others = Array.from({ length: 100 }, (_, place) => ({ ...OWNER, platformUserId: String(9_000 + place) }));
      const looks = [others, [...others, OWNER], [{ ...OWNER, platform: 'twitter' }], [OWNER], []];
      const owned = looks.map((accounts) => store.isOwnedByAny(gig.id, accounts));
      expect(await Promise.all(owned)).toEqual([false, true, false, true, false]);
      expect(await store.isOwnedByAny(99, [OWNER])).toBe(false);
    });
  });

  describe('starting a gig', () => {
    test('behavior: one holder at a time, until it gives the lock back or its lease ends', async () => {
      const { id } = await seedGig(store);
      expect([await lock(id, 'a', 1_000), await lock(id, 'b', 1_099)]).toEqual([true, false]);
      expect([await lock(id, 'a', 1_050, 1_200), await lock(id, 'b', 1_199)]).toEqual([true, false]);
      expect([await unlock(id, 'b'), await unlock(id, 'a')]).toEqual([false, true]);
      expect(await unlock(id, 'a')).toBe(false);
      expect([await lock(id, 'b', 1_199), await lock(id, 'c', 1_299)]).toEqual([true, true]);
      expect(await unlock(id, 'b')).toBe(false);
    });

    test('security: a lock is taken over from the same request only, and its earlier holder can free it no more', async () => {
      const { id } = await seedGig(store);
      const takeOver = (holder: string, takesOver: string) =>
        write.lockGig(id, { holder, takesOver, now: 20, until: 120 });
      expect(await lock(id, 'mention:7:first', 10)).toBe(true);
      expect(await takeOver('mention:71:other', 'mention:71:')).toBe(false);
      expect(await takeOver('first', 'first')).toBe(false);
      expect(await takeOver('mention:7:second', 'mention:7:')).toBe(true);
      expect(await unlock(id, 'mention:7:first')).toBe(false);
      expect(await goLive(id, 'mention:7:first')).toBe(false);
      expect(await goLive(id, 'mention:7:second')).toBe(true);
    });

    test('behavior: of many who lock at once, through two stores, exactly one gets it', async () => {
      const { id } = await seedGig(store);
      const other = await openAgain();
      const all = Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? store : other).transaction((tx) => tx.lockGig(id, { holder: `h${i}`, now: 1, until: 100 })),
      );
      expect((await Promise.all(all)).filter((locked) => locked)).toEqual([true]);
    });

    test('behavior: going live takes the lock, sets the window and gives the lock back', async () => {
      const { id } = await seedGig(store, { startTime: 1_000, duration: 86_400_000 });
      expect(await goLive(id, 'a')).toBe(false);
      await lock(id, 'a', 1_000);
      expect(await goLive(id, 'b')).toBe(false);
      expect((await store.gig(id))?.status).toBe('created');
      expect(await goLive(id, 'a')).toBe(true);
      expect(await store.gig(id)).toMatchObject({ status: 'live', production: true, ...WINDOW });
      expect(await goLive(id, 'a')).toBe(false);
      expect(await unlock(id, 'a')).toBe(false);
    });

    test('behavior: a live gig cannot be locked, nor one that is not there', async () => {
      const { id } = await seedGig(store, { live: true });
      expect([await lock(id, 'a', 1_000), await lock(99, 'a', 1_000)]).toEqual([false, false]);
    });

    test('behavior: what a start booked comes back exactly', async () => {
      const { id, token } = await seedGig(store);
      const transaction = {
        gigId: id,
        tokenId: token.id,
        chainId: 8453,
        amount: 100_000_000_000_000_000_001n,
        commissionAmount: 5_000_000_000_000_000_003n,
        blockNumber: 2n ** 63n,
        checkBlock: 2n ** 63n + 5n,
      };
      expect(await store.gigTransactions(id)).toEqual([]);
      const seen = await change(async (tx) => {
        await tx.recordGigTransaction(transaction, 9);
        return (await tx.gig(id))?.transactionId;
      });
      expect(await store.gigTransactions(id)).toEqual([transaction]);
      expect(seen).toBe(1);
      expect((await store.gig(id))?.transactionId).toBe(1);
      expect((await seedGig(store)).transactionId).toBeNull();
    });

    test('behavior: a look at the funding is put off from one block to a later one, until it is done', async () => {
      const { id, token } = await seedGig(store);
      const [seen, later] = [2n ** 63n, 2n ** 63n + 12n];
      const start = { gigId: id, tokenId: token.id, chainId: 8453, amount: 1n, commissionAmount: 0n };
      await write.recordGigTransaction({ ...start, blockNumber: seen, checkBlock: seen }, 9);
      const postpone = (from: bigint, to: bigint) => write.postponeFundingCheck(id, { from, to });
      expect(await store.fundingsToCheck(8453)).toEqual([{ gigId: id, blockNumber: seen, checkBlock: seen }]);
      expect([await postpone(seen, later), await postpone(seen, later + 1n)]).toEqual([true, false]);
      expect(await store.fundingsToCheck(8453)).toEqual([{ gigId: id, blockNumber: seen, checkBlock: later }]);
      expect(await store.fundingsToCheck(1)).toEqual([]);
      const done = () => write.markFundingChecked(id);
      expect([await done(), await done(), await postpone(later, later + 1n)]).toEqual([true, false, false]);
      expect(await store.fundingsToCheck(8453)).toEqual([]);
    });

    test('behavior: a reserved id goes to no other gig, and back at most while it is the newest and has none', async () => {
      const reserve = () => write.reserveGigId();
      const release = (id: number) => write.releaseGigId(id);
      const [first, second] = [await reserve(), await reserve()];
      expect([first, second]).toEqual([1, 2]);
      const { id, token, ...gig } = await seedGig(store);
      expect(id).toBe(3);
      expect([await release(first), await release(id)]).toEqual([false, false]);
      const terms = { ...gig, tokenId: token.id };
      const options = { now: 1, walletAddress: seedAddress, id: second };
      expect(await write.insertGig(terms, options)).toMatchObject({ id: 2 });
      await expect(write.insertGig(terms, options)).rejects.toThrow();
      const fourth = await reserve();
      expect(fourth).toBe(4);
      // An engine that makes no transaction wait for another takes none back.
      const next = (await release(fourth)) ? 4 : 5;
      expect(await reserve()).toBe(next);
      expect((await seedGig(store)).id).toBe(next + 1);
    });

    test('behavior: ids go on after the highest that was given, in whatever order ids were given', async () => {
      const { id: _, token, ...gig } = await seedGig(store);
      const terms = { ...gig, tokenId: token.id };
      const insert = (id: number) => write.insertGig(terms, { now: 1, walletAddress: seedAddress, id });
      for (const id of [41, 7]) expect((await insert(id)).id).toBe(id);
      expect((await seedGig(store)).id).toBe(42);
      const others = Array.from({ length: 10 }, () => write.reserveGigId());
      const ids = await Promise.all([insert(90).then(({ id }) => id), ...others]);
      expect(new Set(ids).size).toBe(11);
      expect((await seedGig(store)).id).toBeGreaterThan(Math.max(...ids));
    });

    test('error: a second booking of the same start is refused', async () => {
      const { id, token } = await seedGig(store);
      const start = { gigId: id, tokenId: token.id, chainId: 8453, amount: 1n, commissionAmount: 1n };
      const transaction = { ...start, blockNumber: 1n, checkBlock: null };
      const book = () => write.recordGigTransaction(transaction, 9);
      await book();
      await expect(book()).rejects.toThrow();
      expect(await store.gigTransactions(id)).toHaveLength(1);
    });
  });
}
