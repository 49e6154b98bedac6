import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Logo } from '../../domain/settings/logo/logo.ts';
import type { AppEnv } from '../middleware/context.ts';
import type { ShownBrand } from '../ui/brand.ts';
import type { Markup, Site } from '../ui/layout.ts';

/** Clients that open mini apps in a frame. */
export const MINI_APP_HOSTS = [
  ...['https://farcaster.xyz', 'https://*.farcaster.xyz', 'https://warpcast.com', 'https://*.warpcast.com'],
  ...['https://base.app', 'https://*.base.app'],
];

/** The color behind a mini app while it loads. */
export const SPLASH_COLOR = '#f7f7f5';

/** The preview image's size in pixels: 3 to 2, as mini apps require. */
const IMAGE_SIZE = { width: 1200, height: 800 };

/** What other programs show of a page. */
export interface Preview {
  readonly title: string;
  readonly description: string;
  /** From the root of the service on. */
  readonly path: string;
  readonly imagePath: string;
  /** At most 32 characters. */
  readonly button: string;
}

/**
 * The button in the head of a page by which a client adds the mini app, so that it may notify; `miniapp.js` shows it. Nothing where no
 * notifications are sent.
 */
export function renderAddButton({ notifications }: { readonly notifications: string | null }): Markup | '' {
  if (notifications === null) return '';
  return html`<button id="add-app" class="slim" type="button" hidden>Add to get notified</button>`;
}

/**
 * The link preview of a page: Open Graph, and the embed of a Farcaster mini app
 * (https://miniapps.farcaster.xyz/docs/specification), which requires https. Its URLs are absolute, because other
 * programs read them.
 */
export function renderPreview(
  { title, description, path, imagePath, button }: Preview,
  { publicUrl, brand }: Site,
): Markup {
  const url = `${publicUrl}${path}`;
  const imageUrl = `${publicUrl}${imagePath}`;
  const action = { type: 'launch_miniapp', name: brand.name, url, splashBackgroundColor: SPLASH_COLOR };
  const embed = { version: '1', imageUrl, button: { title: button, action } };
  const properties = {
    'og:type': 'website',
    'og:site_name': brand.name,
    'og:title': title,
    'og:description': description,
    'og:url': url,
    'og:image': imageUrl,
    'og:image:type': 'image/png',
    'og:image:width': IMAGE_SIZE.width,
    'og:image:height': IMAGE_SIZE.height,
    'og:image:alt': title,
  };
  return html`<link rel="canonical" href="${url}">
${Object.entries(properties).map(([property, content]) => html`<meta property="${property}" content="${content}">\n`)}
<meta name="twitter:card" content="summary_large_image">
${publicUrl.startsWith('https://') ? html`<meta name="fc:miniapp" content="${JSON.stringify(embed)}">` : ''}`;
}

/** Characters that XML cannot contain, even escaped (https://www.w3.org/TR/xml/#charsets). */
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** A text of a picture, at most `length` characters. */
export function cutLine(text: string, length: number): string {
  const letters = Array.from(text.replace(NOT_XML, ''));
  return letters.length <= length ? letters.join('') : `${letters.slice(0, length - 1).join('')}…`;
}

interface Picture {
  readonly title: string;
  readonly subtitle: string;
  readonly content: Markup;
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function drawLogo({ type, bytes }: Logo, { x, y, width, height }: Place): Markup {
  const data = Buffer.from(bytes).toString('base64');
  return html`<image x="${x}" y="${y}" width="${width}" height="${height}" href="data:${type};base64,${data}"/>`;
}

const LOGO_HEIGHT = 60;
/** Leaves room for the longest name. */
const MOST_LOGO_WIDTH = 300;

/** Who shows a picture, at its foot. */
function drawSender({ name, color, logo }: ShownBrand): Markup {
  const width = logo === null ? 0 : Math.min(MOST_LOGO_WIDTH, Math.round(LOGO_HEIGHT * logo.ratio));
  const mark = logo === null ? '' : drawLogo(logo, { x: 80, y: 695, width, height: LOGO_HEIGHT });
  const x = logo === null ? 80 : 80 + width + 20;
  return html`${mark}<text x="${x}" y="736" font-size="34" font-weight="600" fill="${color}">${name}</text>`;
}

/** A preview image as SVG text. */
export async function drawPicture({ title, subtitle, content }: Picture, brand: ShownBrand): Promise<string> {
  const { width, height } = IMAGE_SIZE;
  return String(
    await html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Inter" fill="#1b1c1e"><rect width="${width}" height="${height}" fill="#f7f7f5"/><rect width="${width}" height="16" fill="${brand.color}"/><text x="80" y="150" font-size="64" font-weight="600">${cutLine(title, 28)}</text><text x="80" y="212" font-size="34" fill="#5b5e63">${subtitle}</text><rect x="80" y="256" width="1040" height="2" fill="#dcdcd6"/>${content}${drawSender(brand)}</svg>`,
  );
}

/** The icon of the mini app, 1024 by 1024 and without transparency, as SVG text. */
export async function drawIcon({ name, color, logo }: ShownBrand): Promise<string> {
  const [letter = ''] = name;
  const content =
    logo === null
      ? html`<rect width="1024" height="1024" fill="${color}"/><text x="512" y="680" font-size="520" font-weight="600" fill="#ffffff" text-anchor="middle">${letter}</text>`
      : html`<rect width="1024" height="1024" fill="#ffffff"/>${drawLogo(logo, { x: 128, y: 128, width: 768, height: 768 })}`;
  return String(
    await html`<svg xmlns="http://www.w3.org/2000/svg" width="1024" height="1024" viewBox="0 0 1024 1024" font-family="Inter">${content}</svg>`,
  );
}

/** By what a drawn picture is remembered: its text without the logo, which is the same in all of them. */
export function pictureKey(svg: string): string {
  return svg.replace(/href="data:[^"]*"/, '');
}

/** Answers with a picture that other hosts may show. */
export function answerPicture(c: Context<AppEnv>, png: Uint8Array<ArrayBuffer>): Response {
  const headers = {
    ...c.get('request').headers,
    'content-type': 'image/png',
    'content-length': String(png.byteLength),
    'cache-control': 'public, max-age=30',
    'cross-origin-resource-policy': 'cross-origin',
  };
  return new Response(png, { headers });
}
