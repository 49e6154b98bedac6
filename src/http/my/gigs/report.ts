import { html } from 'hono/html';
import type { Gig } from '../../../domain/gigs/gig.ts';
import { PAPER_FORMS } from '../../../domain/papers/paper-csv.ts';
import { findSeenGig } from '../../../services/gigs/command-gig.ts';
import {
  EARNER_STATES,
  type EarnerState,
  hasNoTip,
  type ListedEarner,
  listEarners,
  sumEarners,
} from '../../../services/gigs/show/list-earners.ts';
import { readGigPapers } from '../../../services/papers/read-papers.ts';
import { isUnfiltered, type ListFrame, renderListed } from '../../frame/list.ts';
import { PAGE_SIZE, pageToRead, type ReadPage, readListQuery, spanOf } from '../../frame/list-query.ts';
import { ofPage, type Sums, sumByToken } from '../../frame/sums.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { answerPapers, renderPaperButtons } from '../../papers.ts';
import { answerReportCsv } from '../../report-pages.ts';
import { renderAmount } from '../../ui/amounts.ts';
import { renderBadge } from '../../ui/badges.ts';
import type { Markup } from '../../ui/layout.ts';
import { renderAccount, renderUntrusted } from '../../ui/text.ts';
import { renderTime } from '../../ui/time.ts';
import { OWNERS } from '../audience.ts';
import type { MyContext, MyRoute } from '../context.ts';

const STATE_NAMES: Readonly<Record<EarnerState, string>> = {
  paid: 'paid',
  pending: 'to claim',
  void: 'void',
  eligible: 'waiting',
  held: 'on hold',
  refused: 'refused',
};

function renderEarner(account: ListedEarner, { token }: Gig, now: number): Markup {
  const { status, amount, awardedAt, reason } = account;
  return html`<tr><th scope="row">${renderAccount(account)}</th>
<td data-label="State">${renderBadge(STATE_NAMES[status], status === 'paid' ? 'ok' : 'quiet')}</td>
<td data-label="Awarded">${awardedAt === null ? '–' : renderTime(awardedAt, { now })}</td>
<td data-label="Why">${reason === null ? '' : renderUntrusted(reason)}</td>
<td data-label="Amount" class="number">${amount === null ? '–' : renderAmount(amount, token)}</td></tr>`;
}

/** Accounts of a gig with what they earned, or why they did not. */
export function renderEarners(
  gig: Gig,
  accounts: readonly ListedEarner[],
  { now, empty = 'No account has earned yet.' }: { now: number; empty?: string },
): Markup {
  if (accounts.length === 0) return html`<p class="card muted">${empty}</p>`;
  return html`<table class="stacking"><caption class="unseen">Accounts</caption>
<thead><tr><th scope="col">Account</th><th scope="col">State</th><th scope="col">Awarded</th><th scope="col">Why</th><th scope="col" class="number">Amount</th></tr></thead>
<tbody>${accounts.map((account) => renderEarner(account, gig, now))}</tbody>
</table>`;
}

/** Of the whole gig the sums are kept; of what was filtered, the page is summed. */
async function sumPage(
  deps: MyContext,
  { id, token }: Gig,
  page: ReadPage<ListedEarner, EarnerState>,
): Promise<Sums | undefined> {
  if (hasNoTip(page.query.state)) return undefined;
  if (isUnfiltered(page.query)) {
    const { awarded, paid, owed } = await sumEarners(deps, id);
    const columns = ['Awarded', 'Paid', 'To claim'];
    return { of: 'Sum of the whole gig', columns, rows: [{ token, count: null, amounts: [awarded, paid, owed] }] };
  }
  const amounts = page.items.map(({ amount }) => ({ token, amounts: [amount ?? 0n] }));
  return { of: ofPage(page, 'tip'), columns: ['Amount'], rows: sumByToken(amounts) };
}

const view = OWNERS.page('/my/gigs/:id{[0-9]+}/report', async (visit) => {
  const { c, deps, actor } = visit;
  const { site, store } = deps;
  const gig = await findSeenGig(store, { gigId: gigIdOf(c), actor });
  const asked = readListQuery(visit, EARNER_STATES);
  // An index has the acts of a gig in their order, and not by their times.
  const query = hasNoTip(asked.state) ? { ...asked, from: undefined, to: undefined } : asked;
  const span = await spanOf(query, (at) => store.tipNumberSince(gig.id, at));
  const { accounts, next } = await listEarners(deps, gig, {
    ...pageToRead(query, span),
    limit: PAGE_SIZE,
    state: query.state,
    span,
  });
  const path = `/my/gigs/${gig.id}/report`;
  const list: ListFrame<EarnerState> = {
    path,
    query,
    next,
    orderedBy: hasNoTip(query.state) ? 'Act' : 'Awarded',
    hasDays: !hasNoTip(query.state),
    allName: 'awarded',
    nameState: (state) => STATE_NAMES[state],
  };
  const sums = await sumPage(deps, gig, { items: accounts, next, query });
  const empty = isUnfiltered(query) ? 'No account has earned yet.' : 'No account is found here.';
  const rows = renderEarners(gig, accounts, { now: deps.clock(), empty });
  return {
    title: `Earners of gig ${gig.id}`,
    section: 'My gigs',
    body: html`<div class="stack"><h1>Earners of gig ${gig.id}</h1>
<p class="row"><a class="button" href="${site.root}/my/gigs/${gig.id}">Gig ${gig.id}</a>
<a class="button" href="${site.root}${path}.csv">Download as CSV</a>
<a class="button" href="${site.root}/gigs/${gig.id}/report">Statement</a>
${renderPaperButtons(site, path)}</p></div>
${renderListed(site, list, { count: accounts.length, rows, sums })}`,
  };
});

const csv = OWNERS.page('/my/gigs/:id{[0-9]+}/report.csv', async ({ c, deps, actor }) => {
  const gig = await findSeenGig(deps.store, { gigId: gigIdOf(c), actor });
  c.get('request').headers['cache-control'] = 'no-store';
  return answerReportCsv(c, deps, gig);
});

const papers = PAPER_FORMS.map((form) =>
  OWNERS.page(`/my/gigs/:id{[0-9]+}/report/${form.name}.csv`, async ({ c, deps, actor }) => {
    const gig = await findSeenGig(deps.store, { gigId: gigIdOf(c), actor });
    return answerPapers(c, deps, { form, papers: readGigPapers(deps, gig), about: `gig-${gig.id}` });
  }),
);

/** `GET /my/gigs/:id/report`, `/my/gigs/:id/report.csv`, and below the first its papers in each form. */
export const REPORT_ROUTES: readonly MyRoute[] = [view, csv, ...papers];
