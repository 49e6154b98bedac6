import type { MiddlewareHandler } from 'hono';
import type { InstanceWatch } from '../../services/operators/instances.ts';
import type { AppEnv } from './context.ts';
import { HttpError, STORE_MOVED_SECONDS } from './errors.ts';

/**
 * Refuses requests once the store was moved to another database, from the first one after a sleep on: what this instance reads
 * is of the past. `/ready` says why, and `/health` asks nothing of the store.
 */
export function refuseMoved(instances: InstanceWatch): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const { path } = c.req;
    if (path === '/health') return await next();
    await instances.lookAfterSleep();
    if (path !== '/ready' && instances.moved() !== null)
      throw new HttpError({ code: 'unavailable', retryAfter: STORE_MOVED_SECONDS });
    return await next();
  };
}
