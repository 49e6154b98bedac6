import { describe, expect, test } from 'vitest';
import { seedGig, seedHash } from '../../support/store.ts';
import type { Subject } from './subject.ts';

const HASH = { kind: 'transaction', hash: seedHash(7) } as const;
const FIRST = { kind: 'nonce', nonce: 0 } as const;

export function describeAcceptedUses(subject: Subject): void {
  describe('accepted uses of a wallet', () => {
    test('behavior: are kept for their gig, in the order in which they were accepted, once', async () => {
      const gig = await seedGig(subject.store, { live: true });
      const other = await seedGig(subject.store, { live: true });
      expect(await subject.store.acknowledgedActivity(gig.id)).toEqual([]);
      await subject.store.transaction(async (tx) => {
        expect(await tx.acknowledgeActivity(gig.id, HASH, 5)).toBe(true);
        expect(await tx.acknowledgeActivity(gig.id, FIRST, 5)).toBe(true);
        expect(await tx.acknowledgeActivity(gig.id, { kind: 'nonce', nonce: 3 }, 6)).toBe(true);
        expect(await tx.acknowledgeActivity(other.id, FIRST, 7)).toBe(true);
        expect(await tx.acknowledgeActivity(gig.id, FIRST, 8)).toBe(false);
        expect(await tx.acknowledgeActivity(gig.id, HASH, 8)).toBe(false);
      });
      expect(await subject.store.acknowledgedActivity(gig.id)).toEqual([
        { ...HASH, acceptedAt: 5 },
        { ...FIRST, acceptedAt: 5 },
        { kind: 'nonce', nonce: 3, acceptedAt: 6 },
      ]);
      expect(await subject.store.acknowledgedActivity(other.id)).toEqual([{ ...FIRST, acceptedAt: 7 }]);
      expect(await (await subject.openAgain()).acknowledgedActivity(gig.id)).toHaveLength(3);
    });

    test('error: there is no such gig, and it is none of a gig that is not named', async () => {
      await expect(subject.store.transaction((tx) => tx.acknowledgeActivity(9, FIRST, 1))).rejects.toThrow();
      expect(await subject.store.acknowledgedActivity(9)).toEqual([]);
    });
  });
}
