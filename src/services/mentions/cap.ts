import type { Platform } from '../../domain/account.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { CallGate, PlatformPause } from '../../domain/platforms/call-gate.ts';
import { HOUR_MS, isoText, minuteText } from '../../domain/time.ts';
import { type Log, summarizeError } from '../../log.ts';

/** Puts on disk that a platform refuses every call. */
export type PauseKeeper = (platform: Platform, pause: PlatformPause) => Promise<void>;

/**
 * Holds back every call to a platform from the answer that a spending or usage cap is reached until the time that the
 * platform has named. It is the gate of all calls, because any of them may meet the cap.
 */
export interface Cap extends CallGate {
  /** Null while calls are let through. */
  pause(): PlatformPause | null;
  /** Takes over what the store knows: null, or a time that is over, ends the pause. */
  follow(stored: PlatformPause | null): void;
}

/** A {@link Cap} before another gate; without `keep` it is known in memory alone. */
export function createCap(options: {
  platform: Platform;
  clock: () => number;
  log: Log;
  keep?: PauseKeeper | undefined;
  gate: CallGate;
}): Cap {
  const { platform, clock, log, keep, gate } = options;
  let known: PlatformPause | null = null;

  // The time is the platform's, so a clock that was set back makes the pause no longer than it is.
  const pause = () => (known !== null && known.until > clock() ? known : null);

  function begin(found: PlatformPause): void {
    known = found;
    const { reason, until } = found;
    log.error({ platform, reason, until: isoText(until) }, 'platform paused; its queued work waits');
  }

  async function met(until: number): Promise<void> {
    if (pause() !== null) return;
    const reason = `a spending or usage cap is reached; nothing is sent or asked before ${minuteText(until)}`;
    begin({ reason, until });
    try {
      await keep?.(platform, { reason, until });
    } catch (error) {
      log.error({ platform, error: summarizeError(error) }, 'cannot store the pause; the next call finds it again');
    }
  }

  function refusal({ reason, until }: PlatformPause): AdapterError {
    // The operator may raise the cap before its end.
    const retryAfterMs = Math.min(until - clock(), HOUR_MS);
    return new AdapterError({
      reason: 'paused',
      retry: 'safe',
      message: `${platform} is paused: ${reason}`,
      retryAfterMs,
    });
  }

  return {
    pause,
    follow(stored) {
      const next = stored !== null && stored.until > clock() ? stored : null;
      if (next?.until === known?.until) return;
      if (next !== null) return begin(next);
      known = null;
      log.info({ platform }, 'the pause for a cap is over; the platform is asked again');
    },
    async pass(call) {
      const now = pause();
      if (now !== null) throw refusal(now);
      try {
        return await gate.pass(call);
      } catch (error) {
        const until = error instanceof AdapterError ? error.blockedUntil : undefined;
        if (until !== undefined) await met(until);
        throw error;
      }
    },
  };
}
