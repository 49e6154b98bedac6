import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanTokenText } from '../../../src/domain/gigs/token-text.ts';

const ADDRESS = '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed';

const symbolOf = (symbol: string) => cleanTokenText({ name: 'Some Token', symbol }, ADDRESS).symbol;

test.each([
  ...['DEGEN', 'USD₮0', 'USDC.e', 'aArbWETH', 'stETH/ETH 80-20', '88MPH', 'Ξ', 'ЦСКА', '日本円', '🦄', 'A+B', '$BRETT'],
  ...['1INCH', 'v2.5'],
])('behavior: %s stays as it is', (symbol) => {
  expect(symbolOf(symbol)).toBe(symbol);
});

test.each<[said: string, kept: string]>([
  ['ＤＥＧＥＮ', 'DEGEN'],
  ['  A   B  ', 'A B'],
  ['a\u0000b\u001Bc', 'a b c'],
  ['a\u2028b\u2029c', 'a b c'],
  ['a\u202Eb', 'a b'],
  ['a\u3164b', 'a b'],
  ['a\uD800b', 'a b'],
  ['@channel', 'channel'],
  ['<b>A</b>', 'b A /b'],
  ['000,000 USDC', ''],
  ['000USDC', ''],
  ['1.5X', ''],
  ['USDC · 500 ETH', ''],
  ['\u05d0\u05d1 500 \u05d3', ''],
  ['U\u0405D\u0421', ''],
  ['\u0300\u0301\u0302', ''],
  ['Q\u0321\u0322\u0323', 'Q\u0321'],
  ['x://y', ''],
  ['https://evil.example', ''],
  ['HTTPS://EVIL.EXAMPLE A', 'A'],
  ['www.evil', ''],
  ['A www.evil.example/x?y=z B', 'A B'],
  ['evil.com', ''],
  ['sub.evil.co.uk/path A', 'A'],
  ['пример.рф', ''],
  ['evil․com', ''],
  ['evil。com', ''],
  ['x\u0323.com', ''],
  ['evil.c@om', 'evil.c om'],
  ['evil.c<>om', 'evil.c om'],
  ['http:@//e', 'http: //e'],
  ['h<ttps://e', 'h'],
])('security: %j becomes %j', (said, kept) => {
  expect(symbolOf(said)).toBe(kept === '' ? '0x4ed4…efed' : kept);
});

test('behavior: what is too long is cut, between whole characters', () => {
  expect(symbolOf('A'.repeat(21))).toBe('A'.repeat(20));
  expect(symbolOf('🦄'.repeat(300))).toBe('🦄'.repeat(20));
  expect(symbolOf(`${'A'.repeat(19)} B`)).toBe('A'.repeat(19));
  expect(cleanTokenText({ name: 'n'.repeat(65), symbol: 'A' }, ADDRESS).name).toBe('n'.repeat(64));
});

test('behavior: the symbol stands in for an empty name, the address for an empty symbol', () => {
  expect(cleanTokenText({ name: '@', symbol: 'A' }, ADDRESS)).toEqual({ name: 'A', symbol: 'A' });
  expect(cleanTokenText({ name: '', symbol: ' ' }, ADDRESS)).toEqual({ name: '0x4ed4…efed', symbol: '0x4ed4…efed' });
  expect(cleanTokenText({ name: 'Fine', symbol: '\u2800' }, ADDRESS)).toEqual({ name: 'Fine', symbol: '0x4ed4…efed' });
});

test('security: a very long text holds nobody up', () => {
  for (const said of ['a', 'a.', 'a-', '\uFDFA', '@', '1']) {
    expect(symbolOf(said.repeat(2_000_000)).length).toBeLessThanOrEqual(20);
  }
});

test('security: whatever is said, nothing is left that links, mentions or hides', () => {
  const piece = fc.constantFrom(
    ...['@', '<', '>', '.', '。', '/', ':', '://', 'www', 'http', 'com', 'x', 'evil', '-', ' ', '\u200B', '\u202E'],
    ...['\u0301', '＠', '．', '．com', '\n', '\uD83D', '\uDE00', '\uFDFA', 'ß', '1'],
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(text, text, (name, symbol) => {
      const clean = cleanTokenText({ name, symbol }, ADDRESS);
      for (const said of Object.values(clean)) {
        expect(said).not.toMatch(/[@<>\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(said).not.toMatch(/:\/\/\S|www\.\S|[\p{L}\p{N}-][.。]\p{L}{2}/iu);
        expect(said).toMatch(/^\S(.*\S)?$/su);
      }
      expect(Array.from(clean.symbol).length).toBeLessThanOrEqual(20);
      expect(Array.from(clean.name).length).toBeLessThanOrEqual(64);
      // Nothing is left to clean, but that the dots of a shortened address would be taken apart.
      if (!clean.symbol.startsWith('0x4ed4')) expect(cleanTokenText(clean, ADDRESS)).toEqual(clean);
    }),
    { numRuns: 500 },
  );
});
