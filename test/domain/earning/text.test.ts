import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasKeyword, normaliseText, readText } from '../../../src/domain/earning/text.ts';

describe('keywords', () => {
  test.each<[text: string, keyword: string]>([
    ['$USDC', '$usdc'],
    ['I hold $usdc.', '$usdc'],
    ['($USDC)', '$usdc'],
    ['＄ＵＳＤＣ', '$usdc'],
    ['gm Degen!', 'degen'],
    ['$DEGEN', 'degen'],
    ['degen-season', 'degen'],
    ['de\u200Bgen', 'degen'],
    ['ΟΔΟΣ', 'οδος'],
    ['one\ndegen\ntwo', 'degen'],
    ['пример', 'Пример'],
  ])('behavior: %j has %j', (text, keyword) => {
    expect(hasKeyword(text, keyword)).toBe(true);
  });

  test.each<[text: string, keyword: string]>([
    ['usdc', '$usdc'],
    ['$usdcx', '$usdc'],
    ['x$usdc', '$usdc'],
    ['$$usdc', '$usdc'],
    ['degens', 'degen'],
    ['degen_', 'degen'],
    ['degeń', 'degen'],
    ['degen\u0301', 'degen'],
    ['@degen hello', 'degen'],
    ['https://x.com/degen', 'degen'],
    ['', 'degen'],
  ])('behavior: %j does not have %j', (text, keyword) => {
    expect(hasKeyword(text, keyword)).toBe(false);
  });

  test('behavior: any keyword is found among other words, and not within one', () => {
    const keyword = fc.stringMatching(/^\$?[a-z0-9]{2,32}$/);
    fc.assert(
      fc.property(keyword, (word) => {
        expect(hasKeyword(`one ${word.toUpperCase()}, two`, word)).toBe(true);
        expect(hasKeyword(`one x${word}x two`, word)).toBe(false);
      }),
    );
  });
});

describe('texts', () => {
  test.each<[text: string, normal: string, keyword?: string]>([
    ['  Great\n\tPOST! ', 'great post'],
    ['good morning, to all of you!', 'good morning to all of you'],
    ['«Good—morning» …to_all | of 🎉 YOU', 'good morning to all of you'],
    ['+++ 42!\u0301 +++', '42'],
    ['café', 'café'],
    ['Straße', 'strasse'],
    ['STRASSE', 'strasse'],
    ['ﬁne', 'fine'],
    ['g\u200Bm', 'gm'],
    ['@alice.eth @bob great post', 'great post'],
    ['see https://example.com/a?b and www.example.com now', 'see and now'],
    ['see example.com/a, (farcaster.xyz) now', 'see now'],
    ['wow $USDC is usdc', 'wow is usdc', '$usdc'],
    ['wow $USDC is usdc', 'wow is', 'usdc'],
    ['🎉🎉', '🎉🎉'],
    ['🎉 !!', '🎉 !!'],
    ['!', '!'],
    ['@alice https://example.com', ''],
  ])('behavior: %j is normalised to %j', (text, normal, keyword = undefined) => {
    expect(normaliseText(text, keyword ?? null)).toBe(normal);
  });

  test('behavior: letters are counted, and copies have one hash', () => {
    const hash = createHash('sha256').update('great post 42 times').digest('hex');
    expect(readText('Great post, 42 times @alice', null)).toEqual({ textHash: hash, letters: 14 });
    expect(readText('GREAT  post: 42 times!! https://example.com/1', null).textHash).toBe(hash);
    expect(readText('素晴らしい', null).letters).toBe(5);
    expect(readText('🎉', null)).toMatchObject({ letters: 0, textHash: expect.any(String) });
  });

  test('behavior: a text of which nothing is left has no hash: it copies none', () => {
    expect(readText(' @alice https://example.com ', null)).toEqual({ textHash: null, letters: 0 });
  });

  test('behavior: a normalised text stays as it is', () => {
    const unit = fc.constantFrom(...'aZ ß\u200b\u0301İıςΣſﬁ＄$\né😀K\ud800/:\u00a0');
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const once = normaliseText(text, null);
        expect(normaliseText(once, null)).toBe(once);
      }),
    );
  });

  test('security: a long text of any kind is read', () => {
    for (const part of ['a', '@', 'a.', 'https://', '$', '\u0301', ' ', 'a-', '\ud800']) {
      expect(readText(part.repeat(100_000), '$usdc').letters).toBeLessThanOrEqual(20_000);
      expect(hasKeyword(part.repeat(100_000), '$usdc')).toBe(false);
    }
  });
});
