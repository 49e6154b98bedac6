import { setTimeout as wait } from 'node:timers/promises';
import type { Context, Handler } from 'hono';
import type { ClaimStatus } from '../../../domain/claims/claim.ts';
import type { Tap, Taps, TapUse } from '../../../domain/claims/tap.ts';
import { earningSentence, forPublic, toldBy } from '../../../domain/earning/words/earning-words.ts';
import { AdapterError, DomainError } from '../../../domain/errors.ts';
import { botName } from '../../../domain/mentions/mention.ts';
import { FARCASTER } from '../../../domain/platforms/platforms.ts';
import { summarizeError } from '../../../log.ts';
import { accountOfTap, claimByTap } from '../../../services/claims/claim-by-tap.ts';
import { findObstacles, waitForClaim } from '../../../services/claims/claim-progress.ts';
import { findAccountClaims } from '../../../services/claims/find-account-claims.ts';
import { findOwnEarning, OWN_TIPS, type OwnEarning } from '../../../services/gigs/show/show-earnings.ts';
import type { PageContext } from '../../context.ts';
import { HttpError } from '../../errors/http-error.ts';
import { readBody } from '../../middleware/body.ts';
import type { App, AppEnv } from '../../middleware/context.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { createRateLimiter } from '../../middleware/rate-limit.ts';
import { amountText } from '../../ui/amounts.ts';
import { claimedCard, messageCard, myCard } from './claim-cards.ts';
import { TAP_PATHS } from './gig-card.ts';
import { answerRefusal, answerSentence, showErrorCards } from './refusals.ts';
import { answerCard, type Card, cardText } from './snap.ts';

const MOST_BYTES = 16 * 1024;
/** A client waits 5 seconds. All that a tap waits for ends before, milliseconds. */
const PATIENCE_MS = 3_500;
const STEP_MS = 200;
const PAYMENTS_READ = 3;

const SILENT = 'Farcaster does not answer right now, so nothing was changed. Try again in a moment.';
/** A post may pay another verified address, or one that it names; see decision 11. */
const noPrimary = (bot: string | null) =>
  `A tap pays your primary verified address, and you have none. Set one in your Farcaster app, or post: “${bot === null ? '' : `@${bot} `}claim my rewards”.`;
const WORKING = 'This takes longer than usual. Look again in a moment.';

interface Visit {
  readonly c: Context<AppEnv>;
  readonly deps: PageContext;
  readonly tap: Tap;
  /** When the request came, epoch milliseconds. */
  readonly since: number;
}

/** The limits of accounts, because an app may send taps from any number of addresses. */
function createTapLimits({ config, clock }: PageContext): (tap: Tap, use: TapUse) => void {
  const { client, inAll } = config.claimLimits;
  const counting = (limit: number) => ({ limit, counts: createRateLimiter({ limit, clock }) });
  const [looks, claims, allClaims] = [counting(config.rateLimitPerMinute), counting(client), counting(inAll)];
  function hit({ limit, counts }: typeof looks, name: string): void {
    const { exceeded, resetIn } = counts.hit(name);
    if (exceeded) throw new HttpError({ code: 'rate_limited', limit, retryAfter: resetIn });
  }
  return ({ fid }, use) => {
    if (use !== 'claim') return hit(looks, fid);
    hit(claims, fid);
    // Counted second: an account above its own limit uses up nothing of the shared one.
    hit(allClaims, 'all');
  };
}

/** What the account has from a gig without rules. */
function manualText({ gig: { id, token }, tips }: OwnEarning): string {
  if (tips.length === 0) return `Gig ${id}: you have no tips. The organizer decides who earns.`;
  const sum = tips.reduce((total, { amount }) => total + amount, 0n);
  return `Gig ${id}: you earned ${tips.length < OWN_TIPS ? '' : 'at least '}${amountText(sum, token)}.`;
}

/** What the account has from the gig whose card it tapped; null where there is nothing to say. */
async function aboutGig({ c, deps, tap }: Visit): Promise<string | null> {
  const own = await findOwnEarning(deps, { gigId: gigIdOf(c), viewer: accountOfTap(tap) });
  const { gig, overview, earning, missing } = own;
  if (gig.cancelledAt !== null || gig.status === 'created') return null;
  if (overview === null) return manualText(own);
  const told = { ...toldBy(overview.rules), missing, isOwn: true, now: deps.clock() };
  const sentence = earningSentence(earning && forPublic(earning), {
    ...told,
    amountText: (amount) => amountText(amount, gig.token),
  });
  return `Gig ${gig.id}: ${sentence}`;
}

async function viewMine({ deps, tap }: Visit, about: string | null = null): Promise<Card> {
  const name = accountOfTap(tap);
  const found = await findAccountClaims(deps, { name, limit: PAYMENTS_READ });
  return myCard({ ...found, name, now: deps.clock(), bot: botName(deps.platforms, name.platform) }, deps.site, about);
}

async function viewClaim({ deps }: Visit, status: ClaimStatus): Promise<Card> {
  return claimedCard(status, await findObstacles(deps, status), deps.site);
}

/** What is left of the time that a client waits, milliseconds; not more where the clock was set back. */
function timeLeft({ deps, since }: Visit): number {
  return Math.min(PATIENCE_MS, Math.max(0, PATIENCE_MS - (deps.clock() - since)));
}

/** The result of work, or null when it takes longer than a client waits. Then it goes on. */
async function inPatience<T>(visit: Visit, work: Promise<T>): Promise<T | null> {
  const timer = new AbortController();
  try {
    const result = await Promise.race([work, wait(timeLeft(visit), null, { signal: timer.signal })]);
    const { log } = visit.c.get('request');
    if (result === null)
      work.catch((error: unknown) => log().warn({ error: summarizeError(error) }, 'a tap failed late'));
    return result;
  } finally {
    timer.abort();
  }
}

async function claim(visit: Visit): Promise<Card> {
  const { c, deps, tap } = visit;
  const { requestId, log } = c.get('request');
  try {
    const status = await inPatience(visit, claimByTap(deps, { ...tap, requestId }));
    if (status === null) return messageCard(WORKING, `${deps.site.publicUrl}${TAP_PATHS.look}`);
    log().info({ claimId: status.claim.id, fid: tap.fid }, 'claimed by tap');
    const timing = { patienceMs: timeLeft(visit), stepMs: STEP_MS };
    return await viewClaim(visit, await waitForClaim(deps, status, timing));
  } catch (error) {
    if (error instanceof DomainError && error.refusal.code === 'no_tips') return await viewMine(visit);
    throw error;
  }
}

/** A claim by tap of the account, as it is now; the account's card for another one. */
async function lookAgain(visit: Visit): Promise<Card> {
  const { c, deps, tap } = visit;
  const found = await deps.store.claim(Number(c.req.param('id')));
  const { platform, platformUserId } = accountOfTap(tap);
  if (found?.platform !== platform || found.platformUserId !== platformUserId) return await viewMine(visit);
  return await viewClaim(visit, { claim: found, payments: await deps.store.paymentsOfClaim(found.id) });
}

/** `POST` routes of taps on cards; none where there are no cards. Each answers with the next card, for the account alone. */
export function addTapRoutes(app: App, deps: PageContext): void {
  const { clock, limited, site, taps } = deps;
  if (taps === null) return;
  const count = createTapLimits(deps);

  function tapped(use: TapUse, view: (visit: Visit) => Promise<Card>, verify: Taps['verify']): Handler<AppEnv> {
    return async (c) => {
      const since = clock();
      try {
        const tap = await verify(new TextDecoder().decode(await readBody(c, MOST_BYTES)), use);
        if (typeof tap === 'string') return answerRefusal(c, site, tap);
        count(tap, use);
        return answerCard(c, cardText(await view({ c, deps, tap, since })));
      } catch (error) {
        if (error instanceof DomainError && error.refusal.code === 'no_verified_address')
          return answerSentence(c, site, { status: 400, sentence: noPrimary(botName(deps.platforms, FARCASTER.id)) });
        if (!(error instanceof AdapterError)) throw error;
        c.get('request')
          .log()
          .warn({ error: summarizeError(error) }, 'a tap could not be looked up');
        return answerSentence(c, site, { status: 503, sentence: SILENT });
      }
    };
  }

  const routes: readonly (readonly [path: string, use: TapUse, view: (visit: Visit) => Promise<Card>])[] = [
    [TAP_PATHS.look, 'look', (visit) => viewMine(visit)],
    [`${TAP_PATHS.gigs}/:id{[0-9]+}`, 'look', async (visit) => viewMine(visit, await aboutGig(visit))],
    [`${TAP_PATHS.claims}/:id{[0-9]{1,15}}`, 'look', lookAgain],
    [TAP_PATHS.claim, 'claim', claim],
  ];
  for (const [path, use, view] of routes) {
    app.use(path, async (c, next) => {
      // A tap is signed, and no cookie counts: pages of any client may send one.
      c.get('request').headers['access-control-allow-origin'] = '*';
      showErrorCards(c, site);
      await next();
    });
    app.options(path, (c) => {
      const allowed = { 'access-control-allow-methods': 'POST', 'access-control-allow-headers': '*' };
      return new Response(null, { status: 204, headers: { ...c.get('request').headers, ...allowed } });
    });
    app.post(path, limited, tapped(use, view, taps.verify));
  }
}
