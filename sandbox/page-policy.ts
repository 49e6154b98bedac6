import { pageHeaders } from '../src/http/ui/content-policy.ts';

export const NO_STORE = { 'cache-control': 'no-store' } as const;

/**
 * The headers of the sandbox's pages. Forms may also lead to the service, because browsers hold the redirect after a form
 * against the page's policy, and pictures may come from there.
 */
export function sandboxHeaders(service: string): Record<string, string> {
  const { port } = new URL(service);
  const places = `'self' http://127.0.0.1:${port} http://localhost:${port}`;
  const headers = pageHeaders();
  const policy = headers['content-security-policy']
    ?.replace("form-action 'self'", `form-action ${places}`)
    .replace("img-src 'self'", `img-src ${places}`);
  return { ...headers, ...NO_STORE, 'content-security-policy': policy ?? '' };
}
