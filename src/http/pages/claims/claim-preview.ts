import { html } from 'hono/html';
import type { ClaimableGroup } from '../../../domain/gigs/tip.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import { amountText } from '../../ui/amounts.ts';
import { counted } from '../../ui/badges.ts';
import type { Markup, Site } from '../../ui/layout.ts';
import { accountLabel, type ClaimSubject, type ClaimView, claimPath } from './claim-page.ts';

/** The preview image's size in pixels: 3 to 2, as mini apps require. */
const IMAGE_SIZE = { width: 1200, height: 800 };

const SHOWN = 4;
const ACCENT = '#0b5d8c';

/** The page's title. */
export function claimTitle(view: ClaimView): string {
  const tokens = view.claimable.length;
  return `${accountLabel(view)} on ${platformFacts(view.name.platform).label}: ${tokens === 0 ? 'nothing to claim' : `${counted(tokens, 'token')} to claim`}`;
}

/** The claimable amounts in one line. */
export function claimSummary({ claimable }: ClaimView): string {
  if (claimable.length === 0) return 'Nothing to claim right now.';
  const named = claimable.slice(0, SHOWN).map(({ total, token }) => amountText(total, token));
  const more = claimable.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function imagePath(view: ClaimSubject): string {
  return `${claimPath(view)}/image.png`;
}

/**
 * The link preview of the page: Open Graph, and the embed of a Farcaster mini app
 * (https://miniapps.farcaster.xyz/docs/specification), which requires https. Its URLs are absolute, because other
 * programs read them.
 */
export function renderPreviewTags(view: ClaimView, { publicUrl }: Site): Markup {
  const url = `${publicUrl}${claimPath(view)}`;
  const imageUrl = `${publicUrl}${imagePath(view)}`;
  const embed = {
    version: '1',
    imageUrl,
    button: {
      title: view.claimable.length === 0 ? 'See payments' : 'See claimable tokens',
      action: { type: 'launch_miniapp', name: 'gigclaim', url, splashBackgroundColor: '#f7f7f5' },
    },
  };
  const properties = {
    'og:type': 'website',
    'og:site_name': 'gigclaim',
    'og:title': claimTitle(view),
    'og:description': claimSummary(view),
    'og:url': url,
    'og:image': imageUrl,
    'og:image:type': 'image/png',
    'og:image:width': IMAGE_SIZE.width,
    'og:image:height': IMAGE_SIZE.height,
    'og:image:alt': claimTitle(view),
  };
  return html`<link rel="canonical" href="${url}">
${Object.entries(properties).map(([property, content]) => html`<meta property="${property}" content="${content}">\n`)}
<meta name="twitter:card" content="summary_large_image">
${publicUrl.startsWith('https://') ? html`<meta name="fc:miniapp" content="${JSON.stringify(embed)}">` : ''}`;
}

/** Characters that XML cannot contain, even escaped (https://www.w3.org/TR/xml/#charsets). */
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

function fitting(text: string, length: number): string {
  const letters = Array.from(text.replace(NOT_XML, ''));
  return letters.length <= length ? letters.join('') : `${letters.slice(0, length - 1).join('')}…`;
}

function drawLine({ total, token, tips, gigCount }: ClaimableGroup, index: number): Markup {
  const y = 355 + index * 88;
  const amount = amountText(total, token);
  const origin = `${counted(tips.length, 'tip')}, ${counted(gigCount, 'gig')}`;
  return html`<text x="80" y="${y}" font-size="${amount.length > 16 ? 38 : 52}" font-weight="600">${fitting(amount, 26)}</text><text x="1120" y="${y}" font-size="30" fill="#5b5e63" text-anchor="end">${fitting(origin, 24)}</text>`;
}

interface Picture {
  readonly title: string;
  readonly subtitle: string;
  readonly content: Markup;
}

async function drawPicture({ title, subtitle, content }: Picture): Promise<string> {
  const { width, height } = IMAGE_SIZE;
  return String(
    await html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Inter" fill="#1b1c1e"><rect width="${width}" height="${height}" fill="#f7f7f5"/><rect width="${width}" height="16" fill="${ACCENT}"/><text x="80" y="150" font-size="64" font-weight="600">${fitting(title, 28)}</text><text x="80" y="212" font-size="34" fill="#5b5e63">${subtitle}</text><rect x="80" y="256" width="1040" height="2" fill="#dcdcd6"/>${content}<text x="80" y="736" font-size="34" font-weight="600" fill="${ACCENT}">gigclaim</text></svg>`,
  );
}

const NOTHING = html`<text x="80" y="355" font-size="52" font-weight="600">Nothing right now</text>`;

/** One shared image for all unknown accounts, as SVG text: clients may request any number of them. */
export async function drawUnknown(): Promise<string> {
  return await drawPicture({ title: 'Tips to claim', subtitle: 'For gigs on Farcaster and X', content: NOTHING });
}

/** The image of an account's claims, as SVG text. */
export async function drawClaims(view: ClaimView): Promise<string> {
  const shown = view.claimable.length > SHOWN ? SHOWN - 1 : SHOWN;
  const more = view.claimable.length - Math.min(view.claimable.length, shown);
  const rest = html`<text x="80" y="${355 + shown * 88}" font-size="36" fill="#5b5e63">and ${counted(more, 'more token')}</text>`;
  const empty = view.claimable.length === 0;
  return await drawPicture({
    title: accountLabel(view),
    subtitle: `${empty ? 'What can be claimed' : 'Can claim'} on ${platformFacts(view.name.platform).label}`,
    content: html`${empty ? NOTHING : view.claimable.slice(0, shown).map(drawLine)}${more > 0 ? rest : ''}`,
  });
}
