import type { Store } from '../store/port/index.ts';

/** A caller waits so many times as long as its transaction took, so that its transactions take a third of the time. */
const RESTS = 2;
/** The longest wait. What takes longer than half of it was held up by the disk or by another process. */
const LONGEST_REST_MS = 100;

export interface Pacing {
  /** Milliseconds since some moment; nobody sets this clock. */
  readonly elapsed: () => number;
  /** Resolves after so many milliseconds, or earlier when the service stops. */
  readonly sleep: (ms: number) => Promise<unknown>;
}

/**
 * A store that leaves the process to requests: a transaction blocks the event loop, its disk write included, so after each
 * the caller waits in proportion to the time that it took. Reads do not wait.
 */
export interface PacedStore extends Store {
  readonly isPaced: true;
}

/** The {@link PacedStore} over a store. */
export function createPacedStore(store: Store, { elapsed, sleep }: Pacing): PacedStore {
  return {
    ...store,
    isPaced: true,
    async transaction(run, options) {
      const begin = elapsed();
      try {
        return await store.transaction(run, options);
      } finally {
        await sleep(Math.min(RESTS * (elapsed() - begin), LONGEST_REST_MS));
      }
    },
  };
}
