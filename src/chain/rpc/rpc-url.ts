const MIN_SECRET_LENGTH = 6;

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Invalid percent-encoding: the part is used as it is.
    return part;
  }
}

/** User and password of a URL as basic authorization carries them (RFC 7617), or null when it has neither. */
export function credentialsOf({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  return Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
}

/** Raw and decoded values, and names without a value: some keys are only a name. */
function queryParts({ search, searchParams }: URL): string[] {
  const standing = search
    .slice(1)
    .split('&')
    .map((part) => part.replace(/^[^=]*=/, ''));
  return [search, ...standing, ...searchParams.values()];
}

/**
 * An endpoint's secrets: its URL and each part that may be a key, in every form that we send. The whole URL is not
 * enough, because providers repeat keys in their error texts.
 */
export function secretParts(rpcUrl: string): string[] {
  const url = URL.parse(rpcUrl);
  if (url === null) return [rpcUrl];
  const path = url.pathname.split('/');
  const credentials = credentialsOf(url)?.replace(/={1,2}$/, '') ?? '';
  const { href, host, hostname, username, password } = url;
  const parts = [rpcUrl, href, host, hostname, username, password, credentials, ...path, ...queryParts(url)];
  return [...new Set([...parts, ...parts.map(decoded)])]
    .filter((part) => part.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
}

/** How an endpoint is named where operators read of it: by its place among those of its chain, from 1, and its host. */
export function endpointName(rpcUrl: string, place: number): string {
  return `endpoint ${place} (${new URL(rpcUrl).host})`;
}
