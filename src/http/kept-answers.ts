import { createAskedBefore } from './asked-before.ts';
import { createTextRing } from './text-ring.ts';

/** Answers that are given again for as long as nothing was committed. */
export interface KeptAnswers {
  /** The answer kept under a key, if it still holds under the store's present version. */
  find(key: string, version: number): string | undefined;
  /** Keeps an answer that was read after the store had this version, if it is likely to be asked for again. */
  keep(key: string, answer: string, version: number): void;
}

/**
 * Bytes of keys and answers, about 28,000 look-ups of five tips each. Memory that was never written to is not resident: a
 * store that is written to often keeps little.
 */
const BYTES = 64_000_000;
/** Answers at most, of however few bytes: as many as take another 14 MB of V8's heap. */
const MAX_ANSWERS = 64_000;

/**
 * Keeps answers of one version of the store, the most popular ones in bounded memory. What is asked for once is not kept,
 * because it would displace what is asked for often.
 */
export function createKeptAnswers(options: { bytes?: number; isWorthIt?: (key: string) => boolean } = {}): KeptAnswers {
  const { bytes = BYTES, isWorthIt = createAskedBefore() } = options;
  const answers = createTextRing({ size: bytes, maxTexts: MAX_ANSWERS });
  let held: number | null = null;
  return {
    find(key, version) {
      if (version === held) return answers.get(key);
      answers.clear();
      held = version;
      return undefined;
    },
    keep(key, answer, version) {
      if (version === held && isWorthIt(key)) answers.add(key, answer);
    },
  };
}
