import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { Accent, Shades } from '../../domain/settings/accent.ts';
import type { Brand } from '../../domain/settings/brand.ts';
import type { Logo } from '../../domain/settings/logo/logo.ts';
import { type CachedFile, cacheFile } from '../middleware/cached-file.ts';

/** How a site is called and looks. */
export interface ShownBrand {
  readonly name: string;
  /** Of light pages and of pictures, as `#rrggbb`. */
  readonly color: string;
  /** The operator's own; null where the style sheets have it. */
  readonly accent: Accent | null;
  readonly logo: Logo | null;
  /** Stylesheets behind `style.css`, by their asset names. */
  readonly styles: readonly string[];
  /** The asset that stands for the site in a tab. */
  readonly icon: { readonly asset: string; readonly type: string };
  /** Ways to the operator, for the foot of a page. */
  readonly links: HtmlEscapedString | Promise<HtmlEscapedString> | null;
}

const ICON = 'icon.svg';
const OWN_COLOR = '#0b5d8c';
const FOREVER = 'public, max-age=31536000, immutable';

/** The site as gigclaim calls and shows it. */
export const OWN_BRAND: ShownBrand = {
  name: 'gigclaim',
  color: OWN_COLOR,
  accent: null,
  logo: null,
  styles: [],
  icon: { asset: ICON, type: 'image/svg+xml' },
  links: null,
};

function declare({ accent, strong, on, faint }: Shades): string {
  return `:root{--accent:${accent};--accent-strong:${strong};--on-accent:${on};--bar-waiting:${faint}}`;
}

const LOGO_STYLE =
  '.wordmark:has(img){display:flex;align-items:center;gap:.5rem}.wordmark img{width:auto;height:1.75rem;max-width:9rem;object-fit:contain}';

function styleOf({ accent, logo }: ShownBrand): string {
  const colors =
    accent === null ? '' : `${declare(accent.light)}@media (prefers-color-scheme:dark){${declare(accent.dark)}}`;
  return `${colors}${logo === null ? '' : LOGO_STYLE}`;
}

function fileOf(text: string, type: string): CachedFile {
  return cacheFile(new Uint8Array(Buffer.from(text)), { 'content-type': type, 'cache-control': FOREVER });
}

/** Opened by itself, an SVG is a document: it runs and loads nothing, whatever it holds. */
function logoFile({ type, bytes }: Logo): CachedFile {
  return cacheFile(bytes, {
    'content-type': type,
    'cache-control': FOREVER,
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  });
}

function linksOf({ contact, terms }: Brand): ShownBrand['links'] {
  if (contact === null && terms === null) return null;
  const links = [
    contact === null ? null : html`<a href="${contact}">Contact</a>`,
    terms === null ? null : html`<a href="${terms}" rel="noopener">Terms</a>`,
  ].filter((link) => link !== null);
  return html`${links.map((link, index) => (index === 0 ? link : html` · ${link}`))}`;
}

/** gigclaim's icon in the operator's color. */
function recolored(pagesFolder: string, { name, color }: ShownBrand): CachedFile {
  const icon = readFileSync(join(pagesFolder, 'assets', ICON), 'utf8');
  const title = name.replace(/[<>&]/g, '');
  return fileOf(icon.replace(OWN_BRAND.name, () => title).replaceAll(OWN_COLOR, color), 'image/svg+xml');
}

/** How a site with these settings is called and looks, and the assets that it is made of beside the files. */
export function showBrand(
  brand: Brand,
  { logo, pagesFolder }: { readonly logo: Logo | null; readonly pagesFolder: string },
): { shown: ShownBrand; assets: ReadonlyMap<string, CachedFile> } {
  const { name, accent } = brand;
  const logoName = logo?.type === 'image/png' ? 'logo.png' : 'logo.svg';
  const shown: ShownBrand = {
    name: name ?? OWN_BRAND.name,
    color: accent?.light.accent ?? OWN_COLOR,
    accent,
    logo,
    styles: accent === null && logo === null ? [] : ['brand.css'],
    icon: logo === null ? OWN_BRAND.icon : { asset: logoName, type: logo.type },
    links: linksOf(brand),
  };
  const assets = new Map<string, CachedFile>();
  if (name !== null || accent !== null) assets.set(ICON, recolored(pagesFolder, shown));
  if (shown.styles.length > 0) assets.set('brand.css', fileOf(styleOf(shown), 'text/css; charset=utf-8'));
  if (logo !== null) assets.set(logoName, logoFile(logo));
  return { shown, assets };
}
