import { describe, expect, test } from 'vitest';
import { CHAINS } from '../../../src/domain/chains/chain.ts';
import type { Token } from '../../../src/domain/gigs/token.ts';
import { PRICE_FEEDS } from '../../../src/domain/prices/feeds.ts';
import { dollars, isQuoteUsable, type Price, USD, worthOf, worthText } from '../../../src/domain/prices/price.ts';

const token = (id: number, decimals = 6): Token => ({
  id,
  decimals,
  createdAt: 0,
  chainId: 8453,
  address: `0x${'ab'.repeat(20)}`,
  isNative: false,
  name: 'Coin',
  symbol: 'COIN',
  imageUrl: '',
  coingeckoId: null,
});
const priceOf = (prices: Readonly<Record<number, Price>>) => (of: Token) => prices[of.id] ?? null;

describe('what holdings are worth', () => {
  test('behavior: is exact, by the oldest price', () => {
    const prices = { 1: { usd: USD + 1n, at: 20 }, 2: { usd: 3_000n * USD, at: 10 } };
    const holdings = [
      { amount: 2_000_000n, token: token(1) },
      { amount: 5n * 10n ** 17n, token: token(2, 18) },
    ];
    expect(worthOf(holdings, priceOf(prices))).toEqual({ usd: 1_502n * USD + 2n, at: 10 });
  });

  test('behavior: is not told unless each token has a price, nor of nothing, nor beyond all money', () => {
    const one = { amount: 1_000_000n, token: token(1) };
    const prices = priceOf({ 1: { usd: USD, at: 1 } });
    expect(worthOf([one, { amount: 1n, token: token(2) }], prices)).toBeNull();
    expect(worthOf([{ ...one, amount: 0n }], prices)).toBeNull();
    expect(worthOf([], prices)).toBeNull();
    expect(worthOf([{ ...one, amount: 2n ** 255n }], prices)).toBeNull();
  });

  test.each<[usd: bigint, text: string]>([
    [1n, '< $0.01'],
    [USD / 100n, '≈ $0.01'],
    [124n * (USD / 10n), '≈ $12.40'],
    [12_345_678n * (USD / 1_000n), '≈ $12,345.68'],
  ])('behavior: %s is told as %s', (usd, text) => {
    expect(worthText({ usd, at: 0 })).toBe(text);
  });

  test('behavior: dollars have two decimals, rounded', () => {
    expect([0n, 5n * (USD / 1_000n), USD].map(dollars)).toEqual(['0.00', '0.01', '1.00']);
  });
});

describe('a quote', () => {
  const quote = { usd: USD, at: 1_000_000, holdsMs: 60_000 };
  test.each<[what: string, change: Partial<typeof quote>, now: number, isGood: boolean]>([
    ['new', {}, 1_000_000, true],
    ['as old as it holds', {}, 1_060_000, true],
    ['older', {}, 1_060_001, false],
    ['of a clock five minutes ahead', {}, 700_000, true],
    ['of the future', {}, 699_999, false],
    ['of nothing', { usd: 0n }, 1_000_000, false],
    ['below nothing', { usd: -1n }, 1_000_000, false],
    ['absurd', { usd: 10n ** 9n * USD + 1n }, 1_000_000, false],
  ])('behavior: %s', (_what, change, now, isGood) => {
    expect(isQuoteUsable({ ...quote, ...change }, now)).toBe(isGood);
  });
});

test('behavior: each feed is of a known chain, in lower case, and of one token', () => {
  const ids = CHAINS.map(({ id }) => id);
  for (const { chainId, token: of, feed } of PRICE_FEEDS) {
    expect(ids).toContain(chainId);
    for (const address of [of, feed]) expect(address).toMatch(/^0x[0-9a-f]{40}$/);
  }
  const keys = PRICE_FEEDS.map(({ chainId, token: of }) => `${chainId}:${of}`);
  expect(new Set(keys).size).toBe(keys.length);
});
