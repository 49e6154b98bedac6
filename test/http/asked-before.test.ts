import { expect, test } from 'vitest';
import { createAskedBefore } from '../../src/http/asked-before.ts';

test('behavior: a key was asked before from its second time on', () => {
  const askedBefore = createAskedBefore();
  expect(['?a', '?b', '?a', '?a', '?b', ''].map(askedBefore)).toEqual([false, false, true, true, true, false]);
  expect(askedBefore('')).toBe(true);
});

test('behavior: a crowd that asks once displaces what was asked before it', () => {
  const askedBefore = createAskedBefore(64);
  askedBefore('?identifiers=8004');
  expect(askedBefore('?identifiers=8004')).toBe(true);
  const again = Array.from({ length: 2_000 }, (_, index) => askedBefore(`?identifiers=${index}`)).filter(Boolean);
  expect(again).toEqual([]);
  expect(askedBefore('?identifiers=8004')).toBe(false);
});

test('behavior: few of thousands of keys are mixed up with others', () => {
  const askedBefore = createAskedBefore();
  const keys = Array.from({ length: 100_000 }, (_, index) => `?identifiers=user_${index}`);
  expect(keys.filter(askedBefore).length).toBeLessThan(20);
});
