import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Bench } from '../../../bench/bench.ts';
import { type Generator, startGenerator } from '../../../bench/generator.ts';
import { measureGrowth } from '../../../bench/growth.ts';
import { type Surroundings, startSurroundings } from '../../../bench/surroundings.ts';
import { temporaryFolder } from '../../support/store.ts';

const folder = temporaryFolder();
let surroundings: Surroundings;
let generator: Generator;

beforeAll(async () => {
  surroundings = await startSurroundings();
  generator = startGenerator();
});
afterAll(async () => {
  await generator.stop();
  await surroundings.stop();
  folder.remove();
});

const NAMES = [
  'a look-up',
  'a mention, answered',
  'an award of one tip',
  'a page of a gig with all rows',
  'the operators’ overview',
  '1,000 lines of a report',
  '100 events',
  'a search',
  'a webhook, on disk',
  'a payment',
];

test('behavior: everything is done on ledgers of several sizes, and has a line with a figure for each', async () => {
  const bench: Bench = {
    surroundings,
    generator,
    dataFolder: folder.path,
    rounds: 1,
    seconds: 0.1,
    sizes: [],
    versions: new Map(),
    say: () => undefined,
  };
  const { text } = await measureGrowth(bench, { sizes: [2_000, 3_000], share: 0.005, slices: 1 });
  const lines = text.split('\n').filter((line) => line.startsWith('| '));
  expect(lines[0]).toBe('| µs of processor time | 2,000 rows | 3,000 rows | most, of fewest |');
  const figure = String.raw`[\d,.]+ \([\d,.]+–[\d,.]+\)`;
  for (const name of NAMES) {
    expect(text).toMatch(new RegExp(`^\\| ${name} \\| ${figure} \\| ${figure} \\| [\\d,.]+ \\|$`, 'm'));
    expect(text).toContain(`\n- ${name}: `);
  }
  expect(lines).toHaveLength(NAMES.length + 2);
});
