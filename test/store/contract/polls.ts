import { describe, expect, test } from 'vitest';
import type { Platform } from '../../../src/domain/account.ts';
import type { Subject } from './subject.ts';

export function describePolls({ store, openAgain, write }: Subject): void {
  const claim = (now: number, platform: Platform = 'twitter', by = store) =>
    by.transaction((tx) => tx.claimPoll(platform, { now, everyMs: 100 }));
  const release = (claimedAt: number) => write.releasePoll('twitter', claimedAt);

  describe('polling', () => {
    test('behavior: of many who claim at once, through two stores, one polls', async () => {
      const other = await openAgain();
      const claims = Array.from({ length: 10 }, (_, i) => claim(1_000, 'twitter', i % 2 ? store : other));
      expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
    });

    test('behavior: it is claimed again after the time, for each platform by itself', async () => {
      expect([await claim(1_000), await claim(1_099), await claim(1_100), await claim(1_101)]).toEqual([
        true,
        false,
        true,
        false,
      ]);
      expect(await claim(1_101, 'farcaster')).toBe(true);
    });

    test('behavior: a claim that is given back is free at once, by who holds it alone', async () => {
      await claim(1_000);
      expect(await release(999)).toBe(false);
      expect(await claim(1_001)).toBe(false);
      expect(await release(1_000)).toBe(true);
      expect(await claim(1_001)).toBe(true);
      expect(await release(1_000)).toBe(false);
    });

    test('behavior: the place where the next look starts stays, whoever claims it', async () => {
      await write.setPollCursor('twitter', 'c1', 1);
      await claim(1_000);
      expect(await store.pollCursor('twitter')).toBe('c1');
      await write.setPollCursor('twitter', 'c2', 1_050);
      expect(await claim(1_099)).toBe(false);
      expect(await store.pollCursor('twitter')).toBe('c2');
    });

    test('behavior: a platform’s pause is kept beside the place where the next look starts', async () => {
      const pause = { reason: 'a cap is reached', until: 9_000 };
      const set = (until: number) => write.setPlatformPause('twitter', { ...pause, until }, 5);
      expect(await store.platformPause('twitter')).toBeNull();
      await set(9_000);
      await write.setPollCursor('twitter', 'c1', 1);
      expect(await claim(1_000)).toBe(true);
      await set(8_000);
      expect(await store.platformPause('twitter')).toEqual({ ...pause, until: 8_000 });
      expect(await store.pollCursor('twitter')).toBe('c1');
      expect(await claim(1_099)).toBe(false);
      expect(await store.platformPause('farcaster')).toBeNull();
    });

    test('behavior: a claim of a process whose clock is a little ahead stands', async () => {
      await claim(1_050);
      expect([await claim(1_000), await claim(950), await claim(949)]).toEqual([false, false, true]);
    });

    test('behavior: a clock that is set back holds up nothing', async () => {
      await claim(1_000_000);
      expect(await claim(1_000)).toBe(true);
    });
  });
}
