import { join } from 'node:path';
import type { Context, MiddlewareHandler } from 'hono';
import { html } from 'hono/html';
import type { Brand } from '../../domain/settings/brand.ts';
import type { Logo } from '../../domain/settings/logo/logo.ts';
import { answerFile } from '../middleware/cached-file.ts';
import type { App, AppEnv } from '../middleware/context.ts';
import type { ShowMissingPage } from '../middleware/errors.ts';
import type { PriceView } from '../worth.ts';
import { createAssets } from './assets.ts';
import { showBrand } from './brand.ts';
import { pageHeaders } from './content-policy.ts';
import { type Markup, type NavigationLink, type PageOptions, type Root, renderPage, type Site } from './layout.ts';

export interface SiteOptions extends PriceView {
  readonly publicUrl: string;
  readonly ownersSignIn: boolean;
  readonly brand: Brand;
  readonly logo: Logo | null;
  /** `src/http/pages`, whose `assets` browsers load. */
  readonly pagesFolder: string;
}

/** The site as clients reach it. */
export function createSite({ pagesFolder, brand, logo, publicUrl, ownersSignIn, priceOf }: SiteOptions): Site {
  const root = new URL(publicUrl).pathname.replace(/\/$/, '');
  const { shown, assets: made } = showBrand(brand, { logo, pagesFolder });
  const assets = createAssets({ folders: [join(pagesFolder, 'assets')], root, made });
  return { assets, root, publicUrl, ownersSignIn, brand: shown, priceOf };
}

/** The navigation in the header of every public page. */
export function publicNavigation(
  { root, ownersSignIn }: Site,
  current?: 'gigs' | 'commands' | 'sign in',
): NavigationLink[] {
  return [
    { href: `${root}/gigs`, label: 'Gigs', current: current === 'gigs' },
    { href: `${root}/commands`, label: 'Commands', current: current === 'commands' },
    { href: `${root}/api/docs`, label: 'API' },
    ...(ownersSignIn ? [{ href: `${root}/my`, label: 'Sign in', current: current === 'sign in' }] : []),
  ];
}

/** A page as a response. */
export interface PageAnswer extends PageOptions {
  readonly status?: number;
  /** The `Cache-Control` of the page; not cacheable when absent. */
  readonly cacheControl?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Answers with a page and the request's headers. */
export async function answerPage(c: Context<AppEnv>, site: Site, page: PageAnswer): Promise<Response> {
  const { status = 200, cacheControl = 'no-store', headers } = page;
  const text = await renderPage(site, page);
  return new Response(text, {
    status,
    headers: { ...c.get('request').headers, ...headers, 'cache-control': cacheControl },
  });
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Invalid request',
  401: 'Not allowed',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Not allowed',
  413: 'Too large',
  429: 'Too many requests',
  503: 'Not available right now',
};
const FALLBACK = 'Something went wrong';

/**
 * Renders the errors of this request as small pages with the API's status.
 * @param options.title replaces the usual title of the status
 * @param options.help advice below the error's text
 */
export function showErrors(c: Context<AppEnv>, site: Site, options: { title?: string; help?: Markup } = {}): void {
  const { help } = options;
  c.set('errorPage', ({ status, sentence, headers }) => {
    const title = options.title ?? TITLES[status] ?? FALLBACK;
    return answerPage(c, site, {
      status,
      headers,
      title,
      nav: publicNavigation(site),
      body: html`<div class="stack"><h1>${title}</h1><p>${sentence}</p>${help ?? ''}</div>`,
    });
  });
}

/**
 * Sends every response below it with page headers, and errors as pages.
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

/** Programs ask for these paths and everything below them: their errors are JSON for browsers, too. */
const PROGRAM_PATHS = [
  '/.well-known',
  '/api',
  '/webhooks',
  '/health',
  '/ready',
  '/metrics',
  '/assets',
  '/favicon.ico',
  '/robots.txt',
  '/llms.txt',
  '/skill.md',
];

/** Renders the 404 of an unknown path as a page for a client that accepts HTML, as browsers do. */
export function showMissingPageOf(site: Site): ShowMissingPage {
  return (c) => {
    const { method, path } = c.req;
    const isRead = method === 'GET' || method === 'HEAD';
    const acceptsPages = /\btext\/html\b/i.test(c.req.header('accept') ?? '');
    if (!isRead || !acceptsPages || PROGRAM_PATHS.some((place) => path === place || path.startsWith(`${place}/`)))
      return;
    const { headers } = c.get('request');
    Object.assign(headers, pageHeaders());
    headers['vary'] = 'accept';
    showErrors(c, site, { title: 'There is no such page' });
  };
}

/** Redirects a path with a trailing slash to the page without it. */
export function withoutSlash({ root }: Root): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const { pathname, search } = new URL(c.req.url);
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
    if (!isRead || !pathname.endsWith('/')) return await next();
    const location = `${root}${pathname.slice(0, -1)}${search}`;
    const headers = { ...c.get('request').headers, location, 'cache-control': 'no-store' };
    return new Response(null, { status: 308, headers });
  };
}

function robotsText(root: string): string {
  return `User-agent: *\nAllow: /\nDisallow: ${root}/admin\nDisallow: ${root}/my\n`;
}

const DAY_CACHED = { 'cache-control': 'public, max-age=86400' };

/** `GET /assets/:name` (stylesheets, scripts, the icon), and the files that clients request by a fixed name. */
export function addAssetRoutes(app: App, { assets, root, brand }: Site): void {
  app.get('/favicon.ico', (c) => {
    const icon = assets.read(brand.icon.asset);
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
