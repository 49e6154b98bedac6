import { describe, expect, test } from 'vitest';
import type { Subject } from './subject.ts';

/** What a ledger says of itself. */
export function describeLedgerState({ store, openAgain, write }: Subject): void {
  describe('the state of the ledger', () => {
    const beatAt = async () => (await store.ledgerState()).beatAt;

    test('behavior: has no floor and no beat at first', async () => {
      expect(await store.ledgerState()).toMatchObject({ tipFloor: 0, beatAt: null });
    });

    test('behavior: has the last beat that was kept, by whatever process', async () => {
      const other = await openAgain();
      await write.renewBeat(5);
      expect(await beatAt()).toBe(5);
      await other.transaction((tx) => tx.renewBeat(6));
      expect(await beatAt()).toBe(6);
    });

    test('behavior: of a clock that was set back by up to a day keeps the beat of before until the clock is there again', async () => {
      const keep = (now: number) => write.renewBeat(now);
      await keep(1_800_000_000_000);
      await keep(1_799_999_999_999);
      await keep(1_799_913_600_000);
      expect(await beatAt()).toBe(1_800_000_000_000);
      await keep(1_800_000_000_001);
      expect(await beatAt()).toBe(1_800_000_000_001);
      // The clock of before was a wrong one.
      await keep(1_799_913_600_000);
      expect(await beatAt()).toBe(1_799_913_600_000);
    });

    test('behavior: a service keeps its beat', async () => {
      const before = Date.now();
      await store.beat('1.0.0');
      const kept = (await beatAt()) ?? 0;
      expect(kept >= before && kept <= Date.now()).toBe(true);
    });
  });
}
