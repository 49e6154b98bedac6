import { beforeEach, describe, expect, test } from 'vitest';
import { createKeptAnswers, type KeptAnswers } from '../../src/http/kept-answers.ts';

let kept: KeptAnswers;
beforeEach(() => {
  kept = createKeptAnswers({ halfBytes: 120, isWorthIt: () => true });
  expect(kept.find('?a', 1)).toBeUndefined();
});

describe('kept answers', () => {
  test('behavior: an answer is found under its key while the version is the same', () => {
    kept.keep('?a', 'A', 1);
    expect(kept.find('?a', 1)).toBe('A');
    expect(kept.find('?b', 1)).toBeUndefined();
  });

  test('behavior: nothing is found after a commit, not even when something else is read anew', () => {
    kept.keep('?a', 'A', 1);
    expect(kept.find('?b', 2)).toBeUndefined();
    kept.keep('?b', 'B', 2);
    expect(kept.find('?a', 2)).toBeUndefined();
    expect(kept.find('?b', 2)).toBe('B');
  });

  test('behavior: what was read before a commit and is kept after it is not found', () => {
    expect(kept.find('?b', 2)).toBeUndefined();
    kept.keep('?a', 'A', 1);
    expect(kept.find('?a', 2)).toBeUndefined();
    expect(kept.find('?a', 1)).toBeUndefined();
  });

  test('security: memory is bounded, and what is asked for often stays', () => {
    const answer = 'x'.repeat(18);
    kept.keep('?p', answer, 1);
    for (let index = 10; index < 60; index += 1) {
      kept.keep(`${index}`, answer, 1);
      expect(kept.find('?p', 1)).toBe(answer);
    }
    const found = Array.from({ length: 50 }, (_, index) => kept.find(`${index + 10}`, 1)).filter(Boolean);
    // Ten of 18 characters, with a key of 2 and their length, fit into both halves, and the popular one is among them.
    expect(found.length).toBeLessThanOrEqual(9);
    expect(kept.find('59', 1)).toBe(answer);
  });

  test('security: long keys take their part of the memory', () => {
    const keys = ['a', 'b', 'c'].map((letter) => letter.repeat(100));
    for (const key of keys) kept.keep(key, 'A', 1);
    expect(keys.map((key) => kept.find(key, 1))).toEqual([undefined, 'A', 'A']);
  });

  test('behavior: an answer in any script is found as it was kept, also after its place was used again', () => {
    const answers = ['{"a":"é"}', '{"a":"漢字"}', '{"a":"👍🏽"}', '{"a":""}'];
    for (let round = 0; round < 50; round += 1) {
      for (const [index, answer] of answers.entries()) {
        const key = `?${round}-${index}`;
        kept.keep(key, answer, 1);
        expect(kept.find(key, 1)).toBe(answer);
      }
    }
    const first = kept.find('?49-0', 1);
    for (let index = 0; index < 20; index += 1) kept.keep(`?x${index}`, 'x'.repeat(18), 1);
    expect(first).toBe('{"a":"é"}');
  });

  test('security: an answer that is larger than everything is not kept, and displaces nothing', () => {
    kept.keep('?b', 'B', 1);
    kept.keep('?a', 'x'.repeat(120), 1);
    expect(kept.find('?a', 1)).toBeUndefined();
    kept.keep('?a', 'x'.repeat(120), 1);
    expect(kept.find('?b', 1)).toBe('B');
  });

  test('behavior: an answer is kept when it is asked for again, also when something was committed in between', () => {
    const kept = createKeptAnswers();
    expect(kept.find('?a', 1)).toBeUndefined();
    kept.keep('?a', 'A', 1);
    expect(kept.find('?a', 1)).toBeUndefined();
    kept.keep('?a', 'A', 1);
    expect(kept.find('?a', 1)).toBe('A');

    expect(kept.find('?a', 2)).toBeUndefined();
    kept.keep('?a', 'B', 2);
    expect(kept.find('?a', 2)).toBe('B');
  });
});
