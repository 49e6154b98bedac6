import type { Context } from 'hono';
import type { AppEnv } from '../middleware/context.ts';

/**
 * Whether a request comes from a page of this server. Browsers say so themselves (`Sec-Fetch-Site`), and no page can
 * make them lie; on plain http they do not, and there `Origin` tells, which a proxy may leave at the public address.
 * What carries neither comes from no browser's form.
 */
export function isSameOrigin(c: Context<AppEnv>, { publicUrl }: { publicUrl: string }): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = c.req.header('origin');
  return origin === new URL(c.req.url).origin || origin === new URL(publicUrl).origin;
}
