const MIN_SECRET_LENGTH = 6;

/** A part of a URL as it is meant. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Not percent-encoded: the part stands for itself.
    return part;
  }
}

/** User and password of a URL as basic authorization carries them (RFC 7617), or null when it has neither. */
export function credentialsOf({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  return Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
}

/** Values, as they stand and as they are meant, and names that have none: some keys stand alone. */
function queryParts({ search, searchParams }: URL): string[] {
  const standing = search
    .slice(1)
    .split('&')
    .map((part) => part.replace(/^[^=]*=/, ''));
  return [search, ...standing, ...searchParams.values()];
}

/**
 * What an endpoint may be recognised or used by: its URL and every part of it that could be a key, in every form that we
 * send. Providers repeat a key in their own error texts, so the whole URL alone is not enough to look for.
 */
export function secretParts(rpcUrl: string): string[] {
  const url = URL.parse(rpcUrl);
  if (url === null) return [rpcUrl];
  const path = url.pathname.split('/');
  const credentials = credentialsOf(url)?.replace(/=+$/, '') ?? '';
  const { href, host, hostname, username, password } = url;
  const parts = [rpcUrl, href, host, hostname, username, password, credentials, ...path, ...queryParts(url)];
  return [...new Set([...parts, ...parts.map(decoded)])]
    .filter((part) => part.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
}
