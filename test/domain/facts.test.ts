import { expect, test } from 'vitest';
import { CHAINS, chainById, chainByKey } from '../../src/domain/chains/chain.ts';
import { AdapterError, DomainError } from '../../src/domain/errors.ts';
import { checksummed, NATIVE_TOKEN_ADDRESS } from '../../src/domain/gigs/token.ts';
import { authorOf } from '../../src/domain/mentions/mention.ts';
import { isUsable } from '../../src/domain/operators/api-key.ts';

test('behavior: every chain has the key and the id that clients know it by', () => {
  expect(Object.fromEntries(CHAINS.map(({ key, id }) => [key, id]))).toEqual({
    base: 8453,
    'base-sepolia': 84532,
    optimism: 10,
    arbitrum: 42161,
    polygon: 137,
    ethereum: 1,
    anvil: 31337,
  });
  expect(chainByKey('base')?.name).toBe('Base');
  expect(chainById(10)?.key).toBe('optimism');
  expect(chainByKey('Base')).toBeUndefined();
  expect(chainById(2)).toBeUndefined();
});

test('behavior: the native asset has the address of EIP-7528', () => {
  expect(checksummed(NATIVE_TOKEN_ADDRESS)).toBe('0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE');
});

test('behavior: addresses leave with their EIP-55 checksum', () => {
  // The first example of EIP-55.
  expect(checksummed('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed')).toBe('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed');
});

test('security: a key is usable until its expiry, and never once revoked', () => {
  expect(isUsable({ expiresAt: null, revokedAt: null }, 5)).toBe(true);
  expect(isUsable({ expiresAt: 6, revokedAt: null }, 5)).toBe(true);
  expect(isUsable({ expiresAt: 5, revokedAt: null }, 5)).toBe(false);
  expect(isUsable({ expiresAt: null, revokedAt: 1 }, 5)).toBe(false);
  expect(isUsable({ expiresAt: null, revokedAt: 9 }, 5)).toBe(false);
});

test('error: errors carry their facts, and a foreign error only as the cause', () => {
  const domain = new DomainError({ code: 'gig_not_found', gigId: 4 });
  expect(domain).toMatchObject({ name: 'DomainError', message: 'gig_not_found', refusal: { gigId: 4 } });
  expect(new DomainError({ code: 'invalid_request', message: 'say more' }).message).toBe('say more');
  const cause = new Error('socket hang up');
  const facts = { retry: 'unknown', reason: 'timeout', message: 'no answer', retryAfterMs: 9, cause } as const;
  expect(new AdapterError(facts)).toMatchObject({ name: 'AdapterError', ...facts });
});

test('behavior: the author of a mention is an id on a platform, not a handle', () => {
  expect(authorOf({ platform: 'twitter', authorId: '99' })).toEqual({ platform: 'twitter', platformUserId: '99' });
});
