import type { Context, MiddlewareHandler } from 'hono';
import { DomainError } from '../../domain/errors.ts';
import type { TrustedProxies } from '../../domain/settings/trusted-proxies.ts';
import type { Log } from '../../log.ts';
import type { RequestCheck } from '../checks.ts';
import { HttpError } from '../errors/http-error.ts';
import { createClientFinder, type Origin, originOf } from './client-address.ts';
import type { AppEnv } from './context.ts';

const WINDOW_MS = 60_000;
const HOUR_MS = 60 * WINDOW_MS;
/** About 10 MB of counters; beyond it the clients whose minute ends first are evicted. */
const MAX_CLIENTS = 100_000;

interface Count {
  hits: number;
  readonly resetAt: number;
}

export interface RateLimitStatus {
  readonly remaining: number;
  /** Whole seconds until the client's window ends, at least 1. */
  readonly resetIn: number;
  readonly exceeded: boolean;
}

/**
 * Counts requests per client in fixed one-minute windows that begin with the client's first request. Memory is bounded:
 * expired windows are dropped as new clients arrive, with at most `maxClients` windows.
 */
export function createRateLimiter(options: { limit: number; clock: () => number; maxClients?: number }): {
  hit(client: string): RateLimitStatus;
  /** Takes back one request of the client's current window. */
  giveBack(client: string): void;
  size(): number;
} {
  const { limit, clock, maxClients = MAX_CLIENTS } = options;
  // All windows have the same length and entries are only appended, so the map is in order of expiry.
  const counts = new Map<string, Count>();

  /** A window that ends later than one that begins now was begun before the clock was set back. */
  function isRunning({ resetAt }: Count, now: number): boolean {
    return resetAt > now && resetAt <= now + WINDOW_MS;
  }

  function begin(client: string, now: number): Count {
    counts.delete(client);
    for (const [other, count] of counts) {
      if (isRunning(count, now) && counts.size < maxClients) break;
      counts.delete(other);
    }
    const count = { hits: 0, resetAt: now + WINDOW_MS };
    counts.set(client, count);
    return count;
  }

  return {
    hit: (client) => {
      const now = clock();
      const known = counts.get(client);
      const count = known !== undefined && isRunning(known, now) ? known : begin(client, now);
      count.hits += 1;
      return {
        remaining: Math.max(0, limit - count.hits),
        resetIn: Math.max(1, Math.ceil((count.resetAt - now) / 1000)),
        exceeded: count.hits > limit,
      };
    },
    giveBack: (client) => {
      const count = counts.get(client);
      if (count !== undefined && isRunning(count, clock()) && count.hits > 0) count.hits -= 1;
    },
    size: () => counts.size,
  };
}

/** Limits each client: above the limit it throws HttpError `rate_limited`. Inner requests do not count. */
interface LimitGuards {
  readonly enforce: MiddlewareHandler<AppEnv>;
  /** The same for all paths below `/api`. */
  readonly check: RequestCheck;
}

export interface RateLimit extends LimitGuards {
  count(origin: Origin): RateLimitStatus;
  /** Passes the `RateLimit-*` headers of the IETF's sixth draft to `set`, one by one. */
  tell(standing: RateLimitStatus, set: (name: string, value: string) => void): void;
  /** Counts a request before it runs, so that concurrent ones are limited too. @throws HttpError `rate_limited` */
  enter(c: Context<AppEnv>): void;
  /**
   * Counts a request that `open` refuses, by null or a DomainError, and no other; all are limited while they run.
   * @throws HttpError `rate_limited`, and what `open` throws
   */
  countRefused<Opened>(c: Context<AppEnv>, open: () => Promise<Opened>): Promise<Opened>;
}

/**
 * Warns once an hour that `X-Forwarded-For` is ignored, so that all clients behind a proxy count as one. Any client may
 * send the header, so this is only a hint.
 */
export function createForwardedWarning({ clock, log }: { clock: () => number; log: Log }): () => void {
  const message =
    'requests carry X-Forwarded-For, but their peer is not among TRUSTED_PROXIES: all clients of a proxy share one limit; ' +
    'set TRUSTED_PROXIES to the number or the networks of the proxies before the service';
  return atMostEvery(HOUR_MS, { clock, run: () => log.warn({}, message) });
}

function createGuards(enter: (c: Context<AppEnv>) => void): LimitGuards {
  const count = (c: Context<AppEnv>) => c.env?.isInner === true || enter(c);
  return {
    check(c) {
      const { path } = c.req;
      if (path === '/api' || path.startsWith('/api/')) count(c);
      return undefined;
    },
    enforce: (c, next) => {
      count(c);
      return next();
    },
  };
}

/** @param options.forwarded called for each request whose `X-Forwarded-For` is ignored */
export function createRateLimit(options: {
  limit: number;
  trustedProxies: TrustedProxies;
  clock: () => number;
  forwarded?: () => void;
  /** Whether all clients count as one. */
  shared?: boolean;
}): RateLimit {
  const { limit } = options;
  const limiter = createRateLimiter(options);
  const policy = `${limit};w=${WINDOW_MS / 1000}`;
  const limitText = String(limit);

  const { clientOf, trustsPeer } = createClientFinder(options.trustedProxies);

  const counted = (origin: Origin) => (options.shared === true ? 'all' : clientOf(origin));

  function count(origin: Origin): RateLimitStatus {
    if (origin.forwardedFor !== undefined && options.forwarded && !trustsPeer(origin)) options.forwarded();
    return limiter.hit(counted(origin));
  }

  const tell: RateLimit['tell'] = ({ remaining, resetIn }, set) => {
    set('ratelimit-policy', policy);
    set('ratelimit-limit', limitText);
    set('ratelimit-remaining', String(remaining));
    set('ratelimit-reset', String(resetIn));
  };

  function enter(c: Context<AppEnv>): void {
    const standing = count(originOf(c));
    const { headers } = c.get('request');
    tell(standing, (name, value) => {
      headers[name] = value;
    });
    if (standing.exceeded) throw new HttpError({ code: 'rate_limited', limit, retryAfter: standing.resetIn });
  }

  function giveBack(c: Context<AppEnv>): void {
    limiter.giveBack(counted(originOf(c)));
    const { headers } = c.get('request');
    headers['ratelimit-remaining'] = String(Number(headers['ratelimit-remaining']) + 1);
  }

  return {
    count,
    tell,
    enter,
    async countRefused(c, open) {
      enter(c);
      try {
        const opened = await open();
        if (opened !== null) giveBack(c);
        return opened;
      } catch (error) {
        if (!(error instanceof DomainError)) giveBack(c);
        throw error;
      }
    },
    ...createGuards(enter),
  };
}

/** Returns a function that runs `run` at most once in `everyMs`, so that callers cannot flood the log. */
export function atMostEvery(everyMs: number, { clock, run }: { clock: () => number; run: () => void }): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock();
    // The absolute difference: a clock that was set back must not silence it.
    if (Math.abs(now - last) < everyMs) return;
    last = now;
    run();
  };
}

/** The rate limits of `POST /api/claim`, and of claims by button, in requests per minute. */
export interface ClaimLimits {
  readonly client: number;
  readonly inAll: number;
}

/**
 * Applies the limits of claims to each client and then to all clients together, because every request may
 * cost a platform look-up. The headers show the stricter limit. @throws HttpError `rate_limited`
 */
export function createClaimLimit(options: {
  limits: ClaimLimits;
  trustedProxies: TrustedProxies;
  clock: () => number;
}): MiddlewareHandler<AppEnv> {
  const { limits, trustedProxies, clock } = options;
  const rules = [
    { limit: limits.client, counts: createRateLimit({ limit: limits.client, trustedProxies, clock }) },
    // Counted second: a client above its own limit uses up nothing of the shared one.
    { limit: limits.inAll, counts: createRateLimit({ limit: limits.inAll, trustedProxies, clock, shared: true }) },
  ];
  return async (c, next) => {
    const { headers } = c.get('request');
    for (const { limit, counts } of rules) {
      const standing = counts.count(originOf(c));
      const told = Number(headers['ratelimit-remaining'] ?? Number.POSITIVE_INFINITY);
      if (standing.exceeded || standing.remaining < told) {
        counts.tell(standing, (name, value) => {
          headers[name] = value;
        });
      }
      if (standing.exceeded) throw new HttpError({ code: 'rate_limited', limit, retryAfter: standing.resetIn });
    }
    await next();
  };
}
