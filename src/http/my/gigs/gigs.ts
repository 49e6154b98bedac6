import { html } from 'hono/html';
import { gigName } from '../../../domain/earning/words/gig-name.ts';
import { awardableOf, type Gig, type GigPhase } from '../../../domain/gigs/gig.ts';
import type { IdSpan } from '../../../domain/id-span.ts';
import { isGigFrozen } from '../../../services/gigs/find-gigs.ts';
import { findPaid } from '../../../services/gigs/tips/find-gig-payments.ts';
import { GIGS_SUMMED, listGigsOfOwner, startedGigsOfOwner } from '../../../services/owners/find-gigs.ts';
import { listOwnerSessions } from '../../../services/owners/sessions.ts';
import { type Entry, isUnfiltered, renderList } from '../../frame/list.ts';
import { type ListQuery, PAGE_SIZE, pageToRead, readListQuery, spanOf } from '../../frame/list-query.ts';
import { type Sums, sumByToken } from '../../frame/sums.ts';
import { gigSubject, namePhase, renderPhase } from '../../pages/gigs/gig-page.ts';
import { moneyOfGig, renderMoneyBar } from '../../pages/gigs/money.ts';
import { renderAmount } from '../../ui/amounts.ts';
import { counted } from '../../ui/badges.ts';
import { renderGigLink } from '../../ui/gig-name.ts';
import type { Root } from '../../ui/layout.ts';
import { renderGigTime } from '../../ui/time.ts';
import { type PriceView, renderWorth } from '../../worth.ts';
import { OWNERS } from '../audience.ts';
import type { OwnerVisit } from '../context.ts';
import { renderLinkedAccounts } from '../links.ts';
import { renderSessions } from '../sessions.ts';
import { renderNextStep } from './next-step.ts';

const PHASES = ['created', 'scheduled', 'live', 'ended', 'cancelled'] as const satisfies GigPhase[];

interface Row {
  readonly now: number;
  readonly frozen: boolean;
  /** Base units. */
  readonly paid: bigint;
  readonly site: Root & PriceView;
}

function toEntry(gig: Gig, { now, frozen, paid, site }: Row): Entry {
  const { id, token, rewardAmount, awardedAmount, status } = gig;
  const money = moneyOfGig(gig, paid);
  const rest =
    money.returned > 0n
      ? html`${renderAmount(money.returned, token)} returned`
      : html`${renderAmount(awardableOf(gig), token)} left`;
  const standing = html`${renderMoneyBar(money)}<p class="muted">${renderAmount(awardedAmount, token)} awarded, ${rest}</p>`;
  return {
    id,
    name: renderGigLink(id, { names: new Map([[id, gigName(gig, null)]]), root: `${site.root}/my` }),
    badge: renderPhase(gig, { now, frozen }),
    time: renderGigTime(gig, now),
    headline: html`${gigSubject(gig)}: ${renderAmount(rewardAmount, token)}${renderWorth([{ amount: rewardAmount, token }], site)}`,
    details: [...(status === 'live' ? [standing] : []), html`<p>${renderNextStep(gig, now)}</p>`],
  };
}

/** Of each token what the started gigs have, have awarded, and have left. */
async function sumGigs(
  { deps, session }: OwnerVisit,
  { state: phase }: ListQuery<GigPhase>,
  span: IdSpan,
): Promise<Sums> {
  const { started, isWhole } = await startedGigsOfOwner(deps, session, { phase, span });
  const count = counted(started.length, 'started gig');
  return {
    of: isWhole ? `Sum of ${count}` : `Sum of ${count} among the newest ${GIGS_SUMMED}: choose days to sum others`,
    columns: ['Reward', 'Awarded', 'Left'],
    rows: sumByToken(
      started.map((gig) => ({ token: gig.token, amounts: [gig.rewardAmount, gig.awardedAmount, awardableOf(gig)] })),
    ),
  };
}

/** The gigs of an owner. */
async function renderGigs(visit: OwnerVisit) {
  const { deps, session } = visit;
  const { clock, site, store } = deps;
  const query = readListQuery(visit, PHASES);
  const span = await spanOf(query, (at) => store.idSince('gigs', at));
  const page = { ...pageToRead(query, span), limit: PAGE_SIZE };
  const { gigs, next } = await listGigsOfOwner(deps, session, { ...page, span, phase: query.state });
  const frozen = await Promise.all(gigs.map(({ id }) => isGigFrozen({ store }, id)));
  const paid = await findPaid({ store }, gigs);
  const now = clock();
  return renderList(site, {
    path: '/my',
    query,
    next,
    orderedBy: 'Created',
    allName: 'All',
    nameState: namePhase,
    noun: 'gig',
    entries: gigs.map((gig, place) =>
      toEntry(gig, { now, frozen: frozen[place] ?? false, paid: paid.get(gig.id) ?? 0n, site }),
    ),
    empty: isUnfiltered(query) ? 'You own no gigs yet.' : 'None of your gigs are found here.',
    sums: await sumGigs(visit, query, span),
  });
}

/** `GET /my`: the gigs of an owner, and the open sessions. */
export const myGigsPage = OWNERS.page('/my', async (visit) => {
  const { deps, session } = visit;
  const { site } = deps;
  return {
    title: 'My gigs',
    section: 'My gigs',
    body: html`<div class="row"><h1>My gigs</h1>${deps.config.ownerCreate === 'nobody' ? '' : html`<a class="button primary" href="${site.root}/my/gigs/new">Create a gig</a>`}</div>
${await renderGigs(visit)}
${await renderLinkedAccounts(deps, session)}
${renderSessions(deps, session, await listOwnerSessions(deps, session))}`,
  };
});
