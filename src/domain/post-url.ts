const HOSTS = ['x.com', 'twitter.com', 'mobile.twitter.com', 'mobile.x.com'];
const MAX_URL_LENGTH = 500;
const PATH = /^\/(?:i\/web|i|[A-Za-z0-9_]{1,15})\/status(?:es)?\/([0-9]{1,19})(?:\/(?:photo|video)\/[0-9]+)?\/?$/;

/**
 * The id in a post's URL: `https://x.com/<user>/status/<id>`, `/i/status/<id>` or `/i/web/status/<id>`, also on X's
 * older hosts. X serves a post under any user's name, so the user in it proves nothing. Null for anything else.
 */
export function parsePostUrl(text: string): string | null {
  const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text);
  if (url === null || url.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') {
    return null;
  }
  if (!HOSTS.includes(url.hostname.replace(/^www\./, ''))) return null;
  return PATH.exec(url.pathname)?.[1] ?? null;
}
