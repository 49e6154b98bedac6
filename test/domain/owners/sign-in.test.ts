import { describe, expect, test } from 'vitest';
import {
  type FarcasterSignIn,
  isSignable,
  mayOwnersSignIn,
  readSignature,
  readSignInWay,
  type WalletSignIn,
} from '../../../src/domain/owners/sign-in.ts';

test('behavior: a way to sign in is known by its name', () => {
  expect(['farcaster', 'wallet', 'x', ''].map(readSignInWay)).toEqual(['farcaster', 'wallet', null, null]);
});

test('behavior: owners can sign in when at least one way is on', () => {
  // Only whether a way is on decides.
  const wallet = {} as WalletSignIn;
  const farcaster = {} as FarcasterSignIn;
  expect(mayOwnersSignIn({ wallet: null, farcaster: null })).toBe(false);
  expect(mayOwnersSignIn({ wallet, farcaster: null })).toBe(true);
  expect(mayOwnersSignIn({ wallet: null, farcaster })).toBe(true);
});

describe('a URL at which wallets sign in', () => {
  const LONGEST = 'a'.repeat(63);
  test.each([
    ...['https://gigs.example', 'https://gigs.example:8443/', 'https://a.b-c.example', 'https://1.a2.example'],
    ...[`https://${LONGEST}.example`, 'http://localhost:8787', 'http://localhost', 'http://127.0.0.1:1'],
    ...['http://192.168.100.200:65535', 'https://GIGS.example'],
  ])('behavior: can be %s', (url) => {
    expect(isSignable(url)).toBe(true);
  });

  test.each([
    ...['http://gigs', 'http://localhost2', 'http://mylocalhost', 'http://[::1]:8787', 'https://gigs.e1'],
    ...['https://gigs.example.', 'https://a_b.example', 'https://-a.example', 'https://a-.example'],
    ...[`https://${LONGEST}a.example`, 'https://xn--p1ai.xn--p1ai'],
  ])('error: cannot be %s', (url) => {
    expect(isSignable(url)).toBe(false);
  });
});

describe('a signature as people paste it', () => {
  test.each(['0xab12', 'ab12', '"0xab12"', "'0xab12'", '  0xab12\n', '"ab12', 'ab12"'])(
    'behavior: %j is read',
    (text) => {
      expect(readSignature(text)).toBe('0xab12');
    },
  );

  test('behavior: keeps its case, and has at most 16,384 digits', () => {
    expect(readSignature('0XAB12')).toBe('0xAB12');
    expect(readSignature('ab'.repeat(8_192))).toBe(`0x${'ab'.repeat(8_192)}`);
    expect(readSignature('ab'.repeat(8_193))).toBeNull();
  });

  test.each(['', '0x', '""', '0xabc', '0xab1g', 'x0xab12', '0xab12 cd', '0xab12;', '""ab12', 'ab12""', '-ab12'])(
    'error: %j is none',
    (text) => {
      expect(readSignature(text)).toBeNull();
    },
  );

  test('security: one that would delegate its account first is none, and one that only contains the mark is one', () => {
    expect(readSignature(`0xab${'8010'.repeat(16)}`)).toBeNull();
    expect(readSignature(`0xab${'8010'.repeat(15)}`)).toBe(`0xab${'8010'.repeat(15)}`);
    expect(readSignature(`0x${'8010'.repeat(16)}ab`)).toBe(`0x${'8010'.repeat(16)}ab`);
  });
});
