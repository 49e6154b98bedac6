/** Where a cast lives, as its URL says it. The user in the URL proves nothing about the author. */
export type CastReference =
  | { readonly kind: 'hash'; readonly hash: string }
  /** URLs to ask for in this order, and the beginning of the hash that the answer must have. */
  | { readonly kind: 'url'; readonly urls: readonly string[]; readonly hashPrefix: string };

const HOSTS = ['farcaster.xyz', 'warpcast.com'];
const MAX_URL_LENGTH = 500;
const HASH = /^0x[0-9a-f]{40}$/;

/**
 * Reads a cast's URL: `https://farcaster.xyz/<user>/0x<part of the hash>` or `/~/conversations/0x<hash>`, also on the
 * older host warpcast.com. A shortened hash cannot be completed here, so the URL itself is looked up, on the other host
 * too, because only one of them may be known. Null for anything else.
 */
export function parseCastUrl(text: string): CastReference | null {
  const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text);
  if (url === null || url.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') {
    return null;
  }
  const host = url.hostname.replace(/^www\./, '');
  if (!HOSTS.includes(host)) return null;
  const conversation = /^\/~\/conversations\/(0x[0-9a-fA-F]{40})\/?$/.exec(url.pathname)?.[1];
  if (conversation !== undefined) return { kind: 'hash', hash: conversation.toLowerCase() };
  const match = /^\/([A-Za-z0-9][A-Za-z0-9._-]{0,63})\/(0x[0-9a-fA-F]{6,40})\/?$/.exec(url.pathname);
  const [, user, hash] = match ?? [];
  if (user === undefined || hash === undefined) return null;
  const hashPrefix = hash.toLowerCase();
  if (HASH.test(hashPrefix)) return { kind: 'hash', hash: hashPrefix };
  const hosts = [host, ...HOSTS.filter((other) => other !== host)];
  return { kind: 'url', urls: hosts.map((name) => `https://${name}/${user}/${hashPrefix}`), hashPrefix };
}
