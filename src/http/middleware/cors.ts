import type { MiddlewareHandler } from 'hono';
import type { App, AppEnv } from './context.ts';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const EXPOSED = 'RateLimit-Limit, RateLimit-Policy, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id';

const openToAll: MiddlewareHandler<AppEnv> = (c, next) => {
  if (READS.has(c.req.method)) {
    const { headers } = c.get('request');
    headers['access-control-allow-origin'] = '*';
    headers['access-control-expose-headers'] = EXPOSED;
  }
  return next();
};

/**
 * Lets pages of any origin read these paths, refusals included. Nothing that changes something is opened: an API key
 * has no business in a page. Call it before whatever may refuse.
 */
export function allowCrossOriginReads(app: App, paths: readonly string[]): void {
  for (const path of paths) app.use(path, openToAll);
}

/** Answers the question that browsers ask before a read with headers of its own. */
export function answerPreflights(app: App, paths: readonly string[]): void {
  for (const path of paths) {
    app.options(path, (c) => {
      const headers = {
        ...c.get('request').headers,
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-headers': '*',
        'access-control-max-age': '86400',
      };
      return new Response(null, { status: 204, headers });
    });
  }
}
