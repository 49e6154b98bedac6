import type { Platform } from '../../domain/account.ts';
import type { CallGate } from '../../domain/call-gate.ts';
import type { AdapterError } from '../../domain/errors.ts';
import type { Mention } from '../../domain/mention.ts';
import { REPLY_WORTH, type ReplyWorth } from '../../domain/reply-worth.ts';
import type { Log } from '../../log.ts';
import { type CircuitBreaker, createCircuitBreaker } from './breaker.ts';

/** The post that a call was about. */
type AboutPost = Pick<Mention, 'authorId' | 'threadId'>;

/** The status of a platform, as `/ready` and the metrics show it. Times are epoch milliseconds. */
export interface PlatformStatus {
  readonly platform: Platform;
  /** The last successful call, or null. */
  readonly lastSuccess: number | null;
  /** Why no reply is sent now, or, while the circuit breaker is open, why no call is made at all; null when neither. */
  readonly paused: { readonly reason: string; readonly until: number } | null;
}

/**
 * Watches the platforms' answers and decides when to pause one; work stays queued meanwhile. It lives in memory: a
 * restart tries again at once.
 */
export interface PlatformBreaker {
  /** Whether replies may be sent now. */
  canSend(platform: Platform): boolean;
  /** Whether calls to the platform are let through. */
  isAnswering(platform: Platform): boolean;
  /** The gate of all calls to a platform; it is shut while the platform does not answer. */
  gate(platform: Platform): CallGate;
  /** A reply was sent: any pause is over. */
  sent(platform: Platform): void;
  /** Something was read. That says nothing about the right to post, so a pause stays. */
  heard(platform: Platform): void;
  /** A call failed; `post` is the post it was about, if any. */
  failed(platform: Platform, error: AdapterError, post?: AboutPost): void;
  /** Logs a change of the least worth that a platform's budget has room for; null is none. */
  hasRoomFor(platform: Platform, least: ReplyWorth | null): void;
  standings(): PlatformStatus[];
}

/** This many refusals of one kind in a row concern the account, not the post. */
const ALARM_AFTER = 3;
/**
 * The same for replies refused as not engaged (403), counted over distinct authors and threads: those to one author or
 * in one thread may be that author's doing.
 */
const ALARM_AFTER_NOT_ENGAGED = 5;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 60 * 60_000;
const RATE_LIMITED = 'rate limited (429)';
const RATE_LIMIT_PAUSE_MS = 60_000;
const SILENT = 'no answer to several calls in a row; it is not called until the pause ends';

const ALARMS: Partial<Record<AdapterError['reason'], { after: number; byPost: boolean; reason: string }>> = {
  unauthorized: {
    after: ALARM_AFTER,
    byPost: false,
    reason: 'credentials or account refused (401, 403): check the keys of the bot, and whether its account is locked',
  },
  payment_required: { after: ALARM_AFTER, byPost: false, reason: 'credits depleted (402): top up the account' },
  not_engaged: {
    after: ALARM_AFTER_NOT_ENGAGED,
    byPost: true,
    reason: 'replies refused (403): the account may no longer reply',
  },
};

interface Watch {
  lastSuccess: number | null;
  refusal: AdapterError['reason'] | null;
  /** The authors and threads of the refusals in a row. */
  authors: Set<string>;
  threads: Set<string>;
  inARow: number;
  pauses: number;
  paused: { reason: string; until: number } | null;
  /** When the pause began; if the clock shows less, it was set back and the pause is over. */
  pausedAt: number;
  /** The least worth that the platform's budget had room for at the last check. */
  room: ReplyWorth | null;
  readonly breaker: CircuitBreaker;
}

function noRow(refusal: AdapterError['reason'] | null) {
  return { refusal, authors: new Set<string>(), threads: new Set<string>(), inARow: 0 };
}

/** A {@link PlatformBreaker} for the enabled platforms. */
export function createPlatformBreaker(options: {
  platforms: readonly Platform[];
  clock: () => number;
  log: Log;
}): PlatformBreaker {
  const { clock, log } = options;
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
    return Object.assign(noRow(null), {
      lastSuccess: null,
      pauses: 0,
      paused: null,
      pausedAt: 0,
      room: REPLY_WORTH.unaskedHelp,
      breaker,
    });
  }

  const watches = new Map(options.platforms.map((platform) => [platform, openWatch(platform)]));

  function requireWatch(platform: Platform): Watch {
    const watch = watches.get(platform);
    if (watch === undefined) throw new TypeError(`${platform} is off, but it was to be called`);
    return watch;
  }

  function pause(platform: Platform, watch: Watch, reason: string, forMs: number): void {
    watch.pausedAt = clock();
    const until = watch.pausedAt + forMs;
    watch.paused = { reason, until };
    // A rate limit passes by itself; every other pause needs the operator.
    const level = reason === RATE_LIMITED ? 'warn' : 'error';
    log[level]({ platform, reason, until: new Date(until).toISOString() }, 'platform paused; its queued work waits');
  }

  function alarm(platform: Platform, watch: Watch, error: AdapterError, post: AboutPost | undefined): void {
    const rule = ALARMS[error.reason];
    if (rule === undefined) return;
    if (watch.refusal !== error.reason) Object.assign(watch, noRow(error.reason));
    if (rule.byPost) {
      // A repeated author or thread tells nothing new, so it neither begins nor lengthens a pause.
      if (post === undefined || watch.authors.has(post.authorId) || watch.threads.has(post.threadId)) return;
      watch.authors.add(post.authorId);
      watch.threads.add(post.threadId);
    }
    watch.inARow += 1;
    if (watch.inARow < rule.after) return;
    const forMs = error.retryAfterMs ?? Math.min(FIRST_PAUSE_MS * 2 ** watch.pauses, LONGEST_PAUSE_MS);
    watch.pauses += 1;
    pause(platform, watch, rule.reason, forMs);
  }

  function isPaused({ paused, pausedAt }: Watch): boolean {
    const now = clock();
    return paused !== null && paused.until > now && now >= pausedAt;
  }

  function failed(platform: Platform, error: AdapterError, post?: AboutPost): void {
    const watch = watches.get(platform);
    // A failure of a call that was under way when the pause began tells nothing new.
    if (watch === undefined || isPaused(watch)) return;
    if (error.reason === 'rate_limited') {
      pause(platform, watch, RATE_LIMITED, error.retryAfterMs ?? RATE_LIMIT_PAUSE_MS);
    } else {
      alarm(platform, watch, error, post);
    }
  }

  return {
    canSend: (platform) => {
      const watch = watches.get(platform);
      return watch === undefined || (!isPaused(watch) && watch.breaker.isClosed());
    },
    isAnswering: (platform) => watches.get(platform)?.breaker.isClosed() ?? true,
    gate: (platform) => requireWatch(platform).breaker,
    sent: (platform) => {
      const watch = watches.get(platform);
      if (watch === undefined) return;
      if (watch.paused !== null) log.info({ platform }, 'platform answers again');
      Object.assign(watch, noRow(null), { lastSuccess: clock(), pauses: 0, paused: null });
    },
    heard: (platform) => {
      const watch = watches.get(platform);
      if (watch !== undefined) watch.lastSuccess = clock();
    },
    failed,
    hasRoomFor: (platform, least) => {
      const watch = watches.get(platform);
      if (watch === undefined || watch.room === least) return;
      watch.room = least;
      if (least === null) log.warn({ platform }, 'reply budget is used up; replies wait');
      else if (least < REPLY_WORTH.unaskedHelp)
        log.info({ platform }, 'half of the reply budget is used up; unrequested help waits');
      else log.info({ platform }, 'reply budget is available again');
    },
    standings: () =>
      [...watches].map(([platform, { lastSuccess, paused, breaker }]) => {
        const until = breaker.pausedUntil();
        return { platform, lastSuccess, paused: until === null ? paused : { reason: SILENT, until } };
      }),
  };
}
