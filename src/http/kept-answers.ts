import { createAskedBefore } from './asked-before.ts';

/** Answers that are given again for as long as nothing was committed. */
export interface KeptAnswers {
  /** The answer kept under a key, if it still holds under the store's present version. */
  find(key: string, version: number): string | undefined;
  /** Keeps an answer that was read after the store had this version, if it is likely to be asked for again. */
  keep(key: string, answer: string, version: number): void;
}

/**
 * Bytes of keys and answers in each of the two halves, about 28,000 look-ups in all. Memory that was never written to is
 * not resident: a store that is written to often keeps little.
 */
const HALF_BYTES = 32_000_000;

/** Before each answer stands its length, as a number of 32 bits. */
const LENGTH_BYTES = 4;

/** What an answer takes in bytes; its key as much as it is long, so that keys are bounded too. */
function roomFor(key: string, answer: string): number {
  return LENGTH_BYTES + Buffer.byteLength(answer) + key.length;
}

/** Answers one after the other in memory of their own, until it is full. */
interface Half {
  /** The answer under a key. */
  get(key: string): string | undefined;
  has(key: string): boolean;
  /** Whether there was room for it. An empty half has room for all that is not larger than itself. */
  add(key: string, answer: string): boolean;
  clear(): void;
}

/**
 * The texts lie outside V8's heap, which otherwise walks all of it again for every few megabytes of answers that are new
 * to it: 50 ms in which nobody is answered. What is handed out is a copy, so that the memory can be used again while an
 * answer is still on its way.
 */
function createHalf(size: number): Half {
  const bytes = Buffer.allocUnsafeSlow(size);
  const starts = new Map<string, number>();
  let end = 0;
  return {
    get(key) {
      const start = starts.get(key);
      if (start === undefined) return undefined;
      const from = start + LENGTH_BYTES;
      return bytes.toString('utf8', from, from + bytes.readUInt32LE(start));
    },
    has: (key) => starts.has(key),
    add(key, answer) {
      const room = roomFor(key, answer);
      if (end + room > size) return false;
      const length = bytes.write(answer, end + LENGTH_BYTES);
      bytes.writeUInt32LE(length, end);
      starts.set(key, end);
      end += room;
      return true;
    },
    clear() {
      starts.clear();
      end = 0;
    },
  };
}

/**
 * Keeps answers of one version of the store. There are two halves: what is asked for moves to the young one, and when that
 * is full the old one is dropped, so that the most popular stay and the memory is bounded. What is asked for once is not
 * kept, because it would displace what is asked for often.
 */
export function createKeptAnswers(
  options: { halfBytes?: number; isWorthIt?: (key: string) => boolean } = {},
): KeptAnswers {
  const { halfBytes = HALF_BYTES, isWorthIt = createAskedBefore() } = options;
  let young = createHalf(halfBytes);
  let old = createHalf(halfBytes);
  let held: number | null = null;

  function hold(version: number): void {
    young.clear();
    old.clear();
    held = version;
  }

  function add(key: string, answer: string): void {
    if (young.add(key, answer)) return;
    if (roomFor(key, answer) > halfBytes) return;
    old.clear();
    [young, old] = [old, young];
    young.add(key, answer);
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
      if (answer !== undefined) add(key, answer);
      return answer;
    },
    keep(key, answer, version) {
      if (version === held && isWorthIt(key) && !young.has(key)) add(key, answer);
    },
  };
}
