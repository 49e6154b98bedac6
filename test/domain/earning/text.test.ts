import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normaliseText, openText } from '../../../src/domain/earning/text.ts';

const hasKeyword = (text: string, keyword: string) => openText(text).has(keyword);

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

test('behavior: a keyword is found where it stands, and left out, as by a pattern with boundaries', () => {
  const unit = fc.constantFrom('$', 'de', 'gen', ' ', '_', 'ß', '𝒜', '\u0301', '٣', '🎉', '.', '𐐨');
  const words = fc.constantFrom('degen', '$degen', 'de', 'dede', '𐐨de');
  fc.assert(
    fc.property(fc.string({ unit }), words, (text, keyword) => {
      const isCashtag = keyword.startsWith('$');
      const plain = RegExp.escape(isCashtag ? keyword.slice(1) : keyword);
      const sign = isCashtag ? String.raw`\$` : String.raw`\$?`;
      const pattern = String.raw`(?<![\p{L}\p{M}\p{N}_$])${sign}${plain}(?![\p{L}\p{M}\p{N}_])`;
      // Folded but for punctuation, which is part of a pattern's boundaries.
      const own = text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
      expect(hasKeyword(own, keyword)).toBe(new RegExp(pattern, 'u').test(own));
      const left = normaliseText(own.replace(new RegExp(pattern, 'gu'), ' '), null);
      expect(normaliseText(own, keyword)).toBe(left);
    }),
  );
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
    const facts = { textHash: hash, plainHash: null, letters: 14 };
    expect(openText('Great post, 42 times @alice').facts(null)).toEqual(facts);
    expect(openText('GREAT  post: 42 times!! https://example.com/1').facts(null).textHash).toBe(hash);
    expect(openText('素晴らしい').facts(null).letters).toBe(5);
    expect(openText('🎉').facts(null)).toMatchObject({ letters: 0, textHash: expect.any(String) });
  });

  test('behavior: a text of which nothing is left has no hash: it copies none', () => {
    const none = { textHash: null, plainHash: null, letters: 0 };
    expect(openText(' @alice https://example.com ').facts(null)).toEqual(none);
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
    for (const part of ['a', '@', 'a.', 'https://', '$', '\u0301', ' ', 'a-', '\ud800', 'ﷺ', '$usdcx']) {
      expect(openText(part.repeat(100_000)).facts('$usdc').letters).toBeLessThanOrEqual(20_000);
      expect(hasKeyword(part.repeat(100_000), '$usdc')).toBe(false);
    }
  });
});
