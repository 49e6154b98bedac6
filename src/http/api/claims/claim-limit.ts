import type { MiddlewareHandler } from 'hono';
import { HttpError } from '../../errors/http-error.ts';
import { originOf } from '../../middleware/client-address.ts';
import type { AppEnv } from '../../middleware/context.ts';
import { createRateLimit } from '../../middleware/rate-limit.ts';

/** The rate limits of `POST /api/claim`, in requests per minute. */
export interface ClaimLimits {
  readonly client: number;
  readonly inAll: number;
}

/**
 * Applies the limits of `POST /api/claim` to each client and then to all clients together, because every request may
 * cost a platform look-up. The headers show the stricter limit. @throws HttpError `rate_limited`
 */
export function createClaimLimit(options: {
  limits: ClaimLimits;
  trustProxy: boolean;
  clock: () => number;
}): MiddlewareHandler<AppEnv> {
  const { limits, trustProxy, clock } = options;
  const rules = [
    { limit: limits.client, counts: createRateLimit({ limit: limits.client, trustProxy, clock }) },
    // Counted second: a client above its own limit uses up nothing of the shared one.
    { limit: limits.inAll, counts: createRateLimit({ limit: limits.inAll, trustProxy, clock, shared: true }) },
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
