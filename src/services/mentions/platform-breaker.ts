import type { Platform } from '../../domain/account.ts';
import type { AdapterError } from '../../domain/errors.ts';
import type { LeasedReply } from '../../domain/mentions/mention.ts';
import { REPLY_WORTH, type ReplyWorth } from '../../domain/mentions/reply-worth.ts';
import type { CallGate, PlatformPause } from '../../domain/platforms/call-gate.ts';
import type { Log } from '../../log.ts';
import { type CircuitBreaker, createCircuitBreaker } from './breaker.ts';
import { type Cap, createCap, type PauseKeeper } from './cap.ts';
import { createRefusals, type Refusals, type Turn } from './refusals.ts';

/** The status of a platform, as `/ready` and the metrics show it. Times are epoch milliseconds. */
export interface PlatformStatus {
  readonly platform: Platform;
  /** The last successful call, or null. */
  readonly lastSuccess: number | null;
  /** Why no reply is sent now, or, while the circuit breaker is open, why no call is made at all; null when neither. */
  readonly paused: (PlatformPause & { readonly byCap?: true }) | null;
}

/**
 * Watches the platforms' answers and decides when to pause one; work stays queued meanwhile. It lives in memory: a
 * restart tries again at once, except while a platform has named the time until which it refuses every call.
 */
export interface PlatformBreaker {
  /** Whether replies may be sent now. */
  canSend(platform: Platform): boolean;
  /** The permission to send one reply, which ends with it; null while none may be sent. */
  takeTurn(platform: Platform): Turn | null;
  /** The same for a reply that nothing is known against, while fewer than `most` others have one. */
  takeFreeTurn(platform: Platform, most: number): Turn | null;
  /** Whether calls to the platform are let through. */
  isAnswering(platform: Platform): boolean;
  /** The gate of all calls to a platform; it is shut while the platform does not answer, or refuses every call. */
  gate(platform: Platform): CallGate;
  /** Takes over from the store that the platform refuses every call until then; null, or a time that is over, ends it. */
  follow(platform: Platform, pause: PlatformPause | null): void;
  /** A reply was sent: any pause is over. */
  sent(platform: Platform, to: LeasedReply['mention']): void;
  /** Something was read. That says nothing about the right to post, so a pause stays. */
  heard(platform: Platform): void;
  /** A call failed. */
  failed(platform: Platform, error: AdapterError): void;
  /** A reply was refused for what may be a matter of its post or of the account. Returns whether that is final. */
  refused(platform: Platform, error: AdapterError, reply: LeasedReply): boolean;
  /** Logs a change of the least worth that a platform's budget has room for; null is none. */
  hasRoomFor(platform: Platform, least: ReplyWorth | null): void;
  standings(): PlatformStatus[];
}

/** This many refusals of one kind in a row concern the account. */
const ALARM_AFTER = 3;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 60 * 60_000;
const RATE_LIMITED = 'rate limited (429)';
const RATE_LIMIT_PAUSE_MS = 60_000;
const SILENT = 'no answer to several calls in a row; it is not called until the pause ends';

const ALARMS: Partial<Record<AdapterError['reason'], string>> = {
  unauthorized:
    'credentials or account refused (401, 403): check the keys of the bot, and whether its account is locked',
  payment_required: 'credits depleted (402): top up the account',
};

interface Watch {
  lastSuccess: number | null;
  refusal: AdapterError['reason'] | null;
  inARow: number;
  pauses: number;
  paused: { reason: string; until: number } | null;
  /** When the pause began; if the clock shows less, it was set back and the pause is over. */
  pausedAt: number;
  /** The least worth that the platform's budget had room for at the last check. */
  room: ReplyWorth | null;
  /** How many turns are taken. */
  turns: number;
  readonly breaker: CircuitBreaker;
  readonly cap: Cap;
  readonly refusals: Refusals;
}

/** A {@link PlatformBreaker} for the enabled platforms; without `keep` a cap is known in memory alone. */
export function createPlatformBreaker(options: {
  platforms: readonly Platform[];
  clock: () => number;
  log: Log;
  keep?: PauseKeeper;
}): PlatformBreaker {
  const { clock, log, keep } = options;
  function openWatch(platform: Platform): Watch {
    const changed = (until: number | null) => {
      if (until === null) log.info({ platform }, 'platform answers again');
      else
        log.error(
          { platform, reason: SILENT, until: new Date(until).toISOString() },
          'platform paused; its queued work waits',
        );
    };
    const breaker = createCircuitBreaker({ platform, clock, changed });
    return {
      refusal: null,
      inARow: 0,
      lastSuccess: null,
      pauses: 0,
      paused: null,
      pausedAt: 0,
      room: REPLY_WORTH.unaskedHelp,
      turns: 0,
      breaker,
      cap: createCap({ platform, clock, log, keep, gate: breaker }),
      refusals: createRefusals(clock),
    };
  }

  const watches = new Map(options.platforms.map((platform) => [platform, openWatch(platform)]));

  function requireWatch(platform: Platform): Watch {
    const watch = watches.get(platform);
    if (watch === undefined) throw new TypeError(`${platform} is off, but it was to be called`);
    return watch;
  }

  function logPause(platform: Platform, { reason, until }: { reason: string; until: number }): void {
    // A rate limit passes by itself; every other pause needs the operator.
    const level = reason === RATE_LIMITED ? 'warn' : 'error';
    log[level]({ platform, reason, until: new Date(until).toISOString() }, 'platform paused; its queued work waits');
  }

  function pause(platform: Platform, watch: Watch, { reason, forMs }: { reason: string; forMs: number }): void {
    watch.pausedAt = clock();
    watch.paused = { reason, until: watch.pausedAt + forMs };
    logPause(platform, watch.paused);
  }

  function alarm(platform: Platform, watch: Watch, error: AdapterError): void {
    const reason = ALARMS[error.reason];
    if (reason === undefined) return;
    if (watch.refusal !== error.reason) Object.assign(watch, { refusal: error.reason, inARow: 0 });
    watch.inARow += 1;
    if (watch.inARow < ALARM_AFTER) return;
    const forMs = error.retryAfterMs ?? Math.min(FIRST_PAUSE_MS * 2 ** watch.pauses, LONGEST_PAUSE_MS);
    watch.pauses += 1;
    pause(platform, watch, { reason, forMs });
  }

  function isPaused({ paused, pausedAt }: Watch): boolean {
    const now = clock();
    return paused !== null && paused.until > now && now >= pausedAt;
  }

  function failed(platform: Platform, error: AdapterError): void {
    const watch = watches.get(platform);
    // A failure of a call that was under way when the pause began tells nothing new.
    if (watch === undefined || isPaused(watch) || watch.cap.pause() !== null) return;
    if (error.reason === 'rate_limited') {
      pause(platform, watch, { reason: RATE_LIMITED, forMs: error.retryAfterMs ?? RATE_LIMIT_PAUSE_MS });
    } else {
      alarm(platform, watch, error);
    }
  }

  function isAnswering({ cap, breaker }: Watch): boolean {
    return cap.pause() === null && breaker.isClosed();
  }

  function canCall(watch: Watch): boolean {
    return !isPaused(watch) && isAnswering(watch);
  }

  function takeTurn(watch: Watch): Turn | null {
    const turn = canCall(watch) ? watch.refusals.takeTurn() : null;
    if (turn === null) return null;
    watch.turns += 1;
    const end = () => {
      watch.turns -= 1;
      turn.end();
    };
    return { ...turn, end };
  }

  function statusOf([platform, watch]: [Platform, Watch]): PlatformStatus {
    const { lastSuccess, breaker, refusals } = watch;
    const capped = watch.cap.pause();
    if (capped !== null) return { platform, lastSuccess, paused: { ...capped, byCap: true } };
    const until = breaker.pausedUntil();
    const paused = until === null ? (watch.paused ?? refusals.pause()) : { reason: SILENT, until };
    return { platform, lastSuccess, paused };
  }

  return {
    canSend: (platform) => {
      const watch = watches.get(platform);
      return watch === undefined || (canCall(watch) && !watch.refusals.isPaused());
    },
    takeTurn: (platform) => takeTurn(requireWatch(platform)),
    takeFreeTurn: (platform, most) => {
      const watch = requireWatch(platform);
      return watch.turns < most && watch.refusals.isFree() ? takeTurn(watch) : null;
    },
    isAnswering: (platform) => {
      const watch = watches.get(platform);
      return watch === undefined || isAnswering(watch);
    },
    gate: (platform) => requireWatch(platform).cap,
    follow: (platform, pause) => requireWatch(platform).cap.follow(pause),
    sent: (platform, to) => {
      const watch = watches.get(platform);
      if (watch === undefined) return;
      const wasRefusing = watch.refusals.accepted(to);
      if (wasRefusing || watch.paused !== null) log.info({ platform }, 'platform answers again');
      Object.assign(watch, { refusal: null, inARow: 0, lastSuccess: clock(), pauses: 0, paused: null });
    },
    heard: (platform) => {
      const watch = watches.get(platform);
      if (watch !== undefined) watch.lastSuccess = clock();
    },
    failed,
    refused: (platform, error, reply) => {
      const { refusals } = requireWatch(platform);
      const { begins, isFinal } = refusals.refused(reply, error);
      const begun = begins ? refusals.pause() : null;
      if (begun !== null) logPause(platform, begun);
      return isFinal;
    },
    hasRoomFor: (platform, least) => {
      const watch = watches.get(platform);
      if (watch === undefined || watch.room === least) return;
      watch.room = least;
      if (least === null) log.warn({ platform }, 'reply budget is used up; replies wait');
      else if (least < REPLY_WORTH.unaskedHelp)
        log.info({ platform }, 'half of the reply budget is used up; unrequested help waits');
      else log.info({ platform }, 'reply budget is available again');
    },
    standings: () => [...watches].map(statusOf),
  };
}
