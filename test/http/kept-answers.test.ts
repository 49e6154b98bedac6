import { beforeEach, describe, expect, test } from 'vitest';
import { createKeptAnswers, type KeptAnswers } from '../../src/http/kept-answers.ts';

let version: number;
let kept: KeptAnswers;
beforeEach(() => {
  version = 1;
  kept = createKeptAnswers({ version: () => version, maxCharacters: 100 });
});

describe('kept answers', () => {
  test('behavior: an answer is found under its key while the version is the same', () => {
    kept.keep('?a', 'A', 1);
    expect(kept.find('?a')).toBe('A');
    expect(kept.find('?b')).toBeUndefined();
  });

  test('behavior: nothing is found after a commit, not even when it is read anew under another key', () => {
    kept.keep('?a', 'A', 1);
    version = 2;
    kept.keep('?b', 'B', 2);
    expect(kept.find('?a')).toBeUndefined();
    expect(kept.find('?b')).toBe('B');
  });

  test('behavior: what was read before a commit and is kept after it is not found', () => {
    version = 2;
    kept.keep('?a', 'A', 1);
    expect(kept.find('?a')).toBeUndefined();
    kept.keep('?b', 'B', 2);
    kept.keep('?a', 'A', 1);
    expect(kept.find('?a')).toBeUndefined();
  });

  test('security: memory is bounded, and what is asked for often stays', () => {
    const answer = 'x'.repeat(18);
    kept.keep('?p', answer, 1);
    for (let index = 10; index < 60; index += 1) {
      kept.keep(`${index}`, answer, 1);
      expect(kept.find('?p')).toBe(answer);
    }
    const found = Array.from({ length: 50 }, (_, index) => kept.find(`${index + 10}`)).filter(Boolean);
    // Ten of 20 characters fit into both halves together, and the popular one is among them.
    expect(found.length).toBeLessThanOrEqual(9);
    expect(kept.find('59')).toBe(answer);
  });

  test('security: an answer that is larger than everything is not kept', () => {
    kept.keep('?a', 'x'.repeat(100), 1);
    expect(kept.find('?a')).toBeUndefined();
  });
});
