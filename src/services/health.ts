import type { Platform } from '../domain/account.ts';
import type { AdapterError } from '../domain/errors.ts';
import type { Log } from '../log.ts';

/** How a platform stands, as `/ready` and the metrics show it. Times are epoch milliseconds. */
export interface PlatformStanding {
  readonly platform: Platform;
  /** The last call that the platform answered well, or null. */
  readonly lastSuccess: number | null;
  /** Why nothing is sent now, or null. */
  readonly paused: { readonly reason: string; readonly until: number } | null;
}

/**
 * Watches what the platforms answer and decides when to leave one alone. What waits stays queued meanwhile.
 * It lives in memory: a restart tries again at once.
 */
export interface PlatformHealth {
  /** Whether calls may be made now. */
  isOpen(platform: Platform): boolean;
  /** A reply went out: whatever was wrong is over. */
  sent(platform: Platform): void;
  /** Something was read. That says nothing about the right to post, so a pause stays. */
  heard(platform: Platform): void;
  /** A call failed; `author` is whose post it was about, if it was about one. */
  failed(platform: Platform, error: AdapterError, author?: string): void;
  standings(): PlatformStanding[];
}

/** That many refusals of one kind in a row mean the account, not the post. */
const ALARM_AFTER = 3;
/** Replies refused for want of a mention: one author's may be the posts' fault, those of many are the account's. */
const ALARM_AFTER_NOT_ENGAGED = 5;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 60 * 60_000;
const RATE_LIMITED = 'rate limited (429)';
const RATE_LIMIT_PAUSE_MS = 60_000;

const ALARMS: Partial<Record<AdapterError['reason'], { after: number; byAuthor: boolean; reason: string }>> = {
  unauthorized: { after: ALARM_AFTER, byAuthor: false, reason: 'credentials refused (401): check the keys of the bot' },
  payment_required: { after: ALARM_AFTER, byAuthor: false, reason: 'credits depleted (402): top up the account' },
  not_engaged: {
    after: ALARM_AFTER_NOT_ENGAGED,
    byAuthor: true,
    reason: 'replies refused (403): the account may not reply any more',
  },
};

interface Watch {
  lastSuccess: number | null;
  refusal: AdapterError['reason'] | null;
  /** Whom the refusals in a row were about: one author alone, whose posts may be gone, alarms nobody. */
  authors: Set<string>;
  inARow: number;
  pauses: number;
  paused: { reason: string; until: number } | null;
  /** When the pause began; a clock that shows less was set back, and the pause is over. */
  pausedAt: number;
}

/** A {@link PlatformHealth} for the enabled platforms. */
export function createPlatformHealth(options: {
  platforms: readonly Platform[];
  clock: () => number;
  log: Log;
}): PlatformHealth {
  const { clock, log } = options;
  const watches = new Map<Platform, Watch>(
    options.platforms.map((platform) => [
      platform,
      { lastSuccess: null, refusal: null, authors: new Set(), inARow: 0, pauses: 0, paused: null, pausedAt: 0 },
    ]),
  );

  function pause(platform: Platform, watch: Watch, reason: string, forMs: number): void {
    watch.pausedAt = clock();
    const until = watch.pausedAt + forMs;
    watch.paused = { reason, until };
    // A limit passes by itself; everything else waits for the operator.
    const level = reason === RATE_LIMITED ? 'warn' : 'error';
    log[level]({ platform, reason, until: new Date(until).toISOString() }, 'platform paused; nothing is lost');
  }

  function alarm(platform: Platform, watch: Watch, error: AdapterError, author: string | undefined): void {
    const rule = ALARMS[error.reason];
    if (rule === undefined) return;
    if (watch.refusal !== error.reason) Object.assign(watch, { refusal: error.reason, authors: new Set(), inARow: 0 });
    if (author !== undefined) watch.authors.add(author);
    watch.inARow += 1;
    if ((rule.byAuthor ? watch.authors.size : watch.inARow) < rule.after) return;
    const forMs = error.retryAfterMs ?? Math.min(FIRST_PAUSE_MS * 2 ** watch.pauses, LONGEST_PAUSE_MS);
    watch.pauses += 1;
    pause(platform, watch, rule.reason, forMs);
  }

  function isPaused({ paused, pausedAt }: Watch): boolean {
    const now = clock();
    return paused !== null && paused.until > now && now >= pausedAt;
  }

  function failed(platform: Platform, error: AdapterError, author?: string): void {
    const watch = watches.get(platform);
    // Calls that were under way when the pause began tell nothing new.
    if (watch === undefined || isPaused(watch)) return;
    if (error.reason === 'rate_limited') {
      pause(platform, watch, RATE_LIMITED, error.retryAfterMs ?? RATE_LIMIT_PAUSE_MS);
    } else {
      alarm(platform, watch, error, author);
    }
  }

  return {
    isOpen: (platform) => {
      const watch = watches.get(platform);
      return watch === undefined || !isPaused(watch);
    },
    sent: (platform) => {
      const watch = watches.get(platform);
      if (watch === undefined) return;
      if (watch.paused !== null) log.info({ platform }, 'platform answers again');
      Object.assign(watch, {
        lastSuccess: clock(),
        refusal: null,
        authors: new Set(),
        inARow: 0,
        pauses: 0,
        paused: null,
      });
    },
    heard: (platform) => {
      const watch = watches.get(platform);
      if (watch !== undefined) watch.lastSuccess = clock();
    },
    failed,
    standings: () => [...watches].map(([platform, { lastSuccess, paused }]) => ({ platform, lastSuccess, paused })),
  };
}
