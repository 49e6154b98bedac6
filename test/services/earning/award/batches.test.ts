import { expect, test } from 'vitest';
import { inBatches, runBatches } from '../../../../src/services/earning/award/batches.ts';
import { openTestStore } from '../../../support/database.ts';

test.each<[title: string, batches: readonly number[], runs: number, all: number]>([
  ['one that is not full', [4], 1, 4],
  ['one that is not full after full ones', [20, 20, 19], 3, 59],
  ['the tenth', [], 10, 200],
])('behavior: batches run until %s', async (_title, batches, runs, all) => {
  const { store, close } = await openTestStore();
  try {
    let count = 0;
    const decide = async () => batches[count++] ?? 20;
    expect(await runBatches({ store, clock: () => 0 }, decide)).toBe(all);
    expect(count).toBe(runs);
  } finally {
    await close();
  }
});

test('behavior: accounts are divided into batches of twenty, in their order', () => {
  const accounts = Array.from({ length: 41 }, (_, n) => n);
  expect(inBatches(accounts)).toEqual([accounts.slice(0, 20), accounts.slice(20, 40), [40]]);
  expect(inBatches(accounts.slice(0, 40))).toHaveLength(2);
  expect(inBatches([])).toEqual([]);
});
