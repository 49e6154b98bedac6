import { html } from 'hono/html';
import type { ClaimableGroup } from '../../../domain/gigs/tip.ts';
import { listPlatforms, platformFacts } from '../../../domain/platforms/platforms.ts';
import { amountText } from '../../ui/amounts.ts';
import { counted } from '../../ui/badges.ts';
import type { ShownBrand } from '../../ui/brand.ts';
import type { Markup, Site } from '../../ui/layout.ts';
import { type PriceView, worthPlain } from '../../worth.ts';
import { cutLine, drawPicture, renderPreview } from '../preview.ts';
import { accountLabel, type ClaimSubject, type ClaimView, claimPath } from './claim-page.ts';

const SHOWN = 4;

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

/** The {@link renderPreview} of the page. */
export function renderPreviewTags(view: ClaimView, site: Site): Markup {
  const preview = {
    title: claimTitle(view),
    description: claimSummary(view),
    path: claimPath(view),
    imagePath: imagePath(view),
    button: view.claimable.length === 0 ? 'See payments' : 'See claimable tokens',
  };
  return renderPreview(preview, site);
}

function drawLine({ total, token, tips, gigCount }: ClaimableGroup, index: number): Markup {
  const y = 355 + index * 88;
  const amount = amountText(total, token);
  const origin = `${counted(tips.length, 'tip')}, ${counted(gigCount, 'gig')}`;
  return html`<text x="80" y="${y}" font-size="${amount.length > 16 ? 38 : 52}" font-weight="600">${cutLine(amount, 26)}</text><text x="1120" y="${y}" font-size="30" fill="#5b5e63" text-anchor="end">${cutLine(origin, 24)}</text>`;
}

const NOTHING = html`<text x="80" y="355" font-size="52" font-weight="600">Nothing right now</text>`;

/** One shared image for all unknown accounts, as SVG text: clients may request any number of them. */
export async function drawUnknown(brand: ShownBrand): Promise<string> {
  const subtitle = `For gigs on ${listPlatforms('and')}`;
  return await drawPicture({ title: 'Tips to claim', subtitle, content: NOTHING }, brand);
}

/** The image of an account's claims, as SVG text. */
export async function drawClaims(
  view: ClaimView,
  { brand, ...priced }: { readonly brand: ShownBrand } & PriceView,
): Promise<string> {
  const worth = worthPlain(
    view.claimable.map(({ total, token }) => ({ amount: total, token })),
    priced,
  );
  const shown = view.claimable.length > SHOWN ? SHOWN - 1 : SHOWN;
  const more = view.claimable.length - Math.min(view.claimable.length, shown);
  const rest = html`<text x="80" y="${355 + shown * 88}" font-size="36" fill="#5b5e63">and ${counted(more, 'more token')}</text>`;
  const empty = view.claimable.length === 0;
  const picture = {
    title: accountLabel(view),
    subtitle: `${empty ? 'What can be claimed' : 'Can claim'} on ${platformFacts(view.name.platform).label}${worth === null ? '' : ` ${worth}`}`,
    content: html`${empty ? NOTHING : view.claimable.slice(0, shown).map(drawLine)}${more > 0 ? rest : ''}`,
  };
  return await drawPicture(picture, brand);
}
