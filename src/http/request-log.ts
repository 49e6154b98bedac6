import type { MiddlewareHandler } from 'hono';
import type { Log } from '../log.ts';
import { type AppEnv, createExchange } from './exchange.ts';

const SANE_ID = /^[A-Za-z0-9._:=-]{1,128}$/;
const MAX_PATH = 200;

/** Asked for every few seconds by machines. */
const QUIET: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

/**
 * Opens the exchange of every request and writes one line when it is answered. The line holds the path without its
 * query, which may carry tokens. A caller may name the request with `X-Request-Id`; the name is answered back.
 */
export function logRequests({ log, newId }: { log: Log; newId: () => string }): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const startedAt = performance.now();
    const asked = c.req.header('x-request-id');
    const requestId = asked !== undefined && SANE_ID.test(asked) ? asked : newId();
    c.set('exchange', createExchange(requestId, log));
    await next();
    const { method, path } = c.req;
    const fields = {
      requestId,
      method,
      path: path.slice(0, MAX_PATH),
      status: c.res.status,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
    };
    // A page that looks whether it has changed asks every few seconds, and mostly it has not.
    if (QUIET.has(path) || c.res.status === 304) log.debug(fields, 'request');
    else log.info(fields, 'request');
  };
}
