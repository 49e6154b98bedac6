/** Waits of a second and more end together with others, at the tick before their time. Milliseconds. */
export const TICK_MS = 1_000;

export interface Alarms {
  /** Calls `ring` after `ms`, or sooner by less than a tick; what it returns gives the wait up. */
  set(ring: () => void, ms: number): () => void;
}

/** Long waits share one timer, so that a process whose tasks only look for work wakes up once for all of them. */
export function createAlarms(): Alarms {
  const waiting = new Map<() => void, number>();
  let timer: NodeJS.Timeout | undefined;

  function time(): void {
    clearTimeout(timer);
    timer = waiting.size === 0 ? undefined : setTimeout(tick, TICK_MS);
  }

  function tick(): void {
    const nextTick = performance.now() + TICK_MS;
    for (const [ring, due] of [...waiting]) if (due < nextTick && waiting.delete(ring)) ring();
    time();
  }

  return {
    set(ring, ms) {
      if (ms < TICK_MS) {
        const own = setTimeout(ring, ms);
        return () => clearTimeout(own);
      }
      waiting.set(ring, performance.now() + ms);
      if (timer === undefined) time();
      return () => {
        if (waiting.delete(ring) && waiting.size === 0) time();
      };
    },
  };
}
