import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Tip } from '../../../../src/domain/tip.ts';
import type { Token } from '../../../../src/domain/token.ts';
import { writeClaimable, writeTip } from '../../../../src/http/api/claims/claimable-json.ts';
import { renderTip } from '../../../../src/http/api/claims/tip-json.ts';
import { iso } from '../../../../src/http/iso-time.ts';

const TOKEN: Token = {
  id: 3,
  createdAt: 1_767_225_600_000,
  address: '0x4ed4e862860bed51a9570b96d89af5e1b0efefed',
  chainId: 8453,
  decimals: 18,
  name: 'De"gen',
  symbol: 'DEGEN',
  imageUrl: '',
  isNative: false,
  coingeckoId: null,
};

const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });

const anyTip: fc.Arbitrary<Tip> = fc.record({
  id: fc.integer({ min: 1 }),
  createdAt: time,
  gigId: fc.integer({ min: 1 }),
  tokenId: fc.integer({ min: 1 }),
  amount: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  status: fc.constantFrom('pending', 'claimed'),
  platform: fc.constantFrom('farcaster', 'twitter'),
  platformUserId: fc.bigInt({ min: 1n, max: 2n ** 64n }).map(String),
  username: fc.option(fc.string({ unit: 'binary' })),
  userAddress: fc.option(hex(40).map((digits) => `0x${digits}` as const)),
  txHash: fc.option(hex(64).map((digits) => `0x${digits}`)),
  claimedAt: fc.option(time),
  claimNonce: fc.option(fc.string({ unit: 'binary' })),
  claimStartedAt: fc.option(time),
  lockTimeout: fc.option(time),
});

describe('a tip as text', () => {
  test('behavior: says what the tip as an object says, field for field', () => {
    fc.assert(
      fc.property(anyTip, fc.integer({ min: 0, max: 255 }), (tip, decimals) => {
        const token = { ...TOKEN, decimals };
        expect(writeTip(tip, token)).toBe(JSON.stringify(renderTip(tip, token)));
      }),
    );
  });

  test('security: a name cannot break out of its text', () => {
    const tip: Tip = {
      id: 1,
      createdAt: 0,
      gigId: 2,
      tokenId: 3,
      amount: 5n,
      status: 'pending',
      platform: 'farcaster',
      platformUserId: '7',
      username: '","status":"claimed',
      userAddress: null,
      txHash: null,
      claimedAt: null,
      claimNonce: null,
      claimStartedAt: null,
      lockTimeout: null,
    };
    const group = { token: TOKEN, total: 5n, tips: [tip, tip], gigCount: 1 };
    const { data, summary } = JSON.parse(writeClaimable([group]));
    const [entry] = Object.values<{ token: { name: string }; tips: { username: string; status: string }[] }>(data);
    expect(entry?.tips.map(({ username, status }) => [username, status])).toEqual([
      ['","status":"claimed', 'pending'],
      ['","status":"claimed', 'pending'],
    ]);
    expect(entry?.token.name).toBe('De"gen');
    expect(summary).toEqual({ total_tokens: 1, total_gigs: 1 });
  });
});

describe('a moment', () => {
  test('behavior: is written as ISO 8601 in UTC', () => {
    expect(iso(0)).toBe('1970-01-01T00:00:00.000Z');
    expect(iso(1_767_225_599_999)).toBe('2025-12-31T23:59:59.999Z');
    expect(iso(1_767_225_600_000)).toBe('2026-01-01T00:00:00.000Z');
    expect(iso(1_772_323_384_007)).toBe('2026-03-01T00:03:04.007Z');
    expect(iso(1_767_225_599_050)).toBe('2025-12-31T23:59:59.050Z');
  });
});
