import type { Context } from 'hono';
import { html } from 'hono/html';
import { readBody } from '../middleware/body.ts';
import type { AppEnv } from '../middleware/context.ts';
import type { Markup } from './layout.ts';

/** The fields of a form. @throws HttpError when the body is too large or breaks off */
export async function readForm(c: Context<AppEnv>): Promise<URLSearchParams> {
  return new URLSearchParams(new TextDecoder().decode(await readBody(c)));
}

/** Redirects a browser after a form was processed. */
export function seeOther(c: Context<AppEnv>, location: string, headers: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { ...c.get('request').headers, ...headers, location, 'cache-control': 'no-store' },
  });
}

/** The form field that proves that the form came from a page of this session. */
export function renderFormToken({ formToken }: { readonly formToken: string }): Markup {
  return html`<input type="hidden" name="token" value="${formToken}">`;
}

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
