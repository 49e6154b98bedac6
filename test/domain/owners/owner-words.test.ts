import { describe, expect, test } from 'vitest';
import { readWallet } from '../../../src/domain/owners/link.ts';
import { ownerText, readOwner } from '../../../src/domain/owners/owner.ts';

const ADDRESS = '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed';
const LOWER = ADDRESS.toLowerCase();

const written = (text: string) => {
  const owner = readOwner(text);
  return owner === null ? null : ownerText(owner);
};

describe('the name of an owner', () => {
  test.each([
    ['farcaster:1003', 'farcaster:1003'],
    ['x:22', 'twitter:22'],
    ['twitter:22', 'twitter:22'],
    [`wallet:${ADDRESS}`, `wallet:${LOWER}`],
    [`wallet:8453:${ADDRESS}`, `wallet:8453:${LOWER}`],
  ])('behavior: %s is stored as %s', (text, stored) => {
    expect(written(text)).toBe(stored);
  });

  test.each([
    ...[
      '',
      'farcaster',
      'farcaster:',
      'farcaster:alice',
      'farcaster:01',
      'myspace:1',
      '@alice',
      ' farcaster:1',
      'farcaster:1:2',
    ],
    ...[
      ADDRESS,
      'wallet:0x1',
      `wallet:0:${ADDRESS}`,
      `wallet:${ADDRESS.replace('4ed4E', '4ED4E')}`,
      `wallet:${ADDRESS}a`,
    ],
  ])('error: “%s” names none', (text) => {
    expect(written(text)).toBeNull();
  });
});

describe('the wallet of a link', () => {
  test('security: is the one address that is named, with a valid checksum if it has one', () => {
    expect(readWallet([ADDRESS])).toEqual({ wallet: LOWER });
    expect(readWallet([LOWER])).toEqual({ wallet: LOWER });
    expect(readWallet([])).toBe('no_address');
    expect(readWallet([ADDRESS, LOWER])).toBe('several_addresses');
    expect(readWallet([ADDRESS.replace('4ed4E', '4ED4E')])).toBe('invalid_address');
    expect(readWallet([ADDRESS.slice(0, -1)])).toBe('invalid_address');
  });
});
