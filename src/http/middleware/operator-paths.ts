import type { MiddlewareHandler } from 'hono';
import type { AppEnv } from './context.ts';
import { HttpError } from './errors.ts';

/** What proxies keep to the operator, and everything below. */
const OPERATOR_PATHS = ['/metrics', '/ready', '/admin'];
/** What the operators' door has besides: the pages' files, and a sign of life. */
const BESIDE_THEM = ['/health', '/assets', '/favicon.ico', '/robots.txt'];

function isBelow(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || path.startsWith(`${place}/`));
}

/** The path of a request as it was sent: neither decoded nor resolved. */
function pathAsSent(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

/**
 * Keeps the operator's paths where they belong. Proxies guard a path as it is written, so one that comes out at an
 * operator's path only when it is decoded or resolved (`/%6detrics`, `/x/../admin`) is not found. With a port of their
 * own these paths are not found at the door for everybody, nor anything else at theirs.
 */
export function guardOperatorPaths({ ownPort }: { ownPort: boolean }): MiddlewareHandler<AppEnv> {
  return (c, next) => {
    const { path } = c.req;
    const isOperators = isBelow(path, OPERATOR_PATHS);
    const sent = pathAsSent(c.env?.incoming?.url ?? c.req.url.replace(/^https?:\/\/[^/]*/, ''));
    const isThere = c.env?.door === 'operators' ? isOperators || isBelow(path, BESIDE_THEM) : !(isOperators && ownPort);
    if (!isThere || (isOperators && sent !== path)) throw new HttpError({ code: 'route_not_found' });
    return next();
  };
}
