import type { MiddlewareHandler } from 'hono';
import type { RequestCheck } from '../checks.ts';
import type { App, AppEnv } from './context.ts';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const EXPOSED = 'RateLimit-Limit, RateLimit-Policy, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id';

/** An expression that matches the given paths as Hono matches them, such as `/api/gigs/:id{[0-9]+}` or `/api/gigs/:id`. */
export function pathExpression(paths: readonly string[]): RegExp {
  const parameter = /:\w+(?:\{(.*?)\})?/g;
  const sources = paths.map((path) =>
    path.replaceAll('.', '\\.').replaceAll(parameter, (_, pattern = '[^/]+') => `(?:${pattern})`),
  );
  return new RegExp(`^(?:${sources.join('|')})$`);
}

/**
 * Lets pages of any origin read these paths, errors included. Routes that change something stay closed, because an API
 * key must not be in a page. It must run before any check that may refuse a request.
 */
export function allowCrossOriginReads(paths: readonly string[]): RequestCheck {
  const isOpen = pathExpression(paths);
  return (c) => {
    if (!READS.has(c.req.method) || !isOpen.test(c.req.path)) return undefined;
    const { headers } = c.get('request');
    headers['access-control-allow-origin'] = '*';
    headers['access-control-expose-headers'] = EXPOSED;
    return undefined;
  };
}

/** Answers CORS preflight requests. */
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

/** Lets pages of some origins send requests of one method, their keys included. Call it before any middleware that may refuse. */
export function allowOrigins(origins: readonly string[], method: string): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const origin = c.req.header('origin');
    if (origin === undefined || !origins.includes(origin)) return await next();
    const { headers } = c.get('request');
    headers['access-control-allow-origin'] = origin;
    headers['access-control-expose-headers'] = EXPOSED;
    headers['vary'] = 'Origin';
    if (c.req.method !== 'OPTIONS') return await next();
    headers['access-control-allow-methods'] = method;
    // The wildcard stands for all names but this one.
    headers['access-control-allow-headers'] = 'authorization, *';
    headers['access-control-max-age'] = '86400';
    return new Response(null, { status: 204, headers });
  };
}
