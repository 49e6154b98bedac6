import type { Log } from '../../log.ts';
import type { Store } from '../../store/port/index.ts';

/** Small clock corrections are normal, and a wait that is this much longer does no harm. Milliseconds. */
const TOLERANCE_MS = 1_000;

/** Watches whether the clock was set back. */
export interface ClockWatch {
  /** Call it about once a second. @returns whether waits were ended, so that there is work now */
  look(): Promise<boolean>;
}

/**
 * When the clock is set back, ends all waits for times of the old clock, and shortens leases to a new one's length. The
 * first check compares with the store's last arrival, because the clock may have been set back while no process ran.
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
