import type { Context } from 'hono';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { botName } from '../../../domain/mentions/mention.ts';
import { FARCASTER } from '../../../domain/platforms/platforms.ts';
import { findRefund } from '../../../services/ends/find-refund.ts';
import { findGig, isGigFrozen } from '../../../services/gigs/find-gigs.ts';
import { showEarnings } from '../../../services/gigs/show/show-earnings.ts';
import type { PageContext } from '../../context.ts';
import type { App, AppEnv } from '../../middleware/context.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import type { ClaimView } from '../claims/claim-page.ts';
import { createShortMemory } from '../short-memory.ts';
import { claimPageCard } from './claim-cards.ts';
import { type GigCardView, gigCard, WINNERS_SHOWN } from './gig-card.ts';
import { answerRefusal, showErrorCards } from './refusals.ts';
import { announceCard, answerCard, cardText, prefersCard } from './snap.ts';

/** Clients keep a card as long as the page beside it, milliseconds. */
const KEEP_MS = 3_000;
const GIGS_KEPT = 1_000;
/** Of a manual gig, the newest: how many accounts it has tipped is kept nowhere. */
const TIPS_READ = 20;

/** Whether this request is answered with a card, or already by a refusal; null where the page follows. */
async function negotiate(c: Context<AppEnv>, { site, taps }: PageContext): Promise<Response | 'card' | null> {
  if (taps === null) return null;
  // As it was sent: the router's path is decoded, and no text for a header.
  announceCard(c, `${site.root}${new URL(c.req.url).pathname}`);
  const viewer = c.req.header('x-snap-payload');
  if (viewer !== undefined || prefersCard(c)) showErrorCards(c, site);
  const tap = viewer === undefined ? null : await taps.verify(viewer, 'header');
  if (typeof tap === 'string') return answerRefusal(c, site, tap);
  return prefersCard(c) ? 'card' : null;
}

async function viewOf(deps: PageContext, gig: Gig): Promise<GigCardView> {
  const now = deps.clock();
  const [earning, frozen, refund] = await Promise.all([
    showEarnings(deps, gig, { name: null, limit: WINNERS_SHOWN }),
    isGigFrozen(deps, gig.id),
    findRefund(deps, gig, now),
  ]);
  const newest = earning === null ? await deps.store.tipsOfGig(gig.id, { limit: TIPS_READ }) : [];
  const tips = newest.filter(({ voidedAt }) => voidedAt === null);
  const tipped = [...new Map(tips.map((tip) => [`${tip.platform} ${tip.platformUserId}`, tip])).values()];
  const bot = botName(deps.platforms, FARCASTER.id);
  return { gig, now, frozen, refund, earning, tipped, areAllTipped: newest.length < TIPS_READ, bot };
}

/** `GET /gigs/:id` for a client that prefers a card; nothing where there are none. */
export function addGigCards(app: App, deps: PageContext): void {
  const cards = createShortMemory<string>({ clock: deps.clock, keepMs: KEEP_MS, limit: GIGS_KEPT });
  const draw = async (gigId: number) =>
    cardText(gigCard(await viewOf(deps, await findGig(deps, { gigId })), deps.site));
  app.get('/gigs/:id{[0-9]+}', async (c, next) => {
    const answer = await negotiate(c, deps);
    if (answer !== 'card') return answer ?? (await next());
    const gigId = gigIdOf(c);
    return answerCard(c, await cards.find(`${gigId}`, () => draw(gigId)), { cacheControl: 'public, max-age=3' });
  });
}

/** `GET /claim/:platform/:id` for a client that prefers a card; nothing where there are none. */
export function addClaimCards(
  app: App,
  deps: PageContext,
  readView: (c: Context<AppEnv, '/claim/:platform/:id'>) => Promise<ClaimView>,
): void {
  app.get('/claim/:platform/:id', async (c, next) => {
    const answer = await negotiate(c, deps);
    if (answer !== 'card') return answer ?? (await next());
    const card = claimPageCard(await readView(c), deps.site);
    return answerCard(c, cardText(card), { cacheControl: 'public, max-age=5' });
  });
}
