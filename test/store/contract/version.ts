import { describe, expect, test } from 'vitest';
import type { Subject } from './subject.ts';

/** What `version` promises. */
export function describeVersion(subject: Subject): void {
  describe('version', () => {
    const write = () =>
      subject.store.transaction((tx) => tx.setOptedOut({ platform: 'farcaster', platformUserId: '1' }, true, 1));

    test('behavior: stays while there are only reads', async () => {
      const staysWhileReading = async () => {
        const before = await subject.store.version();
        await subject.store.pendingTips([{ platform: 'farcaster', platformUserId: '1' }]);
        return (await subject.store.version()) === before;
      };
      // Commits in other databases of a server may change it as well.
      await expect.poll(staysWhileReading, { timeout: 30_000, interval: 1 }).toBe(true);
    });

    test('behavior: has changed when a transaction settles, through every store on the storage', async () => {
      const other = await subject.openAgain();
      const before = [await subject.store.version(), await other.version()];
      await write();
      expect(await subject.store.version()).not.toBe(before[0]);
      expect(await other.version()).not.toBe(before[1]);
    });

    test('behavior: changes with each of many commits', async () => {
      const seen = new Set([await subject.store.version()]);
      for (let index = 2; index < 22; index += 1) {
        const key = { platform: 'farcaster', platformUserId: String(index) } as const;
        await subject.store.transaction((tx) => tx.setOptedOut(key, true, 1));
        seen.add(await subject.store.version());
      }
      expect(seen.size).toBe(21);
    });
  });
}
