import { describe, expect, test } from 'vitest';
import type { Subject } from './subject.ts';

/** What `version` promises. */
export function describeVersion({ store, openAgain, write }: Subject): void {
  describe('version', () => {
    const optOut = (id: number) => write.setOptedOut({ platform: 'farcaster', platformUserId: String(id) }, true, 1);

    test('behavior: stays while there are only reads', async () => {
      const staysWhileReading = async () => {
        const before = await store.version();
        await store.pendingTips([{ platform: 'farcaster', platformUserId: '1' }]);
        return (await store.version()) === before;
      };
      // Commits in other databases of a server may change it as well.
      await expect.poll(staysWhileReading, { timeout: 30_000, interval: 1 }).toBe(true);
    });

    test('behavior: has changed when a transaction settles, through every store on the storage', async () => {
      const other = await openAgain();
      const before = [await store.version(), await other.version()];
      await optOut(1);
      expect(await store.version()).not.toBe(before[0]);
      expect(await other.version()).not.toBe(before[1]);
    });

    test('behavior: changes with each of many commits', async () => {
      const seen = new Set([await store.version()]);
      for (let index = 2; index < 22; index += 1) {
        await optOut(index);
        seen.add(await store.version());
      }
      expect(seen.size).toBe(21);
    });
  });
}
