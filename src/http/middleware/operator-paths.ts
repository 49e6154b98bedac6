import type { RequestCheck } from '../checks.ts';
import { HttpError } from '../errors/http-error.ts';

/** The paths, and everything below, that proxies restrict to the operator. */
const OPERATOR_PATHS = ['/metrics', '/ready', '/admin'];
const BESIDE_THEM = ['/health', '/assets', '/favicon.ico', '/robots.txt'];

function isBelow(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || path.startsWith(`${place}/`));
}

/** As sent: neither decoded nor resolved. */
function pathAsSent(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

/**
 * Restricts the operator's paths. Proxies guard the path as sent, so a path that becomes an operator's only when
 * decoded or resolved (`/%6detrics`, `/x/../admin`) gets a 404. With a port of their own, these paths are 404 on the
 * public server, and other paths on the operators' server.
 */
export function guardOperatorPaths({ ownPort }: { ownPort: boolean }): RequestCheck {
  return (c) => {
    const { path } = c.req;
    const isOperators = isBelow(path, OPERATOR_PATHS);
    const sent = () => pathAsSent(c.env?.incoming?.url ?? c.req.url.replace(/^https?:\/\/[^/]*/, ''));
    const isThere = c.env?.door === 'operators' ? isOperators || isBelow(path, BESIDE_THEM) : !(isOperators && ownPort);
    if (!isThere || (isOperators && sent() !== path)) throw new HttpError({ code: 'route_not_found' });
    return undefined;
  };
}
