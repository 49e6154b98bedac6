/** Answers that are given again for as long as nothing was committed. */
export interface KeptAnswers {
  /** The answer kept under a key, if it still holds. */
  find(key: string): string | undefined;
  /** Keeps an answer that was read after the store had this version. */
  keep(key: string, answer: string, version: number): void;
}

/** Everything after the path, as it came: the same text is the same question. */
export function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start);
}

/** Characters of keys and answers in each of the two halves, about 7,000 look-ups in all. */
const MAX_CHARACTERS = 8_000_000;

/**
 * Keeps answers of one version of the store. There are two halves: what is asked for moves to the young one, and when that
 * is full the old one is dropped, so that the most popular stay and the memory is bounded.
 * @param options.version the store's version now; see `Store.version`
 */
export function createKeptAnswers(options: { version: () => number; maxCharacters?: number }): KeptAnswers {
  const { version, maxCharacters = MAX_CHARACTERS } = options;
  let young = new Map<string, string>();
  let old = new Map<string, string>();
  let characters = 0;
  let held: number | null = null;

  function hold(newer: number): void {
    young = new Map();
    old = new Map();
    characters = 0;
    held = newer;
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
    find(key) {
      const recent = young.get(key);
      const answer = recent ?? old.get(key);
      if (answer === undefined) return undefined;
      const now = version();
      if (now !== held) {
        hold(now);
        return undefined;
      }
      if (recent === undefined) {
        old.delete(key);
        add(key, answer);
      }
      return answer;
    },
    keep(key, answer, readUnder) {
      if (readUnder !== held) hold(readUnder);
      if (!young.has(key)) add(key, answer);
    },
  };
}
