import { describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { OTHER_NUMBERS } from '../../../src/domain/gigs/tip.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { seedGig, seedTips } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const FID = { platform: 'farcaster', platformUserId: '7' } as const;
const SECOND = 2 ** 20;
const AT = Date.UTC(2026, 0, 1, 0, 16, 40, 999);
/** Of the thousandth second of 2026. */
const THEN = 1_000 * SECOND;

export function describeTipFloors({ store, openAgain, write }: Subject): void {
  const live = () => seedGig(store, { live: true });
  /** One more process, which draws this at this time. */
  const open = (random: number, now = AT) => {
    const randomBelow = (limit: number) => {
      expect(limit).toBe(65_536);
      return random;
    };
    return openAgain({ floors: { clock: () => now, randomBelow } });
  };
  const give = async (store: Store, gig: Gig) => (await seedTips(store, gig, [FID]))[0]?.number;

  describe('the floor of tip numbers', () => {
    test('security: is above the time by a random distance, and is kept', async () => {
      const gig = await live();
      const opened = await open(0);
      expect([await give(opened, gig), await give(opened, gig)]).toEqual([THEN + 256, THEN + 257]);
      expect((await opened.ledgerState()).tipFloor).toBe(THEN + 256);
    });

    test('security: of the next process is above everything that was given, whatever its clock says', async () => {
      const gigs = [await live(), await live()] as const;
      const most = 256 * 65_536;
      expect(await give(await open(65_535), gigs[0])).toBe(THEN + most);
      // In the same second, and by the same chance.
      const second = THEN + most + 1 + most;
      expect(await give(await open(65_535), gigs[1])).toBe(second);
      expect(await give(await open(0, AT - 999_000), gigs[0])).toBe(second + 257);
      expect(await give(await open(0, 0), gigs[0])).toBe(second + 2 * 257);
    });

    test('security: holds for every process, also for one that was there before', async () => {
      const gig = await live();
      expect(await give(store, gig)).toBe(0);
      await open(1);
      expect(await give(store, gig)).toBe(THEN + 512);
    });

    test('error: by a clock that is centuries ahead leaves half of the numbers, and later ones count on', async () => {
      const gig = await live();
      expect(await give(await open(3, Date.UTC(2400, 0, 1)), gig)).toBe(2 ** 51 + 1024);
      expect(await give(await open(0), gig)).toBe(2 ** 51 + 1024 + 256);
    });

    test('security: follows no number beyond all floors that a chain shows of one gig', async () => {
      const [odd, gig] = [await live(), await live()];
      await write.skipTipNumbers(odd.id, OTHER_NUMBERS - 9);
      const opened = await open(0);
      expect([await give(opened, gig), await give(opened, odd)]).toEqual([THEN + 256, OTHER_NUMBERS - 9]);
    });

    test('security: two processes that open at the same time have different ones', async () => {
      const gigs = [await live(), await live()] as const;
      const stores = await Promise.all([open(7), open(7)]);
      const numbers = await Promise.all(stores.map((store, index) => give(store, gigs[index === 0 ? 0 : 1])));
      expect((await store.ledgerState()).tipFloor).toBe(THEN + 2 * 2048);
      // Both give above the higher one: it holds for the ledger.
      expect(numbers).toEqual([THEN + 2 * 2048, THEN + 2 * 2048]);
    });
  });
}
