/**
 * The Content-Security-Policy of a page: only this server's own files, nothing inline.
 * @param frames the origins that may show the page in a frame; none when absent
 */
function pagePolicy({ frames = [] }: { frames?: readonly string[] } = {}): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frames.length > 0 ? frames.join(' ') : "'none'"}`,
  ].join('; ');
}

/** A page's headers except caching: {@link pagePolicy} and the headers of every other response. */
export function pageHeaders(options: { frames?: readonly string[] } = {}): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy(options),
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  };
}
