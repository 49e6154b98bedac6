import { NOT_PUBLIC } from './connections.ts';
import { isPublicAddress, literalOf } from './public-address.ts';

/** Ports below it are those of a system's own services. */
const FIRST_FREE_PORT = 1024;

/** Why a URL that somebody else has chosen is not asked; null when it may be. */
export function urlProblem(text: string, allowPrivate: boolean): string | null {
  const url = URL.parse(text);
  if (url === null) return 'is not a URL';
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must name no user';
  if (url.hash !== '') return 'must have no fragment';
  if (url.port !== '' && Number(url.port) < FIRST_FREE_PORT)
    return `must have port 443, or one from ${FIRST_FREE_PORT} on`;
  const literal = literalOf(url);
  return literal === null || allowPrivate || isPublicAddress(literal) ? null : NOT_PUBLIC;
}
