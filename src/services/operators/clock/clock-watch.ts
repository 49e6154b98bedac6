import { DAY_MS } from '../../../domain/time.ts';
import type { JobContext } from '../../context.ts';
import type { ClockStatus } from './clock-status.ts';

/** Small clock corrections are normal, and a wait that is this much longer does no harm. Milliseconds. */
const TOLERANCE_MS = 1_000;

export interface ClockWatch {
  /** Call it about once a second. @returns whether waits were ended, so that there is work now */
  look(): Promise<boolean>;
}

/**
 * A clock that goes on by more than this between two looks has jumped, or nothing ran for so long; one that then goes back
 * by more has jumped. Milliseconds.
 */
const JUMP_MS = DAY_MS;

interface Jump {
  readonly from: number;
  readonly to: number;
}

/** Where a clock that was set back from `before` to `now` would have stood without the jump ahead that this undoes. */
function withoutJump(jump: Jump | null, { before, now }: { before: number; now: number }): number {
  const isUndone = jump !== null && now < jump.to && before - now > JUMP_MS;
  return isUndone ? jump.from + before - jump.to : before;
}

/**
 * When the clock is set back, ends all waits for times of the old clock, and shortens leases to a new one's length; what
 * had expired stays so, but for API keys that had not without a jump ahead that is undone. The first check compares with the
 * last beat, or the store's last arrival in a ledger without one, because the clock may have been set back while no process
 * ran; it also ends mentions' waits that are longer than any is now.
 */
export function createClockWatch(
  deps: JobContext & {
    readonly clocks: ClockStatus;
    /** When a service last worked with the store before this process, epoch milliseconds; null when none has. */
    readonly lastBeatAt: number | null;
    /** How long a lease lasts, in milliseconds. */
    readonly leaseMs: number;
    /** The longest that a mention waits for its next try, in milliseconds. */
    readonly longestWaitMs: number;
  },
): ClockWatch {
  const { store, clock, log, clocks, lastBeatAt, leaseMs, longestWaitMs } = deps;
  let last: number | null = null;
  let jump: Jump | null = null;
  return {
    async look() {
      // A mention of a clock that was ahead may be the newest for long; a beat is a minute old at most.
      const before: number = last ?? lastBeatAt ?? (await store.lastArrival()) ?? 0;
      const now = clock();
      const isBack = now < before - TOLERANCE_MS;
      if (now > before + JUMP_MS) jump = { from: before, to: now };
      let ended = 0;
      if (isBack) {
        const times = { before, now, keysBefore: withoutJump(jump, { before, now }) };
        clocks.wasSetBack(times);
        ended = await store.transaction(async (tx) => {
          await tx.markExpired(times);
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
