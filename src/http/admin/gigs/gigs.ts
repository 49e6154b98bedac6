import { html } from 'hono/html';
import type { Account } from '../../../domain/account.ts';
import { gigName } from '../../../domain/earning/words/gig-name.ts';
import { ENDING_FACTS, GIG_FACTS, type ListedGig } from '../../../domain/facts/gig-facts.ts';
import { REFUND_FACTS } from '../../../domain/facts/refund-facts.ts';
import { type Gig, type GigPhase, gigPhase } from '../../../domain/gigs/gig.ts';
import { dayText } from '../../../domain/time.ts';
import { endingsOf } from '../../../services/ends/endings.ts';
import { findRefund } from '../../../services/ends/find-refund.ts';
import { findGig, GIG_PHASES } from '../../../services/gigs/find-gigs.ts';
import { tryFunding } from '../../../services/gigs/read-funding.ts';
import { findGigEarning } from '../../../services/gigs/show/find-earnings.ts';
import type { PageContext } from '../../context.ts';
import { endRoutes, renderEndings } from '../../frame/gig-end.ts';
import type { Entry } from '../../frame/list.ts';
import { PAGE_SIZE, readListQuery, readPage } from '../../frame/list-query.ts';
import { ofPage, sumByToken } from '../../frame/sums.ts';
import { chainName, renderAmount } from '../../ui/amounts.ts';
import { renderBadge, type Tone } from '../../ui/badges.ts';
import { renderGigName } from '../../ui/gig-name.ts';
import type { Markup, Site } from '../../ui/layout.ts';
import { platformName, renderAccount, renderShortAddress, renderUntrusted } from '../../ui/text.ts';
import { renderGigTime, renderTime } from '../../ui/time.ts';
import { OPERATORS } from '../audience.ts';
import type { AdminRoute } from '../context.ts';
import { factMarkup } from '../facts.ts';
import { idOf, renderFacts, renderHeading, spanOfList, viewList } from '../list.ts';
import { renderPayments } from '../payments.ts';

/** The filters of the list of gigs. */
const GIG_STATES = GIG_PHASES.filter((phase) => phase !== 'all');

/** The shortest interval between two reads of a gig's wallet while its page is open. */
const FUNDING_REFRESH_SECONDS = 15;

const TONES: Readonly<Record<GigPhase, Tone>> = {
  created: 'quiet',
  cancelled: 'quiet',
  scheduled: 'wait',
  live: 'live',
  ended: 'quiet',
};

function renderPhase(gig: Gig, now: number): Markup {
  const phase = gigPhase(gig, now);
  return renderBadge(phase === 'scheduled' ? `live, starts ${dayText(gig.startTime)}` : phase, TONES[phase]);
}

function renderOwners(owners: readonly Account[]): Markup {
  if (owners.length === 0) return html`<span class="muted">none</span>`;
  return html`${owners.map((owner, index) => html`${index === 0 ? '' : ', '}${renderAccount(owner)}`)}`;
}

function toEntry({ site, now }: { site: Site; now: number }, gig: Gig, owners: readonly Account[]): Entry {
  return {
    id: gig.id,
    href: `${site.root}/admin/gigs/${gig.id}`,
    badge: renderPhase(gig, now),
    time: html`created ${renderTime(gig.createdAt, { now })}`,
    headline: html`${renderUntrusted(gigName(gig, null))}: <strong>${renderAmount(gig.rewardAmount, gig.token)}</strong> for ${gig.gigType.replaceAll('_', ' ')} on ${platformName(gig.platform)}, wallet ${renderShortAddress(gig.walletAddress)} on ${chainName(gig.token.chainId)}`,
    details: [
      html`<p class="muted">${renderTime(gig.startTime)} to ${renderTime(gig.endTime)}${gig.status === 'live' ? html`: ${renderGigTime(gig, now)}` : ''}</p>`,
      html`<p class="muted">Owners: ${renderOwners(owners)}</p>`,
    ],
  };
}

const list = OPERATORS.page('/admin/gigs', async (visit) => {
  const { store, site, clock } = visit.deps;
  const query = readListQuery(visit, GIG_STATES);
  const now = clock();
  const span = await spanOfList(visit, 'gigs', query);
  const page = await readPage(
    query,
    ({ state, ...asked }) => store.gigs({ ...asked, phase: state ?? 'all', now }),
    span,
  );
  const gigs = page.items;
  const entries = await Promise.all(
    gigs.map(async (gig) => toEntry({ site, now }, gig, await store.gigOwners(gig.id))),
  );
  return viewList(visit, {
    ...page,
    section: 'Gigs',
    orderedBy: 'Created',
    lead: 'Created: not started. Live: started and not ended. Active: live and inside the time window.',
    noun: 'gig',
    entries,
    empty: 'No gigs found.',
    sums: {
      of: ofPage(page, 'gig'),
      columns: ['Reward', 'Awarded'],
      rows: sumByToken(
        gigs.map(({ token, rewardAmount, awardedAmount }) => ({ token, amounts: [rewardAmount, awardedAmount] })),
      ),
    },
  });
});

/** How a gig ends and the outcome of the rest, with the buttons that end it. */
async function renderEndAndRefund(ctx: PageContext, listed: ListedGig): Promise<Markup> {
  const { site } = ctx;
  const { gig, now } = listed;
  const refund = await findRefund(ctx, gig, now);
  const endings = endingsOf(gig, now);
  return html`<section class="stack"><h2>End and refund</h2>
${renderFacts({
  ...factMarkup(site, ENDING_FACTS, listed),
  ...factMarkup(site, REFUND_FACTS, { gig, refund, unproved: null }),
})}
${endings.length === 0 ? '' : html`<p class="row">${renderEndings(`${site.root}/admin/gigs/${gig.id}`, endings)}</p>`}
</section>`;
}

const one = OPERATORS.page('/admin/gigs/:id{[0-9]+}', async (visit) => {
  const { deps } = visit;
  const { store, site, clock } = deps;
  const id = idOf(visit);
  const gig = await findGig(deps, { gigId: id });
  const frozen = await store.gigFreeze(id);
  const funding = await tryFunding(deps, gig);
  const shown = { gig, owners: await store.gigOwners(id), now: clock(), funding, frozen };
  const earning = await findGigEarning({ store }, gig);
  const isBounty = earning !== null && earning.decidedBy !== null;
  // Only the newest; the payments page lists all of them.
  const payments = await store.payments({ gigId: id, limit: PAGE_SIZE });
  return {
    title: `Gig ${id}`,
    section: 'Gigs',
    refreshSeconds: FUNDING_REFRESH_SECONDS,
    body: html`${renderHeading(html`${renderGigName(gigName(gig, earning?.target ?? null), id)} ${renderPhase(gig, shown.now)}`)}
${frozen === null ? '' : html`<p class="notice bad">Frozen: ${renderUntrusted(frozen)}</p>`}
${renderFacts({
  ...factMarkup(site, GIG_FACTS, shown),
  Submissions: isBounty
    ? html`<a href="${site.root}/admin/gigs/${id}/candidates">entries that wait for a decision</a>`
    : null,
  Earnings: earning !== null ? html`<a href="${site.root}/admin/gigs/${id}/earnings">accounts and reasons</a>` : null,
})}
${await renderEndAndRefund(deps, shown)}
${renderPayments(visit, 'Payments', payments)}`,
  };
});

const ends = endRoutes(OPERATORS, { path: '/admin/gigs', section: 'Gigs', idOf });

/** `GET /admin/gigs`, `/admin/gigs/:id` with the current balance of its wallet, and what ends the gig. */
export const GIG_PAGES: readonly AdminRoute[] = [list, one, ...ends];
