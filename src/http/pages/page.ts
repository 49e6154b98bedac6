import { join } from 'node:path';
import type { Context, MiddlewareHandler } from 'hono';
import { html } from 'hono/html';
import type { Answer, App, AppEnv } from '../exchange.ts';
import { createAssets } from './assets.ts';
import { type NavigationLink, type PageOptions, renderPage, type Site } from './layout.ts';
import { pageHeaders } from './policy.ts';

/** The pages as they are reached from outside. `pagesFolder` is the folder of this file. */
export function createSite({ publicUrl, pagesFolder }: { publicUrl: string; pagesFolder: string }): Site {
  const root = new URL(publicUrl).pathname.replace(/\/$/, '');
  return { assets: createAssets({ folders: [join(pagesFolder, 'assets')], root }), root, publicUrl };
}

/** What stands in the head of every public page. */
export function publicNavigation({ root }: Pick<Site, 'root'>, current?: 'gigs'): NavigationLink[] {
  return [
    { href: `${root}/gigs`, label: 'Gigs', current: current === 'gigs' },
    { href: `${root}/api/docs`, label: 'API' },
  ];
}

/** A page as an answer. */
export interface PageAnswer extends PageOptions {
  readonly status?: number;
  /** What may keep the page and for how long; nothing may when absent. */
  readonly cacheControl?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Answers with a page, with the exchange's headers. */
export async function answerPage(c: Context<AppEnv>, site: Site, page: PageAnswer): Promise<Response> {
  const { status = 200, cacheControl = 'no-store', headers } = page;
  const text = await renderPage(site, page);
  return new Response(text, {
    status,
    headers: { ...c.get('exchange').headers, ...headers, 'cache-control': cacheControl },
  });
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'This address cannot be read',
  401: 'Not allowed',
  403: 'Not allowed',
  404: 'Not found',
  429: 'Too many requests',
  503: 'Not available right now',
};
const FALLBACK = 'Something went wrong';

/** What an answer in JSON says of its error, in one sentence. */
function sentenceOf({ body }: Answer): string {
  const said = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
  return typeof said === 'string' ? said : FALLBACK;
}

/**
 * Makes whatever is answered below it a page: its headers are those of pages, and errors are small pages with the status
 * that the API would answer.
 * @param options.frames the origins that may show it in a frame; none when absent
 */
export function servePages(site: Site, options: { frames?: readonly string[] } = {}): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const { headers } = c.get('exchange');
    Object.assign(headers, pageHeaders(options));
    if (options.frames !== undefined) delete headers['x-frame-options'];
    c.set('errorPage', (answer) => {
      const title = TITLES[answer.status] ?? FALLBACK;
      return answerPage(c, site, {
        status: answer.status,
        headers: answer.headers,
        title,
        nav: publicNavigation(site),
        body: html`<div class="stack"><h1>${title}</h1><p>${sentenceOf(answer)}</p></div>`,
      });
    });
    await next();
  };
}

/** `GET /assets/:name`: stylesheets, scripts and the icon. */
export function addAssetRoutes(app: App, { assets }: Pick<Site, 'assets'>): void {
  app.get('/assets/:name', (c) => {
    const asset = assets.read(c.req.param('name'));
    if (asset === null) return c.notFound();
    return new Response(asset.body, { headers: { ...c.get('exchange').headers, ...asset.headers } });
  });
}
