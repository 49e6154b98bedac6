/**
 * Remembers what was found under a key for a short time, so that a page which everybody reads costs its work once. Those
 * who ask meanwhile wait for the same answer; a failure is not remembered.
 * @param options.keepMs how long an answer is good, from when it was asked for, in milliseconds
 * @param options.limit how many keys there are at most; the oldest goes first
 */
export function createShortMemory<T>(options: { clock: () => number; keepMs: number; limit: number }): {
  find(key: string, look: () => Promise<T>): Promise<T>;
} {
  const { clock, keepMs, limit } = options;
  const known = new Map<string, { readonly until: number; readonly found: Promise<T> }>();

  function forgetOld(now: number): void {
    for (const [key, { until }] of known) {
      if (until > now && known.size < limit) break;
      known.delete(key);
    }
  }

  return {
    find(key, look) {
      const now = clock();
      const entry = known.get(key);
      // A clock that was set back must not keep an answer for longer.
      if (entry !== undefined && entry.until > now && entry.until <= now + keepMs) return entry.found;
      known.delete(key);
      forgetOld(now);
      const found = look();
      const remembered = { until: now + keepMs, found };
      known.set(key, remembered);
      found.catch(() => {
        if (known.get(key) === remembered) known.delete(key);
      });
      return found;
    },
  };
}
