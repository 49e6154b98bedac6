const MAX_URL_LENGTH = 500;

export const CAST_HOSTS = ['farcaster.xyz', 'warpcast.com'];
const CAST_HASH = /^0x[0-9a-f]{40}$/;

export const X_HOSTS = ['x.com', 'twitter.com'];
/** Handles of more than 15 characters are older than that limit. */
const X_PATH =
  /^\/(i\/web|[A-Za-z0-9_]{1,20})\/status(?:es)?\/([1-9][0-9]{0,18})(?:\/(?:(?:photo|video)\/[0-9]+|analytics|quotes|history|retweets|reposts))?\/?$/;

const SITE = /^(?:www|mobile|m)\./;

/** A cast by its URL. The user in the URL proves nothing about the author. */
export type CastReference =
  | { readonly kind: 'hash'; readonly hash: string }
  /** URLs to look up in this order, and the prefix of the hash that the result must have. */
  | { readonly kind: 'url'; readonly urls: readonly string[]; readonly hashPrefix: string };

export interface PostUrl {
  /** The canonical URL, which ends with the id of the post. */
  readonly canonical: string;
  /** The key of the post, or null when the URL has only its beginning. */
  readonly postId: string | null;
}

/** Browsers do not show the scheme, so it may be missing. */
function parseUrl(text: string): URL | null {
  return URL.parse(/^\s*[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text.trim()}`);
}

function hostOf(url: URL): string {
  return url.hostname.replace(SITE, '');
}

function readUrl(text: string, hosts: readonly string[]): URL | null {
  const url = text.length > MAX_URL_LENGTH ? null : parseUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  if (url.port !== '' || url.username !== '' || url.password !== '') return null;
  return hosts.includes(hostOf(url)) ? url : null;
}

/** `user` is null for `/~/conversations/`, which has the whole hash. */
interface CastUrl {
  readonly host: string;
  readonly user: string | null;
  /** In lower case, possibly only its beginning. */
  readonly hash: string;
}

function readCastUrl(text: string): CastUrl | null {
  const url = readUrl(text, CAST_HOSTS);
  if (url === null) return null;
  const host = hostOf(url);
  const conversation = /^\/~\/conversations\/(0x[0-9a-fA-F]{40})\/?$/.exec(url.pathname)?.[1];
  if (conversation !== undefined) return { host, user: null, hash: conversation.toLowerCase() };
  // An account without a name has its FID after a `!` for one.
  const match = /^\/(!?[A-Za-z0-9][A-Za-z0-9._-]{0,63})\/(0x[0-9a-fA-F]{6,40})\/?$/.exec(url.pathname);
  const [, user, hash] = match ?? [];
  return user === undefined || hash === undefined ? null : { host, user, hash: hash.toLowerCase() };
}

/**
 * Reads a cast URL, as browsers show it: `https://farcaster.xyz/<user>/0x<part of the hash>` or `/~/conversations/0x<hash>`, also on the
 * older host warpcast.com; null for anything else. A shortened hash needs a look-up of the URL, on both hosts, because
 * only one may be known.
 */
export function parseCastUrl(text: string): CastReference | null {
  const cast = readCastUrl(text);
  if (cast === null) return null;
  if (CAST_HASH.test(cast.hash)) return { kind: 'hash', hash: cast.hash };
  const hosts = [cast.host, ...CAST_HOSTS.filter((other) => other !== cast.host)];
  return {
    kind: 'url',
    urls: hosts.map((name) => `https://${name}/${cast.user}/${cast.hash}`),
    hashPrefix: cast.hash,
  };
}

/**
 * The cast that a URL names. Its canonical form is on farcaster.xyz in lower case; a conversation URL stays one,
 * because it lacks the author's name.
 */
export function readCast(text: string): PostUrl | null {
  const cast = readCastUrl(text);
  if (cast === null) return null;
  return {
    canonical: `https://farcaster.xyz/${cast.user?.toLowerCase() ?? '~/conversations'}/${cast.hash}`,
    postId: CAST_HASH.test(cast.hash) ? cast.hash : null,
  };
}

/**
 * The post on X that a URL names, as browsers show it: `https://x.com/<user>/status/<id>`, `/i/status/<id>` or
 * `/i/web/status/<id>`, also with the page of the post that is open, and on X's older hosts; null for anything else. X serves a post under any user's name, so the user proves nothing.
 */
export function readXPost(text: string): (PostUrl & { readonly postId: string }) | null {
  const url = readUrl(text, X_HOSTS);
  const [, user, postId] = (url && X_PATH.exec(url.pathname)) ?? [];
  if (user === undefined || postId === undefined) return null;
  return { canonical: `https://x.com/${user === 'i/web' ? 'i' : user}/status/${postId}`, postId };
}

/**
 * Reads a profile URL on any of these hosts as the account's handle with an `@`, or its id.
 * @param ids what stands before the id in the path of a profile that is named by it, such as `i/user/`, one or several
 */
export function profileReader(hosts: readonly string[], ...ids: readonly string[]): (text: string) => string | null {
  const either = hosts.map((host) => host.replaceAll('.', '\\.')).join('|');
  const profile = new RegExp(
    `^(?:https?://)?(?:(?:www|mobile|m)\\.)?(?:${either})/(?:(?:${ids.join('|')})([0-9]+)|@?([A-Za-z0-9._-]+))/?(?:[?#].*)?$`,
    'i',
  );
  return (text) => {
    const [, id, handle] = profile.exec(text) ?? [];
    return id ?? (handle === undefined ? null : `@${handle}`);
  };
}

/** Writes the URL of a profile by the account's handle with an `@`, or its id. */
export function profileWriter(origin: string, ids: string): (name: string) => string {
  return (name) => (name.startsWith('@') ? `${origin}/${name.slice(1).toLowerCase()}` : `${origin}/${ids}/${name}`);
}
