/**
 * Caches results by key for a short time, so that a popular page does its work once. Concurrent callers share one
 * request; failures are not cached.
 * @param options.keepMs how long a result is valid after its request, in milliseconds
 * @param options.limit the most keys; the oldest is evicted first
 */
export function createShortMemory<T>(options: { clock: () => number; keepMs: number; limit: number }): {
  /** @param isFresh whether to look anew, whatever is remembered */
  find(key: string, look: () => Promise<T>, isFresh?: boolean): Promise<T>;
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
    find(key, look, isFresh = false) {
      const now = clock();
      const entry = known.get(key);
      // A clock that was set back must not extend an entry.
      if (!isFresh && entry !== undefined && entry.until > now && entry.until <= now + keepMs) return entry.found;
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
