import { expect, test } from 'vitest';
import {
  addNumbers,
  bitsToNumbers,
  byWord,
  hasNumber,
  numbersToWords,
  numbersWithout,
  wordOf,
} from '../../../src/domain/payments/payment-numbers.ts';

const LAST = 2n ** 256n - 1n;

test('behavior: each has one bit of one word', () => {
  expect(numbersToWords([0n])).toEqual([{ word: 0n, bits: 1n }]);
  expect(numbersToWords([255n, 256n])).toEqual([
    { word: 0n, bits: 2n ** 255n },
    { word: 1n, bits: 1n },
  ]);
  expect(numbersToWords([2n ** 64n - 1n])).toEqual([{ word: 2n ** 56n - 1n, bits: 2n ** 255n }]);
  expect(numbersToWords([2n ** 255n])).toEqual([{ word: 2n ** 247n, bits: 1n }]);
  expect(numbersToWords([LAST])).toEqual([{ word: 2n ** 248n - 1n, bits: 2n ** 255n }]);
  expect(numbersToWords([])).toEqual([]);
});

test('behavior: words and bits give the numbers back, in order', () => {
  const words = numbersToWords([700n, 3n, 1n, 512n, 2n ** 255n + 9n]);
  expect(words.flatMap(bitsToNumbers)).toEqual([1n, 3n, 512n, 700n, 2n ** 255n + 9n]);
  expect(bitsToNumbers({ word: 5n, bits: 0n })).toEqual([]);
});

test.each([
  ['-1', [-1n]],
  ['2^256', [2n ** 256n]],
  ['the same twice', [7n, 8n, 7n]],
])('error: %s is refused', (_what, numbers) => {
  expect(() => numbersToWords(numbers)).toThrow(RangeError);
});

test('behavior: a set keeps the numbers that were added, and tells which of a word another set lacks', () => {
  const set = new Map<bigint, bigint>();
  addNumbers(set, [3n, 300n]);
  addNumbers(set, [3n, 5n]);
  expect([3n, 5n, 300n, 4n, 3n + 256n, 600n].map((number) => hasNumber(set, number))).toEqual([
    ...[true, true, true],
    ...[false, false, false],
  ]);
  const other = new Map<bigint, bigint>();
  addNumbers(other, [5n, 7n]);
  expect(numbersWithout(0n, set, other)).toEqual([3n]);
  expect(numbersWithout(0n, other, set)).toEqual([7n]);
  expect(numbersWithout(1n, set, other)).toEqual([300n]);
  expect(numbersWithout(1n, other, set)).toEqual([]);
});

test('behavior: the numbers of each word stay together, in their order', () => {
  expect(byWord([255n, 256n, 0n])).toEqual([[255n, 0n], [256n]]);
  expect(byWord([])).toEqual([]);
  expect([wordOf(255n), wordOf(256n), wordOf(2n ** 255n)]).toEqual([0n, 1n, 2n ** 247n]);
});
