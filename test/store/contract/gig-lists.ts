import { describe, expect, test } from 'vitest';
import type { GigFilter } from '../../../src/store/port/index.ts';
import { type GigSeed, SEEDED_AT, seedGig } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const DAY = 86_400_000;
const NOW = SEEDED_AT + 10 * DAY;

export function describeGigLists({ store, change }: Subject): void {
  const idsOf = async (query: Partial<GigFilter> & { limit?: number; before?: number } = {}) =>
    (await store.gigs({ phase: 'all', now: NOW, limit: 100, ...query })).map(({ id }) => id);

  async function seedAll(gigs: readonly GigSeed[]): Promise<void> {
    for (const gig of gigs) await seedGig(store, gig);
  }

  /** 1 and 7 created, 2 over, 3 and 6 inside their window, 4 and 5 before it; even ones on X. */
  const seedEveryPhase = () =>
    seedAll([
      { startTime: NOW - DAY, duration: 2 * DAY },
      { startTime: NOW - 2 * DAY, live: true, platform: 'twitter' },
      { startTime: NOW - DAY, duration: 2 * DAY, live: true },
      { startTime: NOW + DAY, live: true, platform: 'twitter' },
      { startTime: NOW + 2 * DAY, live: true },
      { startTime: NOW - DAY, duration: 9 * DAY, live: true, platform: 'twitter' },
      { startTime: NOW - 3 * DAY },
    ]);

  describe('lists of gigs', () => {
    test('behavior: without gigs every list is empty', async () => {
      for (const phase of ['all', 'created', 'live', 'active', 'ended', 'cancelled'] as const) {
        expect(await idsOf({ phase })).toEqual([]);
      }
    });

    test('behavior: each phase lists its own, newest first', async () => {
      await seedEveryPhase();
      expect(await idsOf()).toEqual([7, 6, 5, 4, 3, 2, 1]);
      expect(await idsOf({ phase: 'created' })).toEqual([7, 1]);
      expect(await idsOf({ phase: 'live' })).toEqual([6, 5, 4, 3]);
      expect(await idsOf({ phase: 'active' })).toEqual([6, 3]);
      expect(await idsOf({ phase: 'ended' })).toEqual([2]);
    });

    test('behavior: a cancelled gig is in a list of its own, and in that of all', async () => {
      await seedEveryPhase();
      const lock = { holder: 'a', now: NOW, until: NOW + 1 };
      await change(async (tx) => {
        await tx.lockGig(1, lock);
        await tx.cancelGig(1, lock);
      });
      expect(await idsOf({ phase: 'cancelled' })).toEqual([1]);
      expect(await idsOf({ phase: 'cancelled', platforms: ['twitter'] })).toEqual([]);
      expect(await idsOf({ phase: 'created' })).toEqual([7]);
      expect(await idsOf()).toEqual([7, 6, 5, 4, 3, 2, 1]);
    });

    test('behavior: a window holds its start and not its end', async () => {
      await seedGig(store, { startTime: NOW, duration: DAY, live: true });
      expect(await idsOf({ phase: 'active', now: NOW - 1 })).toEqual([]);
      expect(await idsOf({ phase: 'active', now: NOW })).toEqual([1]);
      expect(await idsOf({ phase: 'active', now: NOW + DAY - 1 })).toEqual([1]);
      expect(await idsOf({ phase: 'ended', now: NOW + DAY - 1 })).toEqual([]);
      expect(await idsOf({ phase: 'active', now: NOW + DAY })).toEqual([]);
      expect(await idsOf({ phase: 'ended', now: NOW + DAY })).toEqual([1]);
    });

    test('behavior: only the platforms that are asked for', async () => {
      await seedEveryPhase();
      expect(await idsOf({ platforms: ['twitter'] })).toEqual([6, 4, 2]);
      expect(await idsOf({ platforms: ['farcaster'] })).toEqual([7, 5, 3, 1]);
      expect(await idsOf({ platforms: ['farcaster', 'twitter', 'farcaster'] })).toEqual([7, 6, 5, 4, 3, 2, 1]);
      expect(await idsOf({ platforms: [] })).toEqual([]);
      expect(await idsOf({ phase: 'created', platforms: ['twitter'] })).toEqual([]);
      expect(await idsOf({ phase: 'live', platforms: ['farcaster'] })).toEqual([5, 3]);
      expect(await idsOf({ phase: 'active', platforms: ['twitter'] })).toEqual([6]);
      expect(await idsOf({ phase: 'ended', platforms: ['farcaster'] })).toEqual([]);
    });

    test('behavior: pages follow one another across platforms and states, without gap or repetition', async () => {
      await seedEveryPhase();
      expect(await idsOf({ limit: 3 })).toEqual([7, 6, 5]);
      expect(await idsOf({ limit: 3, before: 5 })).toEqual([4, 3, 2]);
      expect(await idsOf({ limit: 3, before: 2 })).toEqual([1]);
      expect(await idsOf({ limit: 3, before: 1 })).toEqual([]);
      expect(await idsOf({ phase: 'active', limit: 1 })).toEqual([6]);
      expect(await idsOf({ phase: 'active', limit: 1, before: 6 })).toEqual([3]);
      expect(await idsOf({ phase: 'live', limit: 2, before: 6 })).toEqual([5, 4]);
      expect(await idsOf({ phase: 'ended', limit: 2, before: 2 })).toEqual([]);
      expect(await idsOf({ limit: 0 })).toEqual([]);
    });

    test('behavior: a gig in a list is the whole gig', async () => {
      await seedEveryPhase();
      const list = await store.gigs({ phase: 'active', now: NOW, limit: 1 });
      expect(list).toEqual([await store.gig(6)]);
    });

    test('behavior: a gig changes its list when it goes live, inside a transaction as well', async () => {
      const { id } = await seedGig(store, { startTime: NOW, duration: DAY });
      const query = { phase: 'active', now: NOW, limit: 9 } as const;
      const inside = await change(async (tx) => {
        await tx.lockGig(id, { holder: 'a', now: NOW, until: NOW + 1 });
        await tx.markLive(id, { holder: 'a', startTime: NOW, endTime: NOW + DAY });
        return (await tx.gigs(query)).map((gig) => gig.status);
      });
      expect(inside).toEqual(['live']);
      expect(await idsOf({ phase: 'created' })).toEqual([]);
      expect(await idsOf(query)).toEqual([1]);
    });
  });
}
