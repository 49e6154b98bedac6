import { expect, test } from 'vitest';
import { createGathering } from '../../../../src/store/postgres/transactions/gathering.ts';

/** How many items each work gets when so many are asked for at once, in the order in which the works begin. */
async function sizesOf(count: number, options: { most: number; lanes: number; least?: number }): Promise<number[]> {
  const sizes: number[] = [];
  const gather = createGathering(async (items: readonly number[]) => {
    sizes.push(items.length);
    return items.map((item) => item * 2);
  }, options);
  const items = Array.from({ length: count }, (_, item) => item);
  expect(await Promise.all(items.map(gather))).toEqual(items.map((item) => item * 2));
  return sizes;
}

test('behavior: what comes at once is one work, or as many as are large enough and may be under way', async () => {
  const shared = { most: 200, lanes: 2, least: 16 };
  expect(await sizesOf(1, shared)).toEqual([1]);
  expect(await sizesOf(31, shared)).toEqual([31]);
  expect(await sizesOf(50, shared)).toEqual([25, 25]);
  expect(await sizesOf(450, shared)).toEqual([200, 200, 25, 25]);
  expect(await sizesOf(50, { most: 200, lanes: 2 })).toEqual([50]);
  expect(await sizesOf(50, { most: Number.POSITIVE_INFINITY, lanes: 1 })).toEqual([50]);
  expect(await sizesOf(250, { most: 200, lanes: 1 })).toEqual([200, 50]);
});

test('error: a work that fails rejects what it got, and nothing else', async () => {
  const gather = createGathering(
    async (items: readonly number[]) => {
      if (items.includes(3)) throw new Error('no');
      return items;
    },
    { most: 2, lanes: 1 },
  );
  const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map(gather));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled']);
});
