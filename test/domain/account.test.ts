import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accountKeyText, accountNameText, inAccountOrder, readAccountKey } from '../../src/domain/account.ts';
import { parseAccountName, parseIdentifiers, readWrittenAccount } from '../../src/domain/account-name.ts';

const fid = (platformUserId: string) => ({ platform: 'farcaster', platformUserId });
const handle = (name: string) => ({ platform: 'twitter', handle: name });

function refusal(text: string | undefined): string {
  try {
    parseIdentifiers(text);
  } catch (error) {
    expect(error).toMatchObject({ name: 'DomainError', refusal: { code: 'invalid_request' } });
    return error instanceof Error ? error.message : '';
  }
  throw new Error('it was accepted');
}

test('behavior: digits are a Farcaster FID, anything else an X handle, in any mix', () => {
  expect(parseIdentifiers('242188,alice_99,3')).toEqual([fid('242188'), handle('alice_99'), fid('3')]);
});

test('behavior: white space around items is dropped, and so are empty items', () => {
  expect(parseIdentifiers(' 12 ,, \talice\n,  ,')).toEqual([fid('12'), handle('alice')]);
});

test('behavior: an FID is read in canonical decimal', () => {
  expect(parseIdentifiers('0042')).toEqual([fid('42')]);
  expect(parseIdentifiers('000')).toEqual([fid('0')]);
  expect(parseIdentifiers('18446744073709551615')).toEqual([fid('18446744073709551615')]);
});

test('behavior: a leading @ forces a handle', () => {
  expect(parseIdentifiers('@12345,12345')).toEqual([handle('12345'), fid('12345')]);
  expect(parseIdentifiers('@Alice')).toEqual([handle('alice')]);
});

test('behavior: repeated items are folded, however they are written', () => {
  expect(parseIdentifiers('Alice,@alice,ALICE,7,007,7')).toEqual([handle('alice'), fid('7')]);
});

test('behavior: a handle may have twenty characters, as old ones have, and no more', () => {
  expect(parseIdentifiers('abcdefghijklmnopqrst')).toEqual([handle('abcdefghijklmnopqrst')]);
  expect(refusal('abcdefghijklmnopqrstu')).toBe(
    'identifiers: "abcdefghijklmnopqrstu" is neither a Farcaster FID (a whole number of at most 20 digits) nor an X username (1 to 20 letters, digits or _)',
  );
});

test('error: nothing left to look up is refused', () => {
  for (const text of [undefined, '', ' ', ',', ' , ,,']) {
    expect(refusal(text)).toBe('identifiers is required: a comma-separated list of Farcaster FIDs and X usernames');
  }
});

test('error: a malformed item is refused, and the answer says which one', () => {
  for (const item of ['al ice', 'a-b', 'vitalik.eth', '@', '@@alice', 'a@b', '1.5', '-1', '123456789012345678901']) {
    expect(refusal(`12,${item},bob`)).toContain(`identifiers: ${JSON.stringify(item)} is neither`);
  }
});

test('error: a very long item is shown only in part', () => {
  expect(refusal('x'.repeat(10_000)).length).toBeLessThan(200);
});

test('security: letters and digits of other scripts are no handle and no FID', () => {
  // U+212A KELVIN SIGN and U+0130 have lower cases in, or near, ASCII.
  for (const item of ['\u212Aate', 'al\u0456ce', '٤٢', '４２', 'al\u200Bice', '\u0130van', '@\u212Aate']) {
    expect(refusal(item)).toContain('is neither');
  }
});

test('behavior: a hundred identifiers are allowed, counted without repetitions', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => String(index + 1));
  expect(parseIdentifiers([...hundred, ...hundred].join(','))).toHaveLength(100);
  expect(refusal([...hundred, 'one_more'].join(','))).toBe('identifiers: at most 100 are allowed, got 101');
});

test('security: any text is read or refused, and what is read is always well-formed', () => {
  const items = fc.array(
    fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.stringMatching(/^@?[A-Za-z0-9_]{1,20}$/)),
  );
  fc.assert(
    fc.property(items, (parts) => {
      try {
        for (const identifier of parseIdentifiers(parts.join(','))) {
          if ('handle' in identifier) expect(identifier.handle).toMatch(/^[a-z0-9_]{1,20}$/);
          else expect(identifier.platformUserId).toMatch(/^(0|[1-9][0-9]{0,19})$/);
        }
      } catch (error) {
        expect(error).toHaveProperty('refusal.code', 'invalid_request');
      }
    }),
  );
});

test.each([
  ['farcaster', '1001', { platformUserId: '1001' }],
  ['farcaster', '0007', { platformUserId: '7' }],
  ['farcaster', '0', { platformUserId: '0' }],
  ['twitter', '44196397', { platformUserId: '44196397' }],
  ['farcaster', 'Alice', { handle: 'alice' }],
  ['farcaster', '@1001', { handle: '1001' }],
  ['farcaster', 'dwr.eth', { handle: 'dwr.eth' }],
  ['twitter', '@Bob_1', { handle: 'bob_1' }],
  ['twitter', '@44196397', { handle: '44196397' }],
] as const)('behavior: on %s, %s is %j', (platform, text, name) => {
  expect(parseAccountName(platform, text)).toEqual({ platform, ...name });
});

test.each([
  ['farcaster', ''],
  ['farcaster', '@'],
  ['farcaster', '-alice'],
  ['farcaster', 'a b'],
  ['farcaster', 'a'.repeat(65)],
  ['farcaster', '1'.repeat(21)],
  ['twitter', 'a'.repeat(21)],
  ['twitter', 'dwr.eth'],
  ['twitter', '@@bob'],
  ['twitter', '\u212aate'],
  ['twitter', '1e3.5'],
] as const)('error: on %s, %j is no account', (platform, text) => {
  expect(() => parseAccountName(platform, text)).toThrow(/is neither an? (X id|Farcaster FID)|is neither a Farcaster/);
});

test.each([
  [' @Alice ', { platform: 'farcaster', handle: 'alice' }],
  ['1001', fid('1001')],
  ['farcaster:1001', fid('1001')],
  ['X:22', { platform: 'twitter', platformUserId: '22' }],
  ['twitter@Bob', handle('bob')],
  ['x:@bob', handle('bob')],
  ['https://x.com/bob', handle('bob')],
  ['farcaster.xyz/alice', { platform: 'farcaster', handle: 'alice' }],
] as const)('behavior: %j is an account as people write it, of Farcaster where it says no other', (text, name) => {
  expect(readWrittenAccount('farcaster', text)).toEqual(name);
});

test('behavior: an account’s key as one word is read back, and a handle’s word says that it is one', () => {
  const key = { platform: 'farcaster', platformUserId: '1001' };
  expect(accountKeyText(key)).toBe('farcaster:1001');
  expect(readAccountKey('farcaster:1001')).toEqual(key);
  expect(readAccountKey('farcaster')).toEqual({ platform: 'farcaster', platformUserId: '' });
  expect(readAccountKey('')).toEqual({ platform: '', platformUserId: '' });
  expect(accountNameText(key)).toBe('farcaster:1001');
  expect(accountNameText({ platform: 'twitter', handle: 'alice' })).toBe('twitter@alice');
});

test('behavior: accounts have one order, by platform and then by id', () => {
  const order = ['twitter:1', 'farcaster:2', 'farcaster:10', 'twitter:0', 'farcaster:2'].map(readAccountKey);
  const sorted = ['farcaster:10', 'farcaster:2', 'farcaster:2', 'twitter:0', 'twitter:1'];
  expect(order.toSorted(inAccountOrder).map(accountKeyText)).toEqual(sorted);
  const [x, y] = [readAccountKey('farcaster:2'), readAccountKey('twitter:1')];
  expect([inAccountOrder(x, y), inAccountOrder(y, x), inAccountOrder(x, x)]).toEqual([-1, 1, 0]);
});
