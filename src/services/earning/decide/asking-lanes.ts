type Work = () => Promise<void>;

/**
 * The lanes in which verifiers are asked, so that a slow one keeps no gig of another waiting: one question at a time for
 * each origin. They belong to one process.
 */
export interface AskingLanes {
  /**
   * Takes a question over, and returns null. While its origin is being asked, or every lane is busy, it returns after how many
   * milliseconds the question has to come again.
   */
  take(origin: string, work: Work): number | null;
  /** How long the gig of a question waits after it, in milliseconds: those that had to come again go first. */
  pauseAfter(origin: string): number;
  /** Asks the next question that was taken. Returns whether there was one. */
  askNext(): Promise<boolean>;
}

/**
 * When a question comes again: the more of them have to since the last one began, the later, because each look costs two
 * transactions of the lanes in which all gigs are watched. Milliseconds.
 */
const AGAIN_MS = { first: 2_000, each: 100, longest: 30_000 };

function waitOf(refused: number): number {
  return Math.min(Math.max(AGAIN_MS.first, refused * AGAIN_MS.each), AGAIN_MS.longest);
}

/** {@link AskingLanes} for so many questions at once; `wake` tells those that call `askNext` that there is one. */
export function createAskingLanes({ lanes, wake }: { lanes: number; wake: () => void }): AskingLanes {
  const busy = new Set<string>();
  /** How many questions of an origin have to come again since the last one of it began. */
  const refused = new Map<string, number>();
  const waiting: { readonly origin: string; readonly work: Work }[] = [];
  return {
    take(origin, work) {
      if (busy.has(origin) || busy.size >= lanes) {
        const count = (refused.get(origin) ?? 0) + 1;
        refused.set(origin, count);
        return waitOf(count);
      }
      refused.delete(origin);
      busy.add(origin);
      waiting.push({ origin, work });
      wake();
      return null;
    },
    pauseAfter(origin) {
      const count = refused.get(origin);
      return count === undefined ? 0 : waitOf(count + 1);
    },
    async askNext() {
      const next = waiting.shift();
      if (next === undefined) return false;
      try {
        await next.work();
      } finally {
        busy.delete(next.origin);
      }
      return true;
    },
  };
}
