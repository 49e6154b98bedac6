import { AdapterError } from '../../domain/errors.ts';
import type { CallGate } from '../../domain/platforms/call-gate.ts';

/** This many unanswered calls in a row open the breaker. */
const SILENT_AFTER = 3;
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** How long a caller is told to wait while another caller's probe is under way. */
const WHILE_TRYING_MS = 5_000;

/**
 * Pauses calls to a platform after several timeouts in a row, because each keeps a worker waiting until its deadline.
 * After the pause one call probes; unless it is answered, the next pause is twice as long.
 */
export interface CircuitBreaker extends CallGate {
  isClosed(): boolean;
  /** Until when no call is made, epoch milliseconds; null while the breaker is closed. */
  pausedUntil(): number | null;
}

/** Null for a call that was never made, or that failed through our own fault: it tells nothing about the platform. */
function reasonOf(error: unknown): AdapterError['reason'] | null {
  const reason = error instanceof AdapterError ? error.reason : null;
  return reason === 'paused' || reason === 'too_late' ? null : reason;
}

function isPausedFor(platform: string, waitMs: number): AdapterError {
  return new AdapterError({
    reason: 'paused',
    retry: 'safe',
    message: `${platform} did not answer ${SILENT_AFTER} calls in a row, and is paused`,
    retryAfterMs: waitMs,
  });
}

/** A {@link CircuitBreaker} in memory; a restart closes it. `changed` gets the end of a new pause, null at its end. */
export function createCircuitBreaker(options: {
  platform: string;
  clock: () => number;
  changed: (until: number | null) => void;
}): CircuitBreaker {
  const { platform, clock, changed } = options;
  let inARow = 0;
  let pauses = 0;
  let until: number | null = null;
  let pausedAt = 0;
  let trying = false;

  function pause(): void {
    pausedAt = clock();
    until = pausedAt + Math.min(FIRST_PAUSE_MS * 2 ** pauses, LONGEST_PAUSE_MS);
    pauses += 1;
    changed(until);
  }

  function answered(): void {
    inARow = 0;
    pauses = 0;
    if (until === null) return;
    until = null;
    changed(null);
  }

  function failed(error: unknown, tried: boolean): void {
    const reason = reasonOf(error);
    if (reason === null) return;
    if (reason !== 'timeout' && reason !== 'unreachable') answered();
    else if (tried) pause();
    else if (until === null && reason === 'timeout') {
      inARow += 1;
      if (inARow >= SILENT_AFTER) pause();
    }
  }

  /** Milliseconds left of the pause; 0 when the clock shows a time before its beginning. */
  function leftMs(): number {
    const now = clock();
    return until === null || now < pausedAt ? 0 : Math.max(until - now, 0);
  }

  return {
    isClosed: () => leftMs() === 0 && !trying,
    pausedUntil: () => until,
    async pass(call) {
      const tries = until !== null;
      const left = leftMs();
      if (left > 0) throw isPausedFor(platform, left);
      if (tries && trying) throw isPausedFor(platform, WHILE_TRYING_MS);
      if (tries) trying = true;
      try {
        const value = await call();
        answered();
        return value;
      } catch (error) {
        failed(error, tries);
        throw error;
      } finally {
        if (tries) trying = false;
      }
    },
  };
}
