const HOSTS = ['x.com', 'twitter.com', 'mobile.twitter.com', 'mobile.x.com'];
const MAX_URL_LENGTH = 500;
const PATH = /^\/(i\/web|[A-Za-z0-9_]{1,15})\/status(?:es)?\/([1-9][0-9]{0,18})(?:\/(?:photo|video)\/[0-9]+)?\/?$/;

function isOnX({ hostname }: URL): boolean {
  return HOSTS.includes(hostname.replace(/^www\./, ''));
}

/** Whether a text is a URL of X's site, of a post or not. */
export function isXUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isOnX(url);
}

function readPostUrl(text: string): { readonly user: string; readonly id: string } | null {
  const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text);
  if (url === null || url.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') {
    return null;
  }
  if (!isOnX(url)) return null;
  const [, user, id] = PATH.exec(url.pathname) ?? [];
  return user === undefined || id === undefined ? null : { user, id };
}

/**
 * The id in a post's URL: `https://x.com/<user>/status/<id>`, `/i/status/<id>` or `/i/web/status/<id>`, also on X's
 * older hosts. X serves a post under any user's name, so the user in it proves nothing. Null for anything else.
 */
export function parsePostUrl(text: string): string | null {
  return readPostUrl(text)?.id ?? null;
}

/**
 * The URL of a post on X in one form, which ends with its id: `https://x.com/<user>/status/<id>`, or
 * `https://x.com/i/status/<id>` when it names no user. Null for anything else.
 */
export function canonicalPostUrl(text: string): string | null {
  const post = readPostUrl(text);
  return post && `https://x.com/${post.user === 'i/web' ? 'i' : post.user}/status/${post.id}`;
}
