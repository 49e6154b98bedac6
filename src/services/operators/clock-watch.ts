import type { Log } from '../../log.ts';
import type { Store } from '../../store/port/index.ts';
import type { ClockStanding } from './clock-standing.ts';

/** Small clock corrections are normal, and a wait that is this much longer does no harm. Milliseconds. */
const TOLERANCE_MS = 1_000;

/** Watches whether the clock was set back. */
export interface ClockWatch {
  /** Call it about once a second. @returns whether waits were ended, so that there is work now */
  look(): Promise<boolean>;
}

/**
 * When the clock is set back, ends all waits for times of the old clock, and shortens leases to a new one's length; what
 * had expired stays so. The first check compares with the last beat and the store's last arrival, because the clock may
 * have been set back while no process ran; it also ends mentions' waits that are longer than any is now.
 */
export function createClockWatch(deps: {
  readonly store: Pick<Store, 'transaction' | 'lastArrival'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
  readonly clocks: Pick<ClockStanding, 'wasSetBack'>;
  /** When a service last worked with the store before this process, epoch milliseconds; null when none has. */
  readonly lastBeatAt: number | null;
  /** How long a lease lasts, in milliseconds. */
  readonly leaseMs: number;
  /** The longest that a mention waits for its next try, in milliseconds. */
  readonly longestWaitMs: number;
}): ClockWatch {
  const { store, clock, log, clocks, lastBeatAt, leaseMs, longestWaitMs } = deps;
  let last: number | null = null;
  return {
    async look() {
      const before: number = last ?? Math.max((await store.lastArrival()) ?? 0, lastBeatAt ?? 0);
      const now = clock();
      const isBack = now < before - TOLERANCE_MS;
      let ended = 0;
      if (isBack) {
        clocks.wasSetBack({ before, now });
        ended = await store.transaction(async (tx) => {
          await tx.keepExpired({ before, now });
          return await tx.endWaits({ now, leaseMs });
        });
      }
      if (last === null) ended += await store.transaction((tx) => tx.endLongWaits({ now, longestMs: longestWaitMs }));
      last = now;
      if (isBack) log.warn({ backMs: before - now, ended }, 'system clock was set back; waiting work is due now');
      return ended > 0;
    },
  };
}
