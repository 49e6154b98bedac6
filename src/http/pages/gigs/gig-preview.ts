import { html } from 'hono/html';
import type { Target } from '../../../domain/earning/act.ts';
import { gigName } from '../../../domain/earning/words/gig-name.ts';
import { howToEarn } from '../../../domain/earning/words/sentence.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { listPlatforms } from '../../../domain/platforms/platforms.ts';
import { amountText, renderTokenMark } from '../../ui/amounts.ts';
import type { ShownBrand } from '../../ui/brand.ts';
import type { Markup } from '../../ui/layout.ts';
import { type PriceView, worthPlain } from '../../worth.ts';
import { cutLine, drawPicture, type Preview } from '../preview.ts';
import { gigSubject } from './gig-page.ts';

/** What other programs show of the list of gigs. */
export const GIGS_PREVIEW: Preview = {
  title: 'Gigs',
  description: `Gigs on ${listPlatforms('and')}, with their rewards and time windows.`,
  path: '/gigs',
  imagePath: '/gigs/image.png',
  button: 'See gigs',
};

/** What other programs show of a gig. */
export function gigPreview(gig: Gig, target: Target | null): Preview {
  return {
    title: `${gigName(gig, target)} · gig ${gig.id}: ${amountText(gig.rewardAmount, gig.token)}`,
    description: `${gigSubject(gig)}. ${howToEarn(gig, target)}`,
    path: `/gigs/${gig.id}`,
    imagePath: `/gigs/${gig.id}/image.png`,
    button: 'See the gig',
  };
}

/** The image of the list of gigs, as SVG text. */
export async function drawGigs(brand: ShownBrand): Promise<string> {
  const content = html`<text x="80" y="355" font-size="52" font-weight="600">Earn tips, claim tokens</text>`;
  return await drawPicture({ title: 'Gigs', subtitle: `On ${listPlatforms('and')}`, content }, brand);
}

/** Who shows a picture, and where prices are from. */
interface Branded extends PriceView {
  readonly brand: ShownBrand;
}

function drawWorth({ rewardAmount: amount, token }: Gig, priced: PriceView): Markup | '' {
  const worth = worthPlain([{ amount, token }], priced);
  return worth === null ? '' : html`<text x="165" y="420" font-size="36" fill="#5b5e63">${worth}</text>`;
}

/** The image of a gig, as SVG text. */
export async function drawGig(gig: Gig, target: Target | null, { brand, ...priced }: Branded): Promise<string> {
  const reward = cutLine(amountText(gig.rewardAmount, gig.token), 26);
  const mark = renderTokenMark(gig.token.chainId, gig.token.address, html`x="80" y="305" width="60" height="60"`);
  const content = html`${mark}<text x="165" y="355" font-size="52" font-weight="600">${reward}</text>${drawWorth(gig, priced)}`;
  const subtitle = `Gig ${gig.id}: ${gigSubject(gig)}`;
  return await drawPicture({ title: gigName(gig, target), subtitle, content }, brand);
}
