import { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import { parseAccountName } from '../../../domain/account-name.ts';
import { gigName } from '../../../domain/earning/words/gig-name.ts';
import { howToEarn } from '../../../domain/earning/words/sentence.ts';
import { AdapterError } from '../../../domain/errors.ts';
import { type Funding, type Gig, gigPhase, rewardNeeding } from '../../../domain/gigs/gig.ts';
import { mayEarnOn } from '../../../domain/gigs/terms.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { paymentUri } from '../../../domain/payments/payment-uri.ts';
import { parseProfileUrl } from '../../../domain/platforms/platforms.ts';
import { parseOrThrow } from '../../../domain/validation.ts';
import { summarizeError } from '../../../log.ts';
import { findRefund } from '../../../services/ends/find-refund.ts';
import { findGig, isGigFrozen, listGigs } from '../../../services/gigs/find-gigs.ts';
import { readFunding } from '../../../services/gigs/read-funding.ts';
import { findGigEarnings } from '../../../services/gigs/show/find-earnings.ts';
import { showEarnings } from '../../../services/gigs/show/show-earnings.ts';
import { findGigPayments, type GigPayments } from '../../../services/gigs/tips/find-gig-payments.ts';
import type { PageContext } from '../../context.ts';
import type { App } from '../../middleware/context.ts';
import { cursorField, gigIdOf, phaseField } from '../../middleware/parameters.ts';
import { amountText } from '../../ui/amounts.ts';
import type { Markup } from '../../ui/layout.ts';
import { answerPage, publicNavigation, servePages, withoutSlash } from '../../ui/page.ts';
import { createShortMemory } from '../short-memory.ts';
import { gigSubject, isShort, renderGigPage } from './gig-page.ts';
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
  const { site, limited, clock, log, feeBps, earningOnX } = deps;
  const kept = { clock, keepMs: KEEP_MS, limit: GIGS_KEPT };
  const fundings = createShortMemory<Funding | 'unknown'>(kept);
  const payments = createShortMemory<GigPayments>(kept);

  async function readHeld(gig: Gig): Promise<Funding | 'unknown'> {
    try {
      return await readFunding(deps, { gig });
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      log.warn({ gigId: gig.id, error: summarizeError(error) }, 'cannot read gig funding for its page');
      return 'unknown';
    }
  }

  /** The key holds the inputs of the result: terms may change until the gig is live. */
  async function findFunding(gig: Gig): Promise<Funding | 'unknown' | null> {
    if (gigPhase(gig, clock()) !== 'created') return null;
    const { id, token, rewardAmount, feeAmount } = gig;
    return await fundings.find([id, token.id, rewardAmount, feeAmount].join(), () => readHeld(gig));
  }

  /** A change is checked like a new gig, so a gig that could not be created now cannot be changed either. */
  function fitReward({ platform }: Gig, funding: Funding | 'unknown' | null): bigint | null {
    if (funding === null || funding === 'unknown' || funding.actual <= funding.expected) return null;
    return mayEarnOn(platform, earningOnX) ? rewardNeeding(funding.actual, feeBps) : null;
  }

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

  async function requestMissing({ token, walletAddress: to }: Gig, funding: Funding | 'unknown' | null) {
    if (!isShort(funding)) return null;
    const amount = funding.expected - funding.actual;
    const uri = paymentUri(token, { to, amount });
    const label = `QR code of a payment of ${amountText(amount, token)} to ${checksummed(to)}`;
    return { uri, qrCode: await drawQrCode(uri, label) };
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
    const [funding, paid] = await Promise.all([findFunding(gig), findPayments(gig)]);
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
          funding,
          fittingReward: fitReward(gig, funding),
          payments: paid,
          refund: await findRefund(deps, gig, clock()),
          request: await requestMissing(gig, funding),
          earning,
        },
        site,
      ),
      cacheControl: BRIEF,
    });
  });
}

/**
 * A QR code as an SVG element: dark modules on a transparent background, with the quiet zone that readers need.
 * @param label the code's content, for screen readers
 */
export async function drawQrCode(text: string, label: string): Promise<Markup> {
  const { encode } = await import('uqr');
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const modules = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return await html`<svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path d="${modules.join('')}"/></svg>`;
}
