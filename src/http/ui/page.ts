import { join } from 'node:path';
import type { Context, MiddlewareHandler } from 'hono';
import { html } from 'hono/html';
import type { App, AppEnv, HttpResult } from '../middleware/context.ts';
import { answerFile } from '../middleware/held-file.ts';
import { createAssets } from './assets.ts';
import { pageHeaders } from './content-policy.ts';
import { type Markup, type NavigationLink, type PageOptions, renderPage, type Site } from './layout.ts';

/** The pages as they are reached from outside. `pagesFolder` is `src/http/pages`, whose `assets` browsers load. */
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
    headers: { ...c.get('request').headers, ...headers, 'cache-control': cacheControl },
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
function sentenceOf({ body }: HttpResult): string {
  const said = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
  return typeof said === 'string' ? said : FALLBACK;
}

/**
 * Makes the errors of this exchange small pages with the status that the API would answer.
 * @param options.title instead of what the status is usually called
 * @param options.help what helps to go on, below the words of the error
 */
export function showErrors(c: Context<AppEnv>, site: Site, options: { title?: string; help?: Markup } = {}): void {
  const { help } = options;
  c.set('errorPage', (answer) => {
    const title = options.title ?? TITLES[answer.status] ?? FALLBACK;
    return answerPage(c, site, {
      status: answer.status,
      headers: answer.headers,
      title,
      nav: publicNavigation(site),
      body: html`<div class="stack"><h1>${title}</h1><p>${sentenceOf(answer)}</p>${help ?? ''}</div>`,
    });
  });
}

/**
 * Makes whatever is answered below it a page: its headers are those of pages, and errors are pages too.
 * @param options.frames the origins that may show it in a frame; none when absent
 */
export function servePages(site: Site, options: { frames?: readonly string[] } = {}): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const { headers } = c.get('request');
    Object.assign(headers, pageHeaders(options));
    if (options.frames !== undefined) delete headers['x-frame-options'];
    showErrors(c, site);
    await next();
  };
}

/** Leads from a path with a slash at its end to the page without it. */
export function withoutSlash({ root }: Pick<Site, 'root'>): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const { pathname, search } = new URL(c.req.url);
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
    if (!isRead || !pathname.endsWith('/')) return await next();
    const location = `${root}${pathname.slice(0, -1)}${search}`;
    const headers = { ...c.get('request').headers, location, 'cache-control': 'no-store' };
    return new Response(null, { status: 308, headers });
  };
}

/** What programs that follow links may read; the operator's pages are nothing to them. */
function robotsText(root: string): string {
  return `User-agent: *\nAllow: /\nDisallow: ${root}/admin\n`;
}

const DAY_CACHED = { 'cache-control': 'public, max-age=86400' };

/** `GET /assets/:name`: stylesheets, scripts and the icon; and what is asked for by a fixed name, without any link. */
export function addAssetRoutes(app: App, { assets, root }: Pick<Site, 'assets' | 'root'>): void {
  app.get('/favicon.ico', (c) => {
    const icon = assets.read('icon.svg');
    return icon === null ? c.notFound() : answerFile(c, icon, DAY_CACHED);
  });
  app.get('/robots.txt', (c) => {
    const headers = { ...c.get('request').headers, 'content-type': 'text/plain; charset=utf-8', ...DAY_CACHED };
    return new Response(robotsText(root), { headers });
  });
  app.get('/assets/:name', (c) => {
    const asset = assets.read(c.req.param('name'));
    return asset === null ? c.notFound() : answerFile(c, asset);
  });
}
