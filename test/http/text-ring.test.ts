import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTextRing } from '../../src/http/text-ring.ts';

const ringOf = (size: number) => createTextRing({ size, maxTexts: 1_000 });

describe('a ring of texts', () => {
  test('behavior: a text is found under its key, and a second one under the same key changes nothing', () => {
    const ring = ringOf(100);
    expect(ring.get('?a')).toBeUndefined();
    ring.add('?a', 'A');
    ring.add('?b', 'B');
    ring.add('?a', 'other');
    expect(ring.get('?a')).toBe('A');
    expect(ring.get('?b')).toBe('B');
    ring.clear();
    expect(ring.get('?a')).toBeUndefined();
  });

  test('behavior: the oldest gives way, unless it was asked for since it came', () => {
    const ring = ringOf(100);
    // Five of 18 characters with a key of 2 fill it.
    for (const key of ['?1', '?2', '?3', '?4', '?5']) ring.add(key, 'x'.repeat(18));
    expect(ring.get('?1')).toBeDefined();
    ring.add('?6', 'y'.repeat(18));
    expect(['?1', '?2', '?3', '?4', '?5', '?6'].map((key) => ring.get(key)?.[0])).toEqual([
      'x',
      undefined,
      'x',
      'x',
      'x',
      'y',
    ]);
  });

  test('behavior: what is asked for between any two that come stays for ever', () => {
    const ring = ringOf(200);
    ring.add('?popular', '{"a":"popular"}');
    for (let index = 0; index < 500; index += 1) {
      ring.add(`?${index}`, 'x'.repeat(index % 37));
      expect(ring.get('?popular')).toBe('{"a":"popular"}');
    }
  });

  test('security: no more is held than the memory has room for, keys included', () => {
    const ring = ringOf(240);
    const keys = Array.from({ length: 50 }, (_, index) => `${index + 10}`);
    for (const key of keys) ring.add(key, 'x'.repeat(18));
    expect(keys.filter((key) => ring.get(key) !== undefined)).toHaveLength(12);
    const long = ['a', 'b', 'c'].map((letter) => letter.repeat(100));
    for (const key of long) ring.add(key, 'A');
    expect(long.map((key) => ring.get(key))).toEqual([undefined, 'A', 'A']);
  });

  test('security: there are no more texts than may be, however short, and those that are asked for stay', () => {
    const ring = createTextRing({ size: 10_000, maxTexts: 10 });
    const keys = Array.from({ length: 50 }, (_, index) => `?${index}`);
    for (const key of keys) {
      ring.add(key, '{}');
      expect(ring.get('?0')).toBe('{}');
    }
    expect(keys.filter((key) => ring.get(key) !== undefined)).toEqual(['?0', ...keys.slice(-9)]);
  });

  test('security: a text that is larger than everything is left out, and displaces nothing', () => {
    const ring = ringOf(120);
    ring.add('?b', 'B');
    ring.add('?a', 'x'.repeat(119));
    expect(ring.get('?a')).toBeUndefined();
    expect(ring.get('?b')).toBe('B');
    ring.add('?a', 'x'.repeat(118));
    expect(ring.get('?a')).toHaveLength(118);
    expect(ring.get('?b')).toBeUndefined();
  });

  test('security: what was asked for goes when there is no room for it at the end', () => {
    const ring = createTextRing({ size: 20, maxTexts: 2 });
    ring.add('?a', 'x'.repeat(8));
    ring.add('?b', 'B');
    expect(ring.get('?a')).toBe('x'.repeat(8));
    ring.add('?c', 'C');
    expect(['?a', '?b', '?c'].map((key) => ring.get(key))).toEqual([undefined, 'B', 'C']);
  });

  test('security: an empty text under an empty key takes its place, too', () => {
    const ring = ringOf(2);
    for (const [key, text] of [
      ['a', 'A'],
      ['', ''],
      ['b', 'B'],
      ['c', 'C'],
    ] as const) {
      ring.add(key, text);
    }
    expect(['a', '', 'b', 'c'].map((key) => ring.get(key))).toEqual([undefined, undefined, undefined, 'C']);
  });

  test('behavior: what was handed out stays as it is while its place is used again', () => {
    const ring = ringOf(40);
    ring.add('?a', '{"a":"漢字 é 👍🏽"}');
    const first = ring.get('?a');
    for (let index = 0; index < 20; index += 1) ring.add(`?x${index}`, 'x'.repeat(18));
    expect(ring.get('?a')).toBeUndefined();
    expect(first).toBe('{"a":"漢字 é 👍🏽"}');
  });

  test('security: whatever is put in and asked for, in any order, nobody gets another’s text', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ maxLength: 120 }));
    const key = fc.integer({ min: 0, max: 40 }).map((number) => (number === 0 ? '' : `?${number}`));
    const step = fc.record({ key, text, add: fc.boolean() });
    const sizes = fc.record({ size: fc.integer({ min: 2, max: 400 }), maxTexts: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(sizes, fc.array(step, { maxLength: 400 }), (options, steps) => {
        const { size } = options;
        const ring = createTextRing(options);
        const last = new Map<string, string>();
        for (const { key, text: said, add } of steps) {
          const found = ring.get(key);
          if (found !== undefined) expect(found).toBe(last.get(key));
          if (!add) continue;
          ring.add(key, said);
          if (found === undefined) last.set(key, said);
          const fits = Buffer.byteLength(said) + key.length <= size;
          expect(ring.get(key)).toBe(fits || found !== undefined ? last.get(key) : undefined);
        }
      }),
      { numRuns: 500 },
    );
  });
});
