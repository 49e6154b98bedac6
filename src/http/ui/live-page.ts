import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { AppEnv } from '../middleware/context.ts';
import { type Markup, renderPage, type Site } from './layout.ts';
import type { PageAnswer } from './page.ts';

/** The script that keeps a page as it would be after a reload. */
export const LIVE_SCRIPT = 'admin.js';

/**
 * The part of a page that {@link LIVE_SCRIPT} keeps up to date.
 * @param options.every seconds between two looks while the page is visible; null when it stays as it is
 */
export function renderLive(body: Markup, { every }: { every: number | null }): Markup {
  return html`<p id="liveness" class="liveness small" role="status"></p>
<div id="live" class="stack-wide"${every === null ? '' : html` data-every="${every}"`}>
${body}
</div>`;
}

/**
 * Answers with a page that its script asks for again, or with 304 when the client has the same version.
 * @param page.status a page with one is never 304
 */
export async function answerLive(
  c: Context<AppEnv>,
  site: Site,
  { status, headers: own = {}, ...page }: PageAnswer,
): Promise<Response> {
  const text = await renderPage(site, page);
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  const headers = { ...c.get('request').headers, ...own, 'cache-control': 'no-store', etag };
  if (status === undefined && c.req.header('if-none-match') === etag)
    return new Response(null, { status: 304, headers });
  return new Response(text, { status: status ?? 200, headers });
}
