import type { Context } from 'hono';
import type { AppEnv } from '../../middleware/context.ts';

/**
 * Whether a request comes from a page of this server. Browsers set `Sec-Fetch-Site`, which no page can forge, but not
 * on plain http; there `Origin` decides, which a proxy may leave at the public address. A request with neither is not
 * from a browser's form.
 */
export function isSameOrigin(c: Context<AppEnv>, { publicUrl }: { publicUrl: string }): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = c.req.header('origin');
  return origin === new URL(c.req.url).origin || origin === new URL(publicUrl).origin;
}
