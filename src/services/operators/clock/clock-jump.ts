import { HOUR_MS, MINUTE_MS } from '../../../domain/time.ts';
import type { Log } from '../../../log.ts';

/** A clock that goes on by more than this beyond the time that has passed has jumped. Milliseconds. */
const MOST_BEYOND_MS = HOUR_MS;
/** So long after a jump somebody may set the clock right, before what cannot be undone is done by it. Milliseconds. */
const HELD_MS = 10 * MINUTE_MS;

/**
 * Whether the clock has jumped ahead within the last ten minutes: what its time alone makes due, and cannot be undone, then
 * waits. A machine that was asleep looks the same.
 * @param deps.elapsed milliseconds since some moment, by a clock that nobody sets
 */
export function createJumpWatch(deps: {
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly elapsed: () => number;
  readonly log: Log;
}): () => boolean {
  const { clock, elapsed, log } = deps;
  let last = { at: clock(), elapsed: elapsed() };
  let heldUntil = Number.NEGATIVE_INFINITY;
  return () => {
    const now = { at: clock(), elapsed: elapsed() };
    const aheadMs = now.at - last.at - (now.elapsed - last.elapsed);
    last = now;
    if (aheadMs > MOST_BEYOND_MS) {
      heldUntil = now.elapsed + HELD_MS;
      log.warn({ aheadMs }, 'system clock jumped ahead; no gig is settled and no act is judged for 10 minutes');
    }
    return now.elapsed < heldUntil;
  };
}
