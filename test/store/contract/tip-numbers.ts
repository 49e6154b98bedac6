import { describe, expect, test } from 'vitest';
import { type NewTip, OTHER_NUMBERS, otherNumber } from '../../../src/domain/gigs/tip.ts';
import type { Store } from '../../../src/store/port/index.ts';
import {
  SEEDED_AT,
  sampleAttempt,
  sampleClaim,
  seedClaim,
  seedConfirmed,
  seedGig,
  seedHash,
  seedSent,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const FID = { platform: 'farcaster', platformUserId: '7' } as const;
const OTHER = { platform: 'farcaster', platformUserId: '8' } as const;

export function describeTipNumbers({ store, openAgain, change, write }: Subject): void {
  async function seed() {
    const gig = await seedGig(store, { live: true });
    const tip: NewTip = { ...FID, gigId: gig.id, tokenId: gig.token.id, amount: 1n, userAddress: null };
    return { id: gig.id, tip, ofOther: { ...tip, ...OTHER } };
  }

  /** The numbers that these tips get when they are inserted in one call. */
  async function give(tips: readonly NewTip[], by: Store = store): Promise<number[]> {
    const inserted = await by.transaction((tx) => tx.insertTips(tips, SEEDED_AT));
    return inserted.map(({ number }) => number);
  }
  const renumber = (tipId: number) => write.renumberTip(tipId);
  const skip = (gigId: number, next: number) => write.skipTipNumbers(gigId, next);
  const numberOf = async (tipId: number) => (await store.tip(tipId))?.number;
  const pay = (id: number) => seedConfirmed(store, id, { hash: seedHash(1), now: 2 });

  describe('the numbers of tips', () => {
    test('behavior: count from 0 in each gig, in the order of the tips, over many calls', async () => {
      const [one, two] = [await seed(), await seed()];
      expect(await give([one.tip, two.tip, two.ofOther, one.ofOther, two.tip])).toEqual([0, 0, 1, 1, 2]);
      expect(await give([])).toEqual([]);
      expect(await give([two.tip, one.tip])).toEqual([3, 2]);
    });

    test('behavior: a batch of 500 tips gets consecutive ones', async () => {
      const { tip } = await seed();
      expect(await give([tip])).toEqual([0]);
      const batch = Array.from({ length: 500 }, (_, i) => ({ ...tip, platformUserId: String(i + 1) }));
      expect(await give(batch)).toEqual(Array.from({ length: 500 }, (_, i) => i + 1));
      expect(await give([tip])).toEqual([501]);
    });

    test('behavior: every look at a tip shows its number', async () => {
      const { tip } = await seed();
      await give([tip, tip]);
      expect((await store.pendingTips([FID])).tips.map(({ number }) => number)).toEqual([0, 1]);
      const { tips, payouts } = await seedClaim(store, sampleClaim(FID, 'p'));
      expect(tips.map(({ number }) => number)).toEqual([0, 1]);
      const payout = payouts[0]?.id ?? 0;
      expect((await store.tipsOfPayment(payout)).map(({ number }) => number)).toEqual([0, 1]);
      expect([await numberOf(1), await numberOf(2)]).toEqual([0, 1]);
    });

    test('security: differ for tips that come together, from one connection and from another', async () => {
      const { id, tip } = await seed();
      const other = await openAgain();
      const all = Array.from({ length: 40 }, (_, i) => give([tip, tip, tip], i % 2 ? store : other));
      const given = (await Promise.all(all)).flat();
      expect(given.sort((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, i) => i));
      expect((await store.pendingTips([FID])).tips.every(({ gigId }) => gigId === id)).toBe(true);
    });

    test('security: a transaction that is rolled back gives none, and the next tip gets what it would have got', async () => {
      const { tip } = await seed();
      expect(await give([tip])).toEqual([0]);
      const undone = change(async (tx) => {
        const inserted = await tx.insertTips([tip, tip], 1);
        throw new RangeError(inserted.map(({ number }) => number).join());
      });
      await expect(undone).rejects.toThrow(new RangeError('1,2'));
      expect(await give([tip])).toEqual([1]);
    });

    test('security: a batch that fails gives none and inserts none, even if its transaction goes on', async () => {
      const { id, tip } = await seed();
      const insert = (tips: readonly NewTip[]) =>
        change(async (tx) => {
          await tx.insertTips(tips, 1).catch(() => []);
          await tx.insertTips([tip], 1);
        });
      await expect(insert([tip, { ...tip, amount: -1n }])).rejects.toThrow();
      const problem = new RangeError('there is no gig 99 to award tips from');
      await expect(insert([tip, { ...tip, gigId: 99 }])).rejects.toThrow(problem);
      expect(await give([tip])).toEqual([0]);
      expect((await store.pendingTips([FID])).tips).toHaveLength(1);
      expect((await store.gig(id))?.awardedAmount).toBe(1n);
    });

    test('security: the number of a void tip is not given again', async () => {
      const { tip } = await seed();
      await give([tip, tip]);
      expect(await write.voidTip(2, { reason: 'a mistake', now: 1 })).toBe(true);
      expect(await give([tip])).toEqual([2]);
      expect(await numberOf(2)).toBe(1);
    });

    test('security: stay with their tips through a claim, its failure, another claim and the payment', async () => {
      const { tip, ofOther } = await seed();
      await give([tip, ofOther, tip]);
      const first = await seedClaim(store, sampleClaim(FID, 'p'));
      expect(await give([ofOther])).toEqual([3]);
      await write.failPayment(first.payouts[0]?.id ?? 0, { reason: 'no', now: 1 });
      const second = await seedClaim(store, sampleClaim(FID, 'q'));
      expect(second.tips.map(({ id, number }) => [id, number])).toEqual([
        [1, 0],
        [3, 2],
      ]);
      await pay(second.payouts[0]?.id ?? 0);
      expect(await store.tip(1)).toMatchObject({ status: 'claimed', number: 0 });
      expect(await give([tip])).toEqual([4]);
    });
  });

  describe('another number for a tip', () => {
    /** The number that a tip would get now. */
    const otherOf = async (tipId: number) => {
      const tip = await store.tip(tipId);
      if (tip === null) throw new Error(`there is no tip ${tipId}`);
      return otherNumber(tip);
    };

    test('security: follows from the tip alone; the old one is not given again, and nothing else changes', async () => {
      const [one, two] = [await seed(), await seed()];
      await give([one.tip, one.ofOther, two.tip]);
      const before = await store.tip(1);
      const gig = await store.gig(one.id);
      const [first] = [await otherOf(1)];
      expect(await renumber(1)).toBe(first);
      expect(first).toBeGreaterThanOrEqual(OTHER_NUMBERS);
      expect(await store.tip(1)).toEqual({ ...before, number: first });
      expect(await store.gig(one.id)).toEqual(gig);
      const second = await otherOf(1);
      expect(await renumber(1)).toBe(second);
      expect(await give([one.tip, two.tip])).toEqual([2, 1]);
      expect([await numberOf(1), await numberOf(2), await numberOf(3)]).toEqual([second, 1, 0]);
    });

    test('behavior: is given while a claim holds the tip and no signed payment of it can be included', async () => {
      const { tip } = await seed();
      await give([tip]);
      const { payouts } = await seedClaim(store, sampleClaim(FID, 'p'));
      expect(await renumber(1)).toBeGreaterThanOrEqual(OTHER_NUMBERS);
      const id = payouts[0]?.id ?? 0;
      await write.failPayment(id, { reason: 'no', now: 1 });
      const number = await renumber(1);
      expect(await store.tip(1)).toMatchObject({ status: 'pending', number });
    });

    test('security: is refused while a signed payment may pay the old one, and takes none then', async () => {
      const { tip } = await seed();
      await give([tip]);
      const id = (await seedClaim(store, sampleClaim(FID, 'p'))).payouts[0]?.id ?? 0;
      await seedSent(store, [id], { nonce: 0, attempt: sampleAttempt(1) });
      expect(await renumber(1)).toBeNull();
      expect(await numberOf(1)).toBe(0);
      expect(await give([tip])).toEqual([1]);
    });

    test('security: is refused for a paid tip, for a void one and for one that is not there, and takes none', async () => {
      const { tip, ofOther } = await seed();
      await give([tip, ofOther]);
      await pay((await seedClaim(store, sampleClaim(FID, 'p'))).payouts[0]?.id ?? 0);
      await write.voidTip(2, { reason: 'a mistake', now: 1 });
      for (const id of [1, 2, 99]) expect(await renumber(id)).toBeNull();
      expect([await numberOf(1), await numberOf(2)]).toEqual([0, 1]);
      expect(await give([tip])).toEqual([2]);
    });

    test('security: is taken back with its transaction', async () => {
      const { tip } = await seed();
      await give([tip]);
      const number = await otherOf(1);
      const undone = change(async (tx) => {
        throw new RangeError(`it would be ${await tx.renumberTip(1)}`);
      });
      await expect(undone).rejects.toThrow(new RangeError(`it would be ${number}`));
      expect(await numberOf(1)).toBe(0);
      expect(await give([tip])).toEqual([1]);
    });
  });

  describe('numbers that are skipped', () => {
    test('security: are not given; the next tip gets the one that was asked for, in this gig only', async () => {
      const [one, two] = [await seed(), await seed()];
      await give([one.tip, two.tip]);
      expect(await skip(one.id, 300)).toBe(true);
      expect(await give([one.tip, two.tip, one.ofOther])).toEqual([300, 1, 301]);
    });

    test('security: the next number never falls, and what was given already is no change', async () => {
      const { id, tip } = await seed();
      await give([tip, tip, tip]);
      for (const next of [0, 2, 3]) expect(await skip(id, next)).toBe(false);
      expect(await give([tip])).toEqual([3]);
      expect(await skip(99, 5)).toBe(false);
    });

    test('error: only whole numbers can be', async () => {
      const { id, tip } = await seed();
      for (const next of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
        await expect(skip(id, next)).rejects.toThrow(new RangeError(`${next} cannot be the number of a tip`));
      }
      expect(await give([tip])).toEqual([0]);
    });

    test('behavior: can be skipped before the first tip, and in a gig that is not live', async () => {
      const { id } = await seedGig(store);
      expect(await skip(id, 1)).toBe(true);
      const { id: live, tip } = await seed();
      expect(await skip(live, 7)).toBe(true);
      expect(await give([tip])).toEqual([7]);
    });
  });
}
