import type { Chain } from '../../../domain/chains/chain.ts';
import { DAY_MS, type ShownTime } from '../../../domain/time.ts';

/** Clocks that are further apart are off. Milliseconds. */
export const MOST_APART_MS = 30_000;
/** A block can be seen late; so many new ones in a row are not. */
const LAGS_KEPT = 20;

interface Seen {
  readonly newest: bigint;
  /** By how much the newest block was ahead of the clock when it was first seen; negative when behind. */
  readonly aheadMs: number;
  /** How old the last new blocks were when they were first seen, the oldest first. */
  readonly lags: readonly number[];
}

/** The clock was set back by `backMs`, and stood at `at` already. Epoch milliseconds. */
export interface SetBack {
  readonly at: number;
  readonly backMs: number;
}

/** How the clock stands beside those of the chains, and beside itself. */
export interface ClockStatus extends ShownTime {
  /** Notes a chain's newest block. One that was seen before says nothing. */
  saw(chain: Chain, block: { readonly number: bigint; readonly at: number }): void;
  /** Notes that the clock stands at `now`, and stood at `before` already. */
  wasSetBack(times: { before: number; now: number }): void;
  /**
   * By how many milliseconds a chain's newest block was ahead of the clock, or all new ones (negative) were behind it: 0 when
   * the two agree, null when no new block has told yet.
   */
  offChain(chain: Chain): number | null;
  /** Whether the clock was set back, and has not come again to where it stood. */
  setBack(): SetBack | null;
}

function offBy({ aheadMs, lags }: Seen): number | null {
  if (aheadMs > MOST_APART_MS) return aheadMs;
  const least = Math.min(...lags);
  if (least <= MOST_APART_MS) return 0;
  return lags.length < LAGS_KEPT ? null : -least;
}

/** A {@link ClockStatus} of this process. */
export function createClockStatus({
  clock,
  lastBeatAt = null,
}: {
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** When a service last worked with the store before this process; null when none has. */
  readonly lastBeatAt?: number | null;
}): ClockStatus {
  const chains = new Map<number, Seen>();
  let latest = lastBeatAt ?? 0;
  let stood: SetBack | null = null;
  return {
    saw(chain, { number, at }) {
      const before = chains.get(chain.id);
      if (before !== undefined && number <= before.newest) return;
      const lag = clock() - at;
      // The first one may be as old as the chain is idle.
      const lags = before === undefined ? [] : [...before.lags, lag].slice(-LAGS_KEPT);
      chains.set(chain.id, { newest: number, aheadMs: -lag, lags });
    },
    wasSetBack({ before, now }) {
      latest = Math.max(latest, before);
      if (before - now <= MOST_APART_MS) return;
      if (stood === null || before >= stood.at) stood = { at: before, backMs: before - now };
      // The blocks were compared with the clock of before.
      for (const [id, seen] of chains) chains.set(id, { ...seen, aheadMs: 0, lags: [] });
    },
    offChain(chain) {
      const seen = chains.get(chain.id);
      return seen === undefined ? null : offBy(seen);
    },
    latest() {
      const now = clock();
      if (now > latest || latest - now > DAY_MS) latest = now;
      return latest;
    },
    setBack() {
      if (stood !== null && clock() >= stood.at) stood = null;
      return stood;
    },
  };
}
