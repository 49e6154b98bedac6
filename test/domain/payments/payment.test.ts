import { expect, test } from 'vitest';
import {
  isOfReturn,
  kindOfNumber,
  ownNumber,
  type Payment,
  whyNothingLeft,
} from '../../../src/domain/payments/payment.ts';
import { wordOf } from '../../../src/domain/payments/payment-numbers.ts';

const WORD = 2n ** 255n;

test.each([
  ['fee', null, WORD],
  ['refund', null, WORD + 64n],
  ['return', 0, WORD + 128n],
  ['return', 127, WORD + 255n],
] as const)('behavior: a %s at place %s has a number of its own, by which it is known again', (kind, place, number) => {
  expect(ownNumber({ kind, place })).toBe(number);
  expect(kindOfNumber(number)).toEqual({ kind, place });
  expect(isOfReturn(number)).toBe(kind !== 'fee');
});

test('behavior: payouts and marks have the numbers of their tips, and a return without a place has none', () => {
  for (const kind of ['payout', 'mark', 'return'] as const) expect(ownNumber({ kind, place: null })).toBeNull();
  expect(ownNumber({ kind: 'payout', place: 3 })).toBeNull();
});

test.each([0n, 2n ** 53n, WORD - 1n, WORD + 1n, WORD + 63n, WORD + 65n, WORD + 127n, WORD + 256n])(
  'behavior: %s is the number of no fee, refund or return',
  (number) => {
    expect(kindOfNumber(number)).toBeNull();
    expect(isOfReturn(number)).toBe(false);
  },
);

test('behavior: fee, refund and returns share a word, so that one question tells which were paid', () => {
  const words = [WORD, WORD + 64n, WORD + 128n, WORD + 255n].map(wordOf);
  expect(new Set(words).size).toBe(1);
});

test.each([
  ['payout', 'its tips were claimed or planned again since'],
  ['mark', 'its tips were claimed or planned again since'],
  ['fee', 'the fee of gig 7 was paid or planned again since'],
  ['refund', 'the refund of gig 7 was planned again since'],
  ['return', 'this return of gig 7, or a later one of the same token, was planned since'],
] as const)('error: a failed %s is not planned again because %s', (kind, words) => {
  // Of a payment only these decide.
  expect(whyNothingLeft({ kind, gigId: 7 } as Payment)).toBe(words);
});
