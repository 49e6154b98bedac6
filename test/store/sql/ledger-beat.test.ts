import { expect, test } from 'vitest';
import { createLedgerBeat } from '../../../src/store/sql/operators/ledger-state.ts';

test('behavior: a beat is kept once a minute, and at once when the clock was set back', async () => {
  const kept: number[] = [];
  let now = 0;
  const beat = createLedgerBeat(
    () => now,
    async (at) => void kept.push(at),
  );
  for (now of [1_000, 6_000, 60_999, 61_000, 66_000, 30_000, 31_000]) await beat();
  expect(kept).toEqual([1_000, 61_000, 30_000]);
});

test('error: a beat that could not be kept is kept with the next one', async () => {
  const kept: number[] = [];
  let works = false;
  const beat = createLedgerBeat(
    () => 1_000,
    async (at) => {
      if (!works) throw new Error('the disk is full');
      kept.push(at);
    },
  );
  await expect(beat()).rejects.toThrow('the disk is full');
  works = true;
  await beat();
  expect(kept).toEqual([1_000]);
});
