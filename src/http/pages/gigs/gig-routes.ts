import { z } from '@hono/zod-openapi';
import { readWrittenAccount } from '../../../domain/account-name.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { botName } from '../../../domain/mentions/mention.ts';
import { parseOrThrow } from '../../../domain/validation.ts';
import { findRefund } from '../../../services/ends/find-refund.ts';
import { findGig, isGigFrozen } from '../../../services/gigs/find-gigs.ts';
import { findGigEarning } from '../../../services/gigs/show/find-earnings.ts';
import { showEarnings } from '../../../services/gigs/show/show-earnings.ts';
import { findGigPayments, type GigPayments } from '../../../services/gigs/tips/find-gig-payments.ts';
import type { PageContext } from '../../context.ts';
import type { App } from '../../middleware/context.ts';
import { cursorField, gigIdOf, phaseField } from '../../middleware/parameters.ts';
import { answerPage, publicNavigation, servePages, withoutSlash } from '../../ui/page.ts';
import type { ImageMaker } from '../images.ts';
import { answerPicture, MINI_APP_HOSTS, pictureKey, renderAddButton, renderPreview } from '../preview.ts';
import { createShortMemory } from '../short-memory.ts';
import { addGigCards } from '../snap/card-routes.ts';
import { createFundingReader } from './funding-look.ts';
import { renderGigPage } from './gig-page.ts';
import { drawGig, drawGigs, GIGS_PREVIEW, gigPreview } from './gig-preview.ts';
import { renderGigs } from './gigs-page.ts';
import { findListed } from './listed-gigs.ts';

const listQuery = z.object({ status: phaseField, cursor: cursorField });
const earningQuery = z.object({ account: z.string().optional(), cursor: cursorField });
const GIGS_SHOWN = 24;
const EARNERS_SHOWN = 50;
/** How long chain and payment reads are cached per gig, because clients may reload the page at will. */
const KEEP_MS = 3_000;
const GIGS_KEPT = 1_000;
const IMAGE_KEEP_MS = 30_000;
const IMAGES_KEPT = 100;
const BRIEF = 'public, max-age=3';

/** An account that is asked for is named as on the claim page: by its id, its handle or its profile. */
async function findEarning(deps: PageContext, gig: Gig, { account, cursor: before }: z.output<typeof earningQuery>) {
  const text = account?.trim() ?? '';
  const name = text === '' ? null : readWrittenAccount(gig.platform, text);
  return await showEarnings(deps, gig, { name, limit: EARNERS_SHOWN, before });
}

/** `GET /gigs` and `GET /gigs/:id`. */
export function addGigPages(app: App, deps: PageContext & { readonly images: ImageMaker }): void {
  const { config, images, site, limited, clock, platforms } = deps;
  const frame = { nav: publicNavigation(site, 'gigs'), aside: renderAddButton(config), cacheControl: BRIEF };
  const funds = createFundingReader(deps);
  const kept = { clock, keepMs: KEEP_MS, limit: GIGS_KEPT };
  const payments = createShortMemory<GigPayments>(kept);

  const pictures = createShortMemory<Uint8Array<ArrayBuffer>>({ clock, keepMs: IMAGE_KEEP_MS, limit: IMAGES_KEPT });
  const draw = (svg: string) => pictures.find(pictureKey(svg), () => images.render(svg));

  async function findPayments(gig: Gig): Promise<GigPayments | null> {
    if (gig.status === 'created') return null;
    return await payments.find(`${gig.id}`, () => findGigPayments(deps, { gig }));
  }

  app.use('/gigs/*', servePages(site, { frames: MINI_APP_HOSTS }), limited, withoutSlash(site));

  addGigCards(app, deps);

  app.get('/gigs', async (c) => {
    const { status: phase, cursor: before } = parseOrThrow(listQuery, c.req.query());
    const view = await findListed(deps, { phase, limit: GIGS_SHOWN, before });
    return await answerPage(c, site, {
      title: GIGS_PREVIEW.title,
      description: GIGS_PREVIEW.description,
      ...frame,
      head: renderPreview(GIGS_PREVIEW, site),
      scripts: ['miniapp.js'],
      body: renderGigs(view, site),
    });
  });

  app.get('/gigs/image.png', async (c) => answerPicture(c, await draw(await drawGigs(site.brand))));

  app.get('/gigs/:id/image.png', async (c) => {
    const gig = await findGig(deps, { gigId: gigIdOf(c) });
    const earning = await findGigEarning(deps, gig);
    return answerPicture(c, await draw(await drawGig(gig, earning?.target ?? null, site)));
  });

  app.get('/gigs/:id', async (c) => {
    const gig = await findGig(deps, { gigId: gigIdOf(c) });
    const query = parseOrThrow(earningQuery, c.req.query());
    const [funding, paid] = await Promise.all([funds.look(gig), findPayments(gig)]);
    const earning = await findEarning(deps, gig, query);
    const preview = gigPreview(gig, earning?.overview.target ?? null);
    return await answerPage(c, site, {
      title: preview.title,
      description: preview.description,
      ...frame,
      head: renderPreview(preview, site),
      scripts: ['copy.js', 'miniapp.js'],
      body: renderGigPage(
        {
          gig,
          now: clock(),
          bot: botName(platforms, gig.platform),
          frozen: await isGigFrozen(deps, gig.id),
          ...funding,
          payments: paid,
          refund: await findRefund(deps, gig, clock()),
          earning,
        },
        site,
      ),
    });
  });
}
