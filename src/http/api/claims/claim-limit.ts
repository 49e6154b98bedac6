import type { MiddlewareHandler } from 'hono';
import { originOf } from '../../middleware/client-address.ts';
import type { AppEnv } from '../../middleware/context.ts';
import { HttpError } from '../../middleware/errors.ts';
import { createRateLimit } from '../../middleware/rate-limit.ts';

/** How often posts may be sent to be paid, in requests a minute. */
export interface ClaimLimits {
  readonly client: number;
  readonly inAll: number;
}

/**
 * Holds each client, and then all clients together, to the limits of `POST /api/claim`, because every request may cost
 * a look-up at a platform. The headers tell of the limit that leaves least. @throws HttpError `rate_limited`
 */
export function createClaimLimit(options: {
  limits: ClaimLimits;
  trustProxy: boolean;
  clock: () => number;
}): MiddlewareHandler<AppEnv> {
  const { limits, trustProxy, clock } = options;
  const rules = [
    { limit: limits.client, counts: createRateLimit({ limit: limits.client, trustProxy, clock }) },
    // Counted second: a client above its own limit takes nothing from the others.
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
