import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { PriceView } from '../worth.ts';
import type { Assets } from './assets.ts';
import { OWN_BRAND, type ShownBrand } from './brand.ts';

/** Markup with all other text escaped. Only `html` creates it. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;

/** Where the URLs of pages begin. */
export interface Root {
  /** The path prefix of every URL, when the service is reached below one; else empty. */
  readonly root: string;
}

/** What every page refers to. */
export interface Frame extends Root, PriceView {
  readonly assets: Assets;
  /** {@link OWN_BRAND} when absent. */
  readonly brand?: ShownBrand;
}

/** The URLs of the pages. */
export interface Site extends Frame {
  readonly brand: ShownBrand;
  /** The public URL, without a trailing slash. */
  readonly publicUrl: string;
  /** Whether there are pages of owners. */
  readonly ownersSignIn: boolean;
}

/** A link in the head of a page. */
export interface NavigationLink {
  readonly href: string;
  readonly label: string;
  /** Whether it links to the current page. */
  readonly current?: boolean;
}

export interface PageOptions {
  /** The page's title, in plain text; the service's name is added. */
  readonly title: string;
  /** One sentence for search engines and previews. */
  readonly description?: string;
  /** The content of `main`, with one `h1`. */
  readonly body: Markup;
  /** The text and link at the top left; the service and its first page when absent. */
  readonly home?: { readonly href: string; readonly label: string };
  readonly nav?: readonly NavigationLink[];
  /** Content at the right end of the header, such as a log-out form. */
  readonly aside?: Markup | '';
  /** Stylesheets beside `style.css`, by their asset names. */
  readonly styles?: readonly string[];
  /** Scripts, by their asset names; they run as modules after the page has loaded. */
  readonly scripts?: readonly string[];
  /** Additional `head` content: meta tags. */
  readonly head?: Markup;
  /** Uses the width of a large screen. */
  readonly wide?: boolean;
  /** Small print below the page. */
  readonly footer?: Markup;
}

function renderNavigation(links: readonly NavigationLink[]): Markup {
  return html`<nav aria-label="Main">
<ul>
${links.map(({ href, label, current }) => html`<li><a href="${href}"${current ? html` aria-current="page"` : ''}>${label}</a></li>`)}
</ul>
</nav>`;
}

function renderLogo({ assets }: Frame, { logo, icon }: ShownBrand): Markup | '' {
  if (logo === null) return '';
  return html`<img src="${assets.url(icon.asset)}" alt="" width="${Math.round(28 * logo.ratio)}" height="28"> `;
}

function renderFooter(footer: Markup | undefined, { links }: ShownBrand): Markup | '' {
  if (footer === undefined && links === null) return '';
  const between = footer !== undefined && links !== null ? ' · ' : '';
  return html`<footer class="colophon">${footer ?? ''}${between}${links ?? ''}</footer>`;
}

/** Renders a whole document around the body of a page. */
export async function renderPage(frame: Frame, options: PageOptions): Promise<string> {
  const { assets, root, brand = OWN_BRAND } = frame;
  const { title, description, body, nav = [], styles = [], scripts = [], wide = false } = options;
  const home = options.home ?? { href: `${root}/`, label: brand.name };
  const width = wide ? html` class="wide"` : '';
  const document = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${brand.name}</title>
${description === undefined ? '' : html`<meta name="description" content="${description}">`}
<meta name="color-scheme" content="light dark">
<link rel="icon" type="${brand.icon.type}" href="${assets.url(brand.icon.asset)}">
${['style.css', ...brand.styles, ...styles].map((name) => html`<link rel="stylesheet" href="${assets.url(name)}">`)}
${scripts.map((name) => html`<script type="module" src="${assets.url(name)}"></script>`)}
${options.head ?? ''}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="masthead"><div${width}>
<a class="wordmark" href="${home.href}">${renderLogo(frame, brand)}${home.label}</a>
${nav.length > 0 ? renderNavigation(nav) : ''}
${options.aside ?? ''}
</div></header>
<main id="main" tabindex="-1"${width}>
${body}
</main>
${renderFooter(options.footer, brand)}
</body>
</html>
`;
  return String(document);
}
