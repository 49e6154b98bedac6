import { describe, expect, test } from 'vitest';
import { confirmationOf, isBasename, isNameMeant, readName } from '../../../src/domain/names/ens-name.ts';

const read = (text: string) => {
  const found = readName(text);
  return 'name' in found ? found.name : found;
};

describe('a name', () => {
  test.each(['alice.eth', 'alice.base.eth', 'a.b.c.eth', 'ab-1.eth', '_x.eth', '1.eth', '0x1234.eth', 'naïve.eth'])(
    'behavior: %s is one, as it is typed',
    (text) => expect(read(text)).toBe(text),
  );

  test.each(['你好.eth', '日本語カタカナ.eth', '👻.eth', '👨‍👩‍👧.eth', 'я.я.eth', '١٢.eth'])(
    'behavior: %s is one: each label has one script',
    (text) => expect(read(text)).toBe(text),
  );

  test.each([
    ['Alice.eth', 'alice.eth'],
    ['alice.ETH', 'alice.eth'],
    ['ａlice.eth', 'alice.eth'],
    ['al\u200bice.eth', 'alice.eth'],
    ['alice.eth\u200d', null],
    ['❤\ufe0f.eth', '❤.eth'],
    ['nai\u0308ve.eth', 'naïve.eth'],
    ['ⓐ.eth', 'a.eth'],
  ])('security: %j is refused, because ENSIP-15 writes it otherwise', (text, written) => {
    expect(read(text)).toEqual(written === null ? { kind: 'unfit' } : { kind: 'written_otherwise', written });
  });

  test.each([
    ['mixed scripts', 'аlice.eth'],
    ['mixed scripts', 'alicе.eth'],
    ['scripts that ENSIP-15 lets mix', '你好alice.eth'],
    ['scripts that ENSIP-15 lets mix', '日本abc.eth'],
    ['a script that looks like another', 'аррӏе.eth'],
    ['a script that looks like another', 'αβγ.eth'],
    ['digits of another script', 'abc१.eth'],
    ['an empty label', 'alice..eth'],
    ['an empty label', '.eth'],
    ['a dot at its end', 'alice.eth.'],
    ['a tag', '$alice.eth'],
    ['an underscore within', 'a_b.eth'],
    ['Punycode', 'xn--ls8h.eth'],
    ['a handle', 'a@b.eth'],
    ['a path', 'a/b.eth'],
    ['another end', 'alice.com'],
    ['no end', 'alice'],
    ['a joiner alone', '\u200d.eth'],
    ['half a character', '\ud800.eth'],
  ])('security: %s is refused: %j', (_, text) => expect(read(text)).toEqual({ kind: 'unfit' }));

  test('error: one that is too long is refused, by bytes and by labels', () => {
    expect(read(`${'a'.repeat(96)}.eth`)).toBe(`${'a'.repeat(96)}.eth`);
    expect(read(`${'a'.repeat(97)}.eth`)).toEqual({ kind: 'too_long' });
    expect(read(`${'你'.repeat(33)}.eth`)).toEqual({ kind: 'too_long' });
    expect(read(`${'a.'.repeat(9)}eth`)).toBe(`${'a.'.repeat(9)}eth`);
    expect(read(`${'a.'.repeat(10)}eth`)).toEqual({ kind: 'too_long' });
  });

  test('behavior: a name under base.eth is a Basename, and base.eth itself is none', () => {
    expect((['alice.base.eth', 'a.b.base.eth'] as const).map(isBasename)).toEqual([true, true]);
    expect((['base.eth', 'notbase.eth', 'alice.eth'] as const).map(isBasename)).toEqual([false, false, false]);
  });

  test('behavior: what ends as a name is meant as one, a handle is not', () => {
    expect(['alice.eth', 'ALICE.ETH', 'a/b.eth', '.eth'].map(isNameMeant)).toEqual([true, true, true, true]);
    expect(['@alice.eth', 'alice.com', 'alice', 'alice.eth.', 'eth'].map(isNameMeant)).toEqual(Array(5).fill(false));
  });

  test('behavior: an address is confirmed by its first four digits', () => {
    expect(confirmationOf('0x70997970c51812dc3a010c7d01b50e0d17dc79c8')).toBe('0x7099');
  });
});
