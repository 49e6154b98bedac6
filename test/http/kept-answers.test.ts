import { beforeEach, describe, expect, test } from 'vitest';
import { createKeptAnswers, type KeptAnswers } from '../../src/http/kept-answers.ts';

let kept: KeptAnswers;
beforeEach(() => {
  kept = createKeptAnswers({ bytes: 240, isWorthIt: () => true });
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
