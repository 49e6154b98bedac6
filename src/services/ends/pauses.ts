/** Which gigs a job leaves alone for a while, in the memory of one process. Times are epoch milliseconds. */
export interface Pauses {
  /** Whether the job is to leave the gig alone now. */
  has(gigId: number, now: number): boolean;
  /** Begins a pause of a gig, twice as long as the last one; `isLongest`: as long as any. */
  begin(gigId: number, now: number, options?: { readonly isLongest?: boolean }): void;
  /** Forgets the pauses of a gig: its next one is the first. */
  forget(gigId: number): void;
}

/** Pauses that grow from the first to the longest, in milliseconds. */
export function createPauses({ firstMs, longestMs }: { firstMs: number; longestMs: number }): Pauses {
  const pauses = new Map<number, { readonly until: number; readonly ms: number }>();
  return {
    has(gigId, now) {
      const pause = pauses.get(gigId);
      if (pause === undefined) return false;
      const leftMs = pause.until - now;
      // More is left than it was long when the clock was set back.
      return leftMs > 0 && leftMs <= pause.ms;
    },
    begin(gigId, now, { isLongest = false } = {}) {
      const before = pauses.get(gigId);
      const ms = isLongest ? longestMs : Math.min(longestMs, before === undefined ? firstMs : before.ms * 2);
      pauses.set(gigId, { until: now + ms, ms });
    },
    forget(gigId) {
      pauses.delete(gigId);
    },
  };
}
