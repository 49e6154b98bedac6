import type { Log } from '../../log.ts';
import type { Store } from '../../store/port/index.ts';

/** Clocks are corrected by a little all the time; a wait that is longer by this much does no harm. Milliseconds. */
const TOLERANCE_MS = 1_000;

/** Watches whether the clock was set back. */
export interface ClockWatch {
  /** To be called every second or so. @returns whether waits were ended, so that there is work now */
  look(): Promise<boolean>;
}

/**
 * A clock that was set back must hold up nothing: what waits until a time of the old clock would wait for as long as it was
 * set back. Such waits end at once, and leases within the time that a new one would have. The first look compares with
 * what the store last heard, since the clock may have been set back while no process ran.
 */
export function createClockWatch(deps: {
  readonly store: Pick<Store, 'transaction' | 'lastArrival'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
  /** How long a lease lasts, in milliseconds. */
  readonly leaseMs: number;
}): ClockWatch {
  const { store, clock, log, leaseMs } = deps;
  let last: number | null = null;
  return {
    async look() {
      const before: number = last ?? (await store.lastArrival()) ?? 0;
      const now = clock();
      const isBack = now < before - TOLERANCE_MS;
      const ended = isBack ? await store.transaction((tx) => tx.endWaits({ now, leaseMs })) : 0;
      last = now;
      if (isBack)
        log.warn({ backMs: before - now, ended }, 'the clock was set back; what waited for the old time is due');
      return ended > 0;
    },
  };
}
