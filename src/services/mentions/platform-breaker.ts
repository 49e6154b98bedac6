import type { Platform } from '../../domain/account.ts';
import type { AdapterError } from '../../domain/errors.ts';
import type { LeasedReply } from '../../domain/mentions/mention.ts';
import { REPLY_WORTH, type ReplyWorth } from '../../domain/mentions/reply-worth.ts';
import type { CallGate, PlatformPause } from '../../domain/platforms/call-gate.ts';
import type { Log } from '../../log.ts';
import { createCircuitBreaker } from './breaker.ts';
import { createCap, type PauseKeeper } from './cap.ts';
import { createRefusals, type Turn } from './refusals.ts';

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

interface WatchOptions {
  readonly platform: Platform;
  readonly clock: () => number;
  readonly log: Log;
  readonly keep?: PauseKeeper | undefined;
}

function logPause({ platform, log }: WatchOptions, { reason, until }: { reason: string; until: number }): void {
  // A rate limit passes by itself; every other pause needs the operator.
  const level = reason === RATE_LIMITED ? 'warn' : 'error';
  log[level]({ platform, reason, until: new Date(until).toISOString() }, 'platform paused; its queued work waits');
}

function logSilence(options: WatchOptions, until: number | null): void {
  if (until === null) options.log.info({ platform: options.platform }, 'platform answers again');
  else logPause(options, { reason: SILENT, until });
}

function logRoom({ platform, log }: WatchOptions, least: ReplyWorth | null): void {
  if (least === null) log.warn({ platform }, 'reply budget is used up; replies wait');
  else if (least < REPLY_WORTH.unaskedHelp)
    log.info({ platform }, 'half of the reply budget is used up; unrequested help waits');
  else log.info({ platform }, 'reply budget is available again');
}

/** The pauses of a platform that limits the rate, or refuses the account. */
function createPauses(options: WatchOptions) {
  const { clock } = options;
  let refusal: AdapterError['reason'] | null = null;
  let inARow = 0;
  let pauses = 0;
  let paused: { reason: string; until: number } | null = null;
  /** When the pause began; if the clock shows less, it was set back and the pause is over. */
  let pausedAt = 0;

  function pause(reason: string, forMs: number): void {
    pausedAt = clock();
    paused = { reason, until: pausedAt + forMs };
    logPause(options, paused);
  }

  return {
    last: () => paused,
    isPaused(): boolean {
      const now = clock();
      return paused !== null && paused.until > now && now >= pausedAt;
    },
    failed(error: AdapterError): void {
      if (error.reason === 'rate_limited') pause(RATE_LIMITED, error.retryAfterMs ?? RATE_LIMIT_PAUSE_MS);
      const reason = ALARMS[error.reason];
      if (reason === undefined) return;
      inARow = refusal === error.reason ? inARow + 1 : 1;
      refusal = error.reason;
      if (inARow < ALARM_AFTER) return;
      const forMs = error.retryAfterMs ?? Math.min(FIRST_PAUSE_MS * 2 ** pauses, LONGEST_PAUSE_MS);
      pauses += 1;
      pause(reason, forMs);
    },
    /** Returns whether there was one. */
    end(): boolean {
      const wasPaused = paused !== null;
      [refusal, inARow, pauses, paused] = [null, 0, 0, null];
      return wasPaused;
    },
  };
}

/** One platform's part of the {@link PlatformBreaker}. */
function openWatch(options: WatchOptions) {
  const { platform, clock, log } = options;
  const breaker = createCircuitBreaker({ platform, clock, changed: (until) => logSilence(options, until) });
  const cap = createCap({ ...options, gate: breaker });
  const pauses = createPauses(options);
  const refusals = createRefusals(clock);
  let lastSuccess: number | null = null;
  /** The least worth that the platform's budget had room for at the last check. */
  let room: ReplyWorth | null = REPLY_WORTH.unaskedHelp;
  /** How many turns are taken. */
  let turns = 0;

  const isAnswering = () => cap.pause() === null && breaker.isClosed();
  const canCall = () => !pauses.isPaused() && isAnswering();

  function takeTurn(): Turn | null {
    const turn = canCall() ? refusals.takeTurn() : null;
    if (turn === null) return null;
    turns += 1;
    const end = () => {
      turns -= 1;
      turn.end();
    };
    return { ...turn, end };
  }

  function pauseNow(): PlatformStatus['paused'] {
    const capped = cap.pause();
    if (capped !== null) return { ...capped, byCap: true };
    const until = breaker.pausedUntil();
    return until === null ? (pauses.last() ?? refusals.pause()) : { reason: SILENT, until };
  }

  return {
    cap,
    isAnswering,
    takeTurn,
    canSend: () => canCall() && !refusals.isPaused(),
    takeFreeTurn: (most: number) => (turns < most && refusals.isFree() ? takeTurn() : null),
    sent(to: LeasedReply['mention']): void {
      const wasRefusing = refusals.accepted(to);
      if (pauses.end() || wasRefusing) log.info({ platform }, 'platform answers again');
      lastSuccess = clock();
    },
    heard(): void {
      lastSuccess = clock();
    },
    failed(error: AdapterError): void {
      // A failure of a call that was under way when the pause began tells nothing new.
      if (!pauses.isPaused() && cap.pause() === null) pauses.failed(error);
    },
    refused(error: AdapterError, reply: LeasedReply): boolean {
      const { begins, isFinal } = refusals.refused(reply, error);
      const begun = begins ? refusals.pause() : null;
      if (begun !== null) logPause(options, begun);
      return isFinal;
    },
    hasRoomFor(least: ReplyWorth | null): void {
      if (room !== least) logRoom(options, least);
      room = least;
    },
    status: (): PlatformStatus => ({ platform, lastSuccess, paused: pauseNow() }),
  };
}

/** A {@link PlatformBreaker} for the enabled platforms; without `keep` a cap is known in memory alone. */
export function createPlatformBreaker({
  platforms,
  ...options
}: { readonly platforms: readonly Platform[] } & Omit<WatchOptions, 'platform'>): PlatformBreaker {
  const watches = new Map(platforms.map((platform) => [platform, openWatch({ ...options, platform })]));

  function requireWatch(platform: Platform) {
    const watch = watches.get(platform);
    if (watch === undefined) throw new TypeError(`${platform} is off, but it was to be called`);
    return watch;
  }

  return {
    canSend: (platform) => watches.get(platform)?.canSend() ?? true,
    takeTurn: (platform) => requireWatch(platform).takeTurn(),
    takeFreeTurn: (platform, most) => requireWatch(platform).takeFreeTurn(most),
    isAnswering: (platform) => watches.get(platform)?.isAnswering() ?? true,
    gate: (platform) => requireWatch(platform).cap,
    follow: (platform, pause) => requireWatch(platform).cap.follow(pause),
    sent: (platform, to) => watches.get(platform)?.sent(to),
    heard: (platform) => watches.get(platform)?.heard(),
    failed: (platform, error) => watches.get(platform)?.failed(error),
    refused: (platform, error, reply) => requireWatch(platform).refused(error, reply),
    hasRoomFor: (platform, least) => watches.get(platform)?.hasRoomFor(least),
    standings: () => [...watches.values()].map((watch) => watch.status()),
  };
}
