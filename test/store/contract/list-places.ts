import { describe, expect, test } from 'vitest';
import { seedFee, seedGig, seedMention, seedToken } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const ALICE = { platform: 'farcaster', platformUserId: '7' } as const;

export function describeListPlaces({ store, write }: Subject): void {
  describe('a place in a list', () => {
    test('behavior: is the first row that came at or after a time, after the last one when none did', async () => {
      expect(await store.idSince('mentions', 5)).toBe(0);
      for (const [index, at] of [10, 20, 20, 30, 40].entries()) {
        await seedMention(store, { postId: `0x${index}` }, at);
        await seedGig(store, { createdAt: at });
      }
      for (const list of ['mentions', 'gigs'] as const) {
        const found = await Promise.all([0, 10, 11, 20, 21, 40, 41].map((at) => store.idSince(list, at)));
        expect(found).toEqual([0, 0, 2, 2, 4, 5, 6]);
      }
    });

    test('behavior: of a gig’s tips is a number', async () => {
      const gigs = [await seedGig(store, { live: true }), await seedGig(store, { live: true })];
      for (const at of [10, 20, 30]) {
        for (const { id: gigId, token } of gigs)
          await write.insertTips([{ ...ALICE, gigId, tokenId: token.id, amount: 1n, userAddress: null }], at);
      }
      const gigId = gigs[1]?.id ?? 0;
      expect(await Promise.all([10, 11, 30, 31].map((at) => store.tipNumberSince(gigId, at)))).toEqual([0, 1, 2, 3]);
      const numbers = async (page: { after?: number; before?: number }) =>
        (await store.tipsOfGig(gigId, { limit: 2, ...page })).map(({ number }) => number);
      expect([await numbers({}), await numbers({ after: -1 }), await numbers({ after: 1 })]).toEqual([
        [2, 1],
        [0, 1],
        [2],
      ]);
    });
  });

  describe('payments', () => {
    test('behavior: are listed from either end, and summed for each token up to a number of them', async () => {
      const other = await seedToken(store, { symbol: 'OTHER', chainId: 10 });
      const gigs = [await seedGig(store, { live: true }), await seedGig(store, { live: true, tokenId: other.id })];
      for (const gig of [...gigs, await seedGig(store, { live: true })]) await seedFee(store, gig);
      await write.failPayment(3, { reason: 'refused', now: 1 });
      const ids = async (query: Parameters<typeof store.payments>[0]) =>
        (await store.payments(query)).map(({ id }) => id);
      expect([await ids({ limit: 2 }), await ids({ limit: 2, after: 0 })]).toEqual([
        [3, 2],
        [1, 2],
      ]);
      expect(await ids({ limit: 2, after: 1, state: 'planned' })).toEqual([2]);
      const sum = async (query: Partial<Parameters<typeof store.paymentSums>[0]>) => {
        const { sums, isWhole } = await store.paymentSums({ limit: 5, from: 0, ...query });
        return [isWhole, ...sums.map(({ token, count, amount }) => [token.symbol, count, amount])];
      };
      const fee = 5n * 10n ** 18n;
      expect(await sum({})).toEqual([true, ['OTHER', 1, fee], ['DEGEN', 2, 2n * fee]]);
      expect(await sum({ state: 'planned', from: 2 })).toEqual([true, ['OTHER', 1, fee]]);
      expect(await sum({ before: 3, limit: 1 })).toEqual([false, ['OTHER', 1, fee]]);
    });
  });
}
