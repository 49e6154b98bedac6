const MIN_SECRET_LENGTH = 6;

/** A part of a URL as it is meant. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Not percent-encoded: the part stands for itself.
    return part;
  }
}

/**
 * What an endpoint may be recognised or used by: its URL and every part of it that could be a key.
 * Providers repeat a key in their own error texts, so the whole URL alone is not enough to look for.
 */
export function secretParts(rpcUrl: string): string[] {
  const url = URL.parse(rpcUrl);
  if (url === null) return [rpcUrl];
  const path = url.pathname.split('/');
  const parts = [rpcUrl, url.href, url.host, url.hostname, url.username, url.password, ...path];
  return [...new Set([...parts, ...parts.map(decoded), ...url.searchParams.values()])]
    .filter((part) => part.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
}
