import { createAskedBefore } from './asked-before.ts';

/** Answers that are given again for as long as nothing was committed. */
export interface KeptAnswers {
  /** The answer kept under a key, if it still holds under the store's present version. */
  find(key: string, version: number): string | undefined;
  /** Keeps an answer that was read after the store had this version, if it is likely to be asked for again. */
  keep(key: string, answer: string, version: number): void;
}

/** Characters of keys and answers in each of the two halves, about 14,000 look-ups in all. */
const MAX_CHARACTERS = 16_000_000;

/**
 * Keeps answers of one version of the store. There are two halves: what is asked for moves to the young one, and when that
 * is full the old one is dropped, so that the most popular stay and the memory is bounded. What is asked for once is not
 * kept: it would displace what is asked for often, and be one more old object for V8 to collect.
 */
export function createKeptAnswers(
  options: { maxCharacters?: number; isWorthIt?: (key: string) => boolean } = {},
): KeptAnswers {
  const { maxCharacters = MAX_CHARACTERS, isWorthIt = createAskedBefore() } = options;
  let young = new Map<string, string>();
  let old = new Map<string, string>();
  let characters = 0;
  let held: number | null = null;

  function hold(version: number): void {
    young = new Map();
    old = new Map();
    characters = 0;
    held = version;
  }

  function add(key: string, answer: string): void {
    const size = key.length + answer.length;
    if (size > maxCharacters) return;
    if (characters + size > maxCharacters) {
      old = young;
      young = new Map();
      characters = 0;
    }
    young.set(key, answer);
    characters += size;
  }

  return {
    find(key, version) {
      if (version !== held) {
        hold(version);
        return undefined;
      }
      const recent = young.get(key);
      if (recent !== undefined) return recent;
      const answer = old.get(key);
      if (answer === undefined) return undefined;
      old.delete(key);
      add(key, answer);
      return answer;
    },
    keep(key, answer, version) {
      if (version === held && isWorthIt(key) && !young.has(key)) add(key, answer);
    },
  };
}
