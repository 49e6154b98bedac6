/** A question to a verifier, ready to be asked. */
type Work = () => Promise<void>;

/**
 * The lanes in which verifiers are asked, so that a slow one keeps no gig of another waiting: one question at a time for
 * each origin. They belong to one process.
 */
export interface AskingLanes {
  /** Takes a question over; false when its origin is being asked or every lane is busy: then it has to come again. */
  take(origin: string, work: Work): boolean;
  /** Asks the next question that was taken. Returns whether there was one. */
  askNext(): Promise<boolean>;
}

/** {@link AskingLanes} for so many questions at once; `wake` tells those that call `askNext` that there is one. */
export function createAskingLanes({ lanes, wake }: { lanes: number; wake: () => void }): AskingLanes {
  const busy = new Set<string>();
  const waiting: { readonly origin: string; readonly work: Work }[] = [];
  return {
    take(origin, work) {
      if (busy.has(origin) || busy.size >= lanes) return false;
      busy.add(origin);
      waiting.push({ origin, work });
      wake();
      return true;
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
