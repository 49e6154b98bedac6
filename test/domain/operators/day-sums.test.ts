import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  addPlaces,
  DURATION_BOUNDS,
  daysLeft,
  owedOf,
  refundableOf,
  summarizeDurations,
  type TokenSums,
} from '../../../src/domain/operators/day-sums.ts';

function sumsOf(sums: Partial<TokenSums>): TokenSums {
  const token = { id: 1, createdAt: 1, address: '0xaa', chainId: 1, decimals: 6, name: 'T', symbol: 'T' } as const;
  const none = { gigs: 1, funded: 0n, awarded: 0n, paid: 0n, settled: 0n, refunded: 0n, paidOn: new Map() };
  return { token: { ...token, imageUrl: '', isNative: false, coingeckoId: null }, ...none, ...sums };
}

test('behavior: places add up to the amount, also when one was taken back or exceeds its digits', () => {
  expect(addPlaces([])).toBe(0n);
  expect(
    addPlaces([
      { place: 0, sum: -1n },
      { place: 2, sum: 5_000_000_001n },
    ]),
  ).toBe(5_000_000_001n * 10n ** 18n - 1n);
});

test('behavior: what is owed and refundable is never negative', () => {
  expect(owedOf(sumsOf({ awarded: 7n, paid: 3n }))).toBe(4n);
  expect(owedOf(sumsOf({ awarded: 3n, paid: 7n }))).toBe(0n);
  expect(refundableOf(sumsOf({ settled: 7n, refunded: 3n }))).toBe(4n);
  expect(refundableOf(sumsOf({ settled: 3n, refunded: 7n }))).toBe(0n);
});

describe('durations', () => {
  test('behavior: the median is at most the bound of its bucket, and never more than the worst', () => {
    expect(summarizeDurations([])).toBeNull();
    const counts = [
      { bucket: 5_000, n: 2, longest: 4_200 },
      { bucket: 1_000, n: 3, longest: 900 },
      { bucket: 90_000, n: 1, longest: 61_000 },
    ];
    expect(summarizeDurations(counts)).toEqual({ median: 1_000, worst: 61_000, count: 6 });
    expect(summarizeDurations(counts.slice(0, 1))).toEqual({ median: 4_200, worst: 4_200, count: 2 });
  });

  test('behavior: the bounds are those of the triggers on each engine', () => {
    const files = globSync('drizzle{,-postgres}/*_day_sums.sql');
    expect(files).toHaveLength(2);
    for (const file of files) {
      const bounds = [...readFileSync(file, 'utf8').matchAll(/WHEN ms <= (\d+) THEN (\d+)/g)];
      expect(bounds.filter(([, below, bucket]) => below !== bucket)).toEqual([]);
      const found = new Set(bounds.map(([, bound]) => Number(bound)));
      expect([...found]).toEqual(DURATION_BOUNDS);
    }
  });
});

test('behavior: the gas tank lasts as long as its balance at the pace of the days before, to a tenth', () => {
  expect(daysLeft({ balance: 100n, spent: 0n, days: 7 })).toBeNull();
  expect(daysLeft({ balance: 100n, spent: 30n, days: 7 })).toBe(23.3);
  expect(daysLeft({ balance: 0n, spent: 30n, days: 7 })).toBe(0);
});
