import { z } from '@hono/zod-openapi';
import { parseAccountName } from '../../../domain/account-name.ts';
import { gigName } from '../../../domain/earning/words/gig-name.ts';
import { howToEarn } from '../../../domain/earning/words/sentence.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { parseProfileUrl } from '../../../domain/platforms/platforms.ts';
import { parseOrThrow } from '../../../domain/validation.ts';
import { findRefund } from '../../../services/ends/find-refund.ts';
import { findGig, isGigFrozen, listGigs } from '../../../services/gigs/find-gigs.ts';
import { findGigEarnings } from '../../../services/gigs/show/find-earnings.ts';
import { showEarnings } from '../../../services/gigs/show/show-earnings.ts';
import { findGigPayments, type GigPayments } from '../../../services/gigs/tips/find-gig-payments.ts';
import type { PageContext } from '../../context.ts';
import type { App } from '../../middleware/context.ts';
import { cursorField, gigIdOf, phaseField } from '../../middleware/parameters.ts';
import { amountText } from '../../ui/amounts.ts';
import { answerPage, publicNavigation, servePages, withoutSlash } from '../../ui/page.ts';
import { createShortMemory } from '../short-memory.ts';
import { createFundingLook } from './funding-look.ts';
import { gigSubject, renderGigPage } from './gig-page.ts';
import { renderGigs } from './gigs-page.ts';

const listQuery = z.object({ status: phaseField, cursor: cursorField });
const earningQuery = z.object({ account: z.string().optional(), cursor: cursorField });
const GIGS_SHOWN = 24;
const EARNERS_SHOWN = 50;
/** How long chain and payment reads are cached per gig, because clients may reload the page at will. */
const KEEP_MS = 3_000;
const GIGS_KEPT = 1_000;
const BRIEF = 'public, max-age=3';

/** `GET /gigs` and `GET /gigs/:id`. */
export function addGigPages(app: App, deps: PageContext): void {
  const { site, limited, clock } = deps;
  const funds = createFundingLook(deps);
  const kept = { clock, keepMs: KEEP_MS, limit: GIGS_KEPT };
  const payments = createShortMemory<GigPayments>(kept);

  async function findPayments(gig: Gig): Promise<GigPayments | null> {
    if (gig.status === 'created') return null;
    return await payments.find(`${gig.id}`, () => findGigPayments(deps, { gig }));
  }

  /** An account that is asked for is named as on the claim page: by its id, its handle or its profile. */
  async function findEarning(gig: Gig, { account, cursor: before }: z.output<typeof earningQuery>) {
    const text = account?.trim() ?? '';
    const name = text === '' ? null : parseAccountName(gig.platform, parseProfileUrl(text)?.name ?? text);
    return await showEarnings(deps, gig, { name, limit: EARNERS_SHOWN, before });
  }

  async function findFrozen(gigs: readonly Gig[]): Promise<ReadonlySet<number>> {
    const looks = await Promise.all(gigs.map(async ({ id }) => ({ id, frozen: await isGigFrozen(deps, id) })));
    return new Set(looks.flatMap(({ id, frozen }) => (frozen ? [id] : [])));
  }

  async function findTargets(gigs: readonly Gig[]) {
    const earnings = await findGigEarnings(deps, gigs);
    return new Map([...earnings].map(([gigId, { target }]) => [gigId, target]));
  }

  app.use('/gigs/*', servePages(site), limited, withoutSlash(site));

  app.get('/gigs', async (c) => {
    const { status: phase, cursor: before } = parseOrThrow(listQuery, c.req.query());
    const { gigs, next } = await listGigs(deps, { phase, limit: GIGS_SHOWN, before });
    const [frozen, targets] = await Promise.all([findFrozen(gigs), findTargets(gigs)]);
    return await answerPage(c, site, {
      title: 'Gigs',
      description: 'Gigs on Farcaster and X, with their rewards and time windows.',
      nav: publicNavigation(site, 'gigs'),
      body: renderGigs({ phase, gigs, frozen, targets, next, now: clock() }, site),
      cacheControl: BRIEF,
    });
  });

  app.get('/gigs/:id', async (c) => {
    const gig = await findGig(deps, { gigId: gigIdOf(c) });
    const query = parseOrThrow(earningQuery, c.req.query());
    const [funding, paid] = await Promise.all([funds.look(gig), findPayments(gig)]);
    const earning = await findEarning(gig, query);
    return await answerPage(c, site, {
      title: `${gigName(gig, earning?.overview.target ?? null)} · gig ${gig.id}: ${amountText(gig.rewardAmount, gig.token)}`,
      description: `${gigSubject(gig)}. ${howToEarn(gig, earning?.overview.target ?? null)}`,
      nav: publicNavigation(site, 'gigs'),
      scripts: ['copy.js'],
      body: renderGigPage(
        {
          gig,
          now: clock(),
          frozen: await isGigFrozen(deps, gig.id),
          ...funding,
          payments: paid,
          refund: await findRefund(deps, gig, clock()),
          earning,
        },
        site,
      ),
      cacheControl: BRIEF,
    });
  });
}
