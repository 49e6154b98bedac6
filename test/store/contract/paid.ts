import { describe, expect, test } from 'vitest';
import {
  confirmOne,
  sampleClaim,
  seedAddress,
  seedClaim,
  seedConfirmed,
  seedFee,
  seedGig,
  seedHash,
  seedTips,
} from '../../support/store.ts';
import type { Subject } from './subject.ts';

const ALICE = { platform: 'farcaster', platformUserId: '7' } as const;
const BOB = { platform: 'farcaster', platformUserId: '8' } as const;
const ALICE_ON_X = { platform: 'twitter', platformUserId: '7' } as const;

export function describePaid({ store, change }: Subject): void {
  const confirm = (id: number, now: number) => seedConfirmed(store, id, { hash: seedHash(id), now });

  /**
   * Payouts of 1 whole token: 1 and 2 from both gigs to alice, 3 to bob, 4 to alice's namesake on X; 5 is a fee, 6 one
   * more to alice, for a post of her own. None is on its way yet.
   */
  async function seed() {
    const first = await seedGig(store, { live: true });
    const second = await seedGig(store, { live: true });
    await seedTips(store, first, [ALICE, BOB, ALICE_ON_X]);
    await seedTips(store, second, [ALICE]);
    await seedClaim(store, sampleClaim(ALICE, 'a'));
    await seedClaim(store, sampleClaim(BOB, 'b'));
    await seedClaim(store, sampleClaim(ALICE_ON_X, 'x'));
    const fee = await seedFee(store, first);
    await seedTips(store, first, [{ ...ALICE, amount: 5n }]);
    const { payouts } = await seedClaim(store, sampleClaim(ALICE, 'c'));
    expect([fee.id, payouts[0]?.id]).toEqual([5, 6]);
    return { first, second };
  }

  describe('what was paid', () => {
    test('behavior: a gig paid its confirmed payouts, summed over parts of its time, and no fee', async () => {
      const { first, second } = await seed();
      const { startTime } = first;
      // A thirtieth of the day that the gig lasts.
      const partMs = 2_880_000;
      expect(await store.paidByGig(first.id)).toBeNull();
      await confirm(5, startTime);
      await confirm(3, startTime + 2 * partMs);
      await confirm(1, startTime + 3 * partMs - 1);
      await confirm(2, startTime);
      expect(await store.paidByGig(first.id)).toEqual({
        partMs,
        parts: [{ part: 2, payouts: 2, amount: 2_000_000_000_000_000_000n }],
      });
      expect(await store.paidByGig(second.id)).toEqual({
        partMs,
        parts: [{ part: 0, payouts: 1, amount: 1_000_000_000_000_000_000n }],
      });
      expect(await store.paidByGig(99)).toBeNull();
    });

    test('behavior: a payout after the window makes the parts longer and loses none', async () => {
      const { first } = await seed();
      const partMs = 2_880_000;
      await confirm(1, first.startTime + partMs);
      await confirm(3, first.endTime + partMs);
      expect(await store.paidByGig(first.id)).toEqual({
        partMs: 2 * partMs,
        parts: [
          { part: 0, payouts: 1, amount: 1_000_000_000_000_000_000n },
          { part: 15, payouts: 1, amount: 1_000_000_000_000_000_000n },
        ],
      });
      expect(await store.amountPaidByGig(first.id)).toBe(2_000_000_000_000_000_000n);
    });

    test('error: a confirmation that is undone changes no sum', async () => {
      const { first } = await seed();
      const undone = change(async (tx) => {
        const how = { recipient: seedAddress(1), numbers: [0n], hash: seedHash(1), blockNumber: 9n, gasUsed: 1n };
        expect(await confirmOne(tx, 1, { ...how, now: first.startTime })).toBe(true);
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      expect(await store.paidByGig(first.id)).toBeNull();
    });
  });
}
