import { z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { ReportedAccount } from '../../../domain/gigs/gig-report.ts';
import { parseOrThrow } from '../../../domain/validation.ts';
import { findSeenGig } from '../../../services/gigs/command-gig.ts';
import { pageOfReport } from '../../../services/gigs/show/report-gig.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { answerReportCsv, placeField, placeText } from '../../report-pages.ts';
import { renderAmount } from '../../ui/amounts.ts';
import { renderBadge } from '../../ui/badges.ts';
import type { Markup } from '../../ui/layout.ts';
import { renderAccount, renderUntrusted } from '../../ui/text.ts';
import { OWNERS } from '../audience.ts';
import type { MyRoute } from '../context.ts';

const SHOWN = 100;
const pageQuery = z.object({ cursor: placeField });

function renderEarner(account: ReportedAccount, { token }: Gig): Markup {
  const { status, amount, reason } = account;
  return html`<tr><th scope="row">${renderAccount(account)}</th>
<td data-label="State">${renderBadge(status, status === 'paid' ? 'ok' : 'quiet')}</td>
<td data-label="Amount">${amount === null ? '–' : renderAmount(amount, token)}</td>
<td data-label="Why">${reason === null ? '' : renderUntrusted(reason)}</td></tr>`;
}

/** Accounts of a gig with what they earned, or why they did not. */
export function renderEarners(gig: Gig, accounts: readonly ReportedAccount[]): Markup {
  if (accounts.length === 0) return html`<p class="card muted">No account has earned yet.</p>`;
  return html`<table class="stacking"><caption class="unseen">Accounts, newest first</caption>
<thead><tr><th scope="col">Account</th><th scope="col">State</th><th scope="col">Amount</th><th scope="col">Why</th></tr></thead>
<tbody>${accounts.map((account) => renderEarner(account, gig))}</tbody>
</table>`;
}

const view = OWNERS.page('/my/gigs/:id{[0-9]+}/report', async ({ c, deps, actor }) => {
  const { root } = deps.site;
  const gig = await findSeenGig(deps.store, { gigId: gigIdOf(c), actor });
  const { cursor: place } = parseOrThrow(pageQuery, c.req.query());
  const { accounts, next } = await pageOfReport(deps, gig, { limit: SHOWN, place });
  return {
    title: `Earners of gig ${gig.id}`,
    section: 'My gigs',
    body: html`<div class="stack"><h1>Earners of gig ${gig.id}</h1>
<p class="row"><a class="button" href="${root}/my/gigs/${gig.id}">Gig ${gig.id}</a>
<a class="button" href="${root}/my/gigs/${gig.id}/report.csv">Download as CSV</a>
<a class="button" href="${root}/gigs/${gig.id}/report">Statement</a></p></div>
${renderEarners(gig, accounts)}
${next === null ? '' : html`<p><a class="button" href="${root}/my/gigs/${gig.id}/report?cursor=${placeText(next)}">More</a></p>`}`,
  };
});

const csv = OWNERS.page('/my/gigs/:id{[0-9]+}/report.csv', async ({ c, deps, actor }) => {
  const gig = await findSeenGig(deps.store, { gigId: gigIdOf(c), actor });
  c.get('request').headers['cache-control'] = 'no-store';
  return answerReportCsv(c, deps, gig);
});

/** `GET /my/gigs/:id/report` and `/my/gigs/:id/report.csv`. */
export const REPORT_ROUTES: readonly MyRoute[] = [view, csv];
