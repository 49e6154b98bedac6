import { expect, test } from 'vitest';
import { type Awards, inBatches, runBatches } from '../../../../src/services/earning/award/batches.ts';

test.each<[title: string, batches: readonly Awards[], runs: number, all: Awards]>([
  ['one that is not full', [{ awarded: 3, refused: 1 }], 1, { awarded: 3, refused: 1 }],
  [
    'one that is not full after full ones',
    [
      { awarded: 20, refused: 0 },
      { awarded: 5, refused: 15 },
      { awarded: 0, refused: 19 },
    ],
    3,
    { awarded: 25, refused: 34 },
  ],
  ['the tenth', [], 10, { awarded: 200, refused: 0 }],
])('behavior: batches run until %s', async (_title, batches, runs, all) => {
  let count = 0;
  const run = async () => batches[count++] ?? { awarded: 20, refused: 0 };
  expect(await runBatches(run)).toEqual(all);
  expect(count).toBe(runs);
});

test('behavior: accounts are divided into batches of twenty, in their order', () => {
  const accounts = Array.from({ length: 41 }, (_, n) => n);
  expect(inBatches(accounts)).toEqual([accounts.slice(0, 20), accounts.slice(20, 40), [40]]);
  expect(inBatches(accounts.slice(0, 40))).toHaveLength(2);
  expect(inBatches([])).toEqual([]);
});
