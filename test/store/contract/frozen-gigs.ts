import { describe, expect, test } from 'vitest';
import { seedGig } from '../../support/store.ts';
import type { Subject } from './subject.ts';

export function describeFrozenGigs({ store, write }: Subject): void {
  describe('a frozen gig', () => {
    const freeze = (id: number, reason: string | null) => write.freezeGig(id, { reason, now: 1 });

    test('behavior: says why, until it is let go on, and changes nothing else', async () => {
      const gig = await seedGig(store, { live: true });
      const other = await seedGig(store);
      expect(await store.gigFreeze(gig.id)).toBeNull();
      await freeze(gig.id, 'less arrived than was sent');
      expect(await store.gigFreeze(gig.id)).toBe('less arrived than was sent');
      expect(await store.gigFreeze(other.id)).toBeNull();
      expect(await store.gig(gig.id)).toEqual(gig);
      await freeze(gig.id, 'an operator did it by hand');
      expect(await store.gigFreeze(gig.id)).toBe('an operator did it by hand');
      await freeze(other.id, 'so is this one');
      expect(await store.frozenGigs()).toEqual([
        { gigId: gig.id, reason: 'an operator did it by hand', isByOperator: false },
        { gigId: other.id, reason: 'so is this one', isByOperator: false },
      ]);
      await freeze(other.id, null);
      await freeze(gig.id, null);
      expect(await store.gigFreeze(gig.id)).toBeNull();
      expect(await store.frozenGigs()).toEqual([]);
    });

    test('error: there is none to freeze', async () => {
      await expect(freeze(99, 'why not')).rejects.toThrow(RangeError);
      expect(await store.gigFreeze(99)).toBeNull();
    });
  });
}
