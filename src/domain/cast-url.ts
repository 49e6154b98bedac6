/** Where a cast lives, as its URL says it. The user in the URL proves nothing about the author. */
export type CastReference =
  | { readonly kind: 'hash'; readonly hash: string }
  /** URLs to ask for in this order, and the beginning of the hash that the answer must have. */
  | { readonly kind: 'url'; readonly urls: readonly string[]; readonly hashPrefix: string };

const HOSTS = ['farcaster.xyz', 'warpcast.com'];
const MAX_URL_LENGTH = 500;
const HASH = /^0x[0-9a-f]{40}$/;

/** What the URL of a cast says; `user` is null for `/~/conversations/`, which has the whole hash. */
interface CastUrl {
  readonly host: string;
  readonly user: string | null;
  /** In lower case, perhaps only its beginning. */
  readonly hash: string;
}

function readCastUrl(text: string): CastUrl | null {
  const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text);
  if (url === null || url.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') {
    return null;
  }
  const host = url.hostname.replace(/^www\./, '');
  if (!HOSTS.includes(host)) return null;
  const conversation = /^\/~\/conversations\/(0x[0-9a-fA-F]{40})\/?$/.exec(url.pathname)?.[1];
  if (conversation !== undefined) return { host, user: null, hash: conversation.toLowerCase() };
  const match = /^\/([A-Za-z0-9][A-Za-z0-9._-]{0,63})\/(0x[0-9a-fA-F]{6,40})\/?$/.exec(url.pathname);
  const [, user, hash] = match ?? [];
  return user === undefined || hash === undefined ? null : { host, user, hash: hash.toLowerCase() };
}

/**
 * Reads a cast's URL: `https://farcaster.xyz/<user>/0x<part of the hash>` or `/~/conversations/0x<hash>`, also on the
 * older host warpcast.com. A shortened hash cannot be completed here, so the URL itself is looked up, on the other host
 * too, because only one of them may be known. Null for anything else.
 */
export function parseCastUrl(text: string): CastReference | null {
  const cast = readCastUrl(text);
  if (cast === null) return null;
  if (HASH.test(cast.hash)) return { kind: 'hash', hash: cast.hash };
  const hosts = [cast.host, ...HOSTS.filter((other) => other !== cast.host)];
  return {
    kind: 'url',
    urls: hosts.map((name) => `https://${name}/${cast.user}/${cast.hash}`),
    hashPrefix: cast.hash,
  };
}

/**
 * The URL of a cast in one form: on farcaster.xyz, in lower case as names and hashes are there, ending with the hash.
 * A conversation's URL stays one, because its author's name is not in it. Null for anything else.
 */
export function canonicalCastUrl(text: string): string | null {
  const cast = readCastUrl(text);
  return cast && `https://farcaster.xyz/${cast.user?.toLowerCase() ?? '~/conversations'}/${cast.hash}`;
}
