import { describe, expect, test } from 'vitest';
import type { Subject } from './subject.ts';

/** What `version` promises. */
export function describeVersion(subject: Subject): void {
  describe('version', () => {
    const write = () =>
      subject.store.transaction((tx) => tx.setOptedOut({ platform: 'farcaster', platformUserId: '1' }, true, 1));

    test('behavior: stays while there are only reads', async () => {
      const before = subject.store.version();
      await subject.store.pendingTips([{ platform: 'farcaster', platformUserId: '1' }]);
      expect(subject.store.version()).toBe(before);
    });

    test('behavior: has changed when a transaction settles, for everybody', async () => {
      const other = await subject.openAgain();
      const before = [subject.store.version(), other.version()];
      await write();
      expect(subject.store.version()).not.toBe(before[0]);
      expect(other.version()).not.toBe(before[1]);
    });

    test('behavior: changes with each of many commits', async () => {
      const seen = new Set([subject.store.version()]);
      for (let index = 2; index < 22; index += 1) {
        const key = { platform: 'farcaster', platformUserId: String(index) } as const;
        await subject.store.transaction((tx) => tx.setOptedOut(key, true, 1));
        seen.add(subject.store.version());
      }
      expect(seen.size).toBe(21);
    });
  });
}
