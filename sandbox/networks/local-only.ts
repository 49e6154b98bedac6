import type { MiddlewareHandler } from 'hono';
import type { NetworkEnv } from './faults.ts';

const LOOPBACK = /^(?:127\.0\.0\.1|localhost)(?::[0-9]+)?$/;

/** Whether a browser says that a page of this address sent the request; scripts say nothing of the kind. */
function isOwnPage(headers: { site: string | undefined; origin: string | undefined }, host: string): boolean {
  if (headers.site !== undefined && headers.site !== 'same-origin') return false;
  return headers.origin === `http://${host}`;
}

/**
 * Lets only this machine in. The host must be a loopback name: another site could otherwise read everything under a name
 * of its own that leads to 127.0.0.1 (DNS rebinding). What changes something must not come from another site's page.
 * @param options.scripts whether a program that is no browser, and so names no origin, may change something as well
 */
export function localOnly({ scripts }: { scripts: boolean }): MiddlewareHandler<NetworkEnv> {
  return async (c, next) => {
    const host = c.req.header('host') ?? '';
    if (!LOOPBACK.test(host)) return c.text('Not this host', 421);
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
    const headers = { site: c.req.header('sec-fetch-site'), origin: c.req.header('origin') };
    const isScript = headers.site === undefined && headers.origin === undefined;
    if (!(scripts && isScript) && !isOwnPage(headers, host)) return c.text('Only this page may do that', 403);
    return next();
  };
}
