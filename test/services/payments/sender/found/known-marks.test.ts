import { expect, test } from 'vitest';
import type { NumberBits } from '../../../../../src/domain/payments/payment-numbers.ts';
import {
  findVoidPaid,
  readKnownMarks,
  readWords,
} from '../../../../../src/services/payments/sender/found/known-marks.ts';
import type { StoreReads } from '../../../../../src/store/port/index.ts';

const FEE_WORD = 2n ** 247n;

/** A gig that has numbers from 0 on: each has a payout with the next higher id, or, of an even one, a void tip. */
function reads(count: number) {
  const asked: number[] = [];
  const all = Array.from({ length: count }, (_, index) => ({ id: index + 1, numbers: [BigInt(index)] }));
  const tips = all.map(({ id }, number) => ({ id, number })).filter(({ number }) => number % 2 === 0);
  const gig = {
    markedByOthers: async () => [2n ** 255n],
    markedByPayouts: async (_gigId: number, { after, limit }: { after: number; limit: number }) => {
      asked.push(after);
      return all.filter(({ id }) => id > after).slice(0, limit);
    },
    voidTips: async (_gigId: number, { after, limit }: { after: number; limit: number }) => {
      asked.push(after);
      return tips.filter(({ number }) => number > after).slice(0, limit);
    },
    tipWords: async (_gigId: number, from: number) => {
      asked.push(from);
      return { words: [BigInt(from)], next: from < count ? from + 1 : null };
    },
  };
  return { gig: gig as unknown as StoreReads, asked };
}

test.each([
  { count: 0, pages: [0] },
  { count: 499, pages: [0] },
  { count: 500, pages: [0, 500] },
  { count: 1_001, pages: [0, 500, 1_000] },
])('behavior: the marks of $count payouts are read in pages', async ({ count, pages }) => {
  const { gig, asked } = reads(count);
  const known = await readKnownMarks(gig, 1);
  const ones = [...known].map(([, bits]) => bits.toString(2).replaceAll('0', '').length);
  expect([known.get(FEE_WORD), ones.reduce((sum, each) => sum + each, 0)]).toEqual([1n, count + 1]);
  expect(asked).toEqual(pages);
});

test.each([
  { count: 998, pages: [-1], found: [1, 3] },
  { count: 1_000, pages: [-1, 998], found: [1, 3, 999] },
  { count: 1_003, pages: [-1, 998], found: [1, 3, 999, 1_003] },
])(
  'security: void tips with marked numbers are found among those of $count numbers',
  async ({ count, pages, found }) => {
    const { gig, asked } = reads(count);
    const marked: NumberBits = new Map([
      [0n, 0b111n],
      [3n, (1n << 230n) | (1n << 234n)],
    ]);
    expect(await findVoidPaid(gig, 1, marked)).toEqual(found);
    expect(asked).toEqual(pages);
  },
);

test('behavior: the words of a gig are those of its own payments and of all its tips', async () => {
  const { gig, asked } = reads(2);
  expect(await readWords(gig, 1)).toEqual([FEE_WORD, 0n, 1n, 2n]);
  expect(asked).toEqual([0, 1, 2]);
});
