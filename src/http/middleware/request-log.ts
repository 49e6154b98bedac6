import type { MiddlewareHandler } from 'hono';
import type { Log } from '../../log.ts';
import type { InstanceWatch } from '../../services/operators/instances.ts';
import type { RequestCheck } from '../checks.ts';
import { HttpError } from '../errors/http-error.ts';
import { type AppEnv, createRequestContext } from './context.ts';
import { STORE_MOVED_SECONDS } from './errors.ts';
import type { Metrics } from './metrics.ts';

const SANE_ID = /^[A-Za-z0-9._:=-]{1,128}$/;
const MAX_PATH = 200;

/** Polled every few seconds by monitoring. */
const QUIET: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

function requestIdOf(asked: string | undefined, newId: () => string): string {
  return asked !== undefined && SANE_ID.test(asked) ? asked : newId();
}

/**
 * Creates every request's context; after the response it updates the metrics and logs one line, with the path but not
 * the query, which may hold tokens. A client may set the id with `X-Request-Id`.
 */
export function trackRequests(options: { log: Log; metrics: Metrics; newId: () => string }): MiddlewareHandler<AppEnv> {
  const { log, metrics, newId } = options;
  return async (c, next) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(c.req.header('x-request-id'), newId);
    c.set('request', createRequestContext(requestId, log));
    await next();
    const { status } = c.res;
    const elapsedMs = performance.now() - startedAt;
    metrics.request(c, elapsedMs / 1000);
    const path = c.req.path.slice(0, MAX_PATH);
    const line = { requestId, method: c.req.method, path, status, durationMs: Math.round(elapsedMs * 10) / 10 };
    // A page that polls for changes asks every few seconds, and mostly gets a 304.
    if (QUIET.has(path) || status === 304) log.debug(line, 'request');
    else log.info(line, 'request');
  };
}

/**
 * Refuses requests once the store was moved to another database, from the first one after a sleep on: what this instance reads
 * is of the past. `/ready` says why, and `/health` asks nothing of the store.
 */
export function refuseMoved(instances: InstanceWatch): RequestCheck {
  const refuse = (path: string): undefined => {
    if (path === '/ready' || instances.moved() === null) return undefined;
    throw new HttpError({ code: 'unavailable', retryAfter: STORE_MOVED_SECONDS });
  };
  return ({ req: { path } }) => {
    if (path === '/health') return undefined;
    const looking = instances.lookAfterSleep();
    return looking === null ? refuse(path) : looking.then(() => refuse(path));
  };
}
