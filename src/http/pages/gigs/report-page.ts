import { html } from 'hono/html';
import { gigName } from '../../../domain/earning/words/gig-name.ts';
import { sumReturned, type TokenAmount } from '../../../domain/gigs/gig-end.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { type GigReport, reportGig } from '../../../services/gigs/show/report-gig.ts';
import type { PageContext } from '../../context.ts';
import type { App } from '../../middleware/context.ts';
import { gigIdOf } from '../../middleware/parameters.ts';
import { renderAddress, renderAmount } from '../../ui/amounts.ts';
import { renderBadge, renderTransaction, type Tone } from '../../ui/badges.ts';
import { renderGigLink } from '../../ui/gig-name.ts';
import type { Markup, Root } from '../../ui/layout.ts';
import { answerPage, publicNavigation } from '../../ui/page.ts';
import { renderTime } from '../../ui/time.ts';
import { type PriceView, renderWorth } from '../../worth.ts';
import { moneyOf, renderMoney } from './money.ts';

const BRIEF = 'public, max-age=3';

const KINDS: Readonly<Partial<Record<Payment['kind'], string>>> = {
  fee: 'Fee of the platform',
  refund: 'Refund',
  return: 'Return',
};

const STATES = {
  open: { words: 'The gig is not settled', tone: 'quiet' },
  due: { words: 'Not planned yet', tone: 'wait' },
  nothing: { words: 'Nothing was left', tone: 'quiet' },
  planned: { words: 'Planned', tone: 'wait' },
  sent: { words: 'Under way', tone: 'wait' },
  confirmed: { words: 'Paid', tone: 'ok' },
  failed: { words: 'Failed', tone: 'bad' },
} as const satisfies Record<GigReport['refund']['state'], { words: string; tone: Tone }>;

function renderState(state: keyof typeof STATES): Markup {
  const { words, tone } = STATES[state];
  return renderBadge(words, tone);
}

/** What a cancelled gig's wallet has returned: it never started, so that all else is 0. */
function returnedOf({ gig, payments }: GigReport): readonly TokenAmount[] {
  return gig.cancelledAt === null ? [] : sumReturned(payments);
}

function moneyOfReport(report: GigReport) {
  const { gig, statement } = report;
  const own = returnedOf(report).find(({ token }) => token.id === gig.token.id);
  return own === undefined ? moneyOf(statement) : { ...moneyOf(statement), returned: own.amount };
}

function renderSums(report: GigReport, priced: PriceView): Markup {
  const { statement, gig } = report;
  const row = (label: string, amount: bigint, token = gig.token) =>
    html`<tr><th scope="row">${label}</th><td data-label="Amount" class="number">${renderAmount(amount, token)}${renderWorth([{ amount, token }], priced)}</td></tr>`;
  const optional = (label: string, amount: bigint) => (amount === 0n ? '' : row(label, amount));
  const { reward, fee, beyond, paid, pending, refund, feePaid, feeOwed, left, voided } = statement;
  return html`<table class="stacking"><caption class="unseen">What came in, and where it went</caption>
<thead><tr><th scope="col">Sum</th><th scope="col" class="number">Amount</th></tr></thead>
<tbody>
${row('Reward', reward)}
${row('Fee', fee)}
${optional('Beyond the reward, as after a restored backup', beyond)}
${row('Paid to accounts', paid)}
${row('To claim', pending)}
${row('Refund', refund)}
${row('Fee moved to the platform', feePaid)}
${optional('Fee still to be moved', feeOwed)}
${row('Left of the reward', left)}
${optional('Voided by the operator, in no other sum', voided)}
${returnedOf(report).map(({ token, amount }) => row('Returned from its wallet', amount, token))}
</tbody>
</table>
<p class="notice ${statement.addsUp ? 'ok' : 'bad'}">${statement.addsUp ? 'Everything adds up, to the smallest unit.' : 'The sums do not add up: incoming and outgoing money differ.'}</p>`;
}

function renderRefund({ refund, gig: { token, cancelledAt } }: GigReport): Markup {
  if (cancelledAt !== null) {
    return html`<p>It was cancelled at ${renderTime(cancelledAt)} and never started, so it has no refund. The money in its wallet is returned.</p>`;
  }
  const { state, amount, recipient, hash, dueAt } = refund;
  return html`<dl class="facts card">
<dt>State</dt><dd>${renderState(state)}</dd>
<dt>Amount</dt><dd>${renderAmount(amount, token)}</dd>
<dt>To</dt><dd>${recipient === null ? html`<span class="muted">not set</span>` : renderAddress(token.chainId, recipient)}</dd>
${dueAt === null ? '' : html`<dt>Due</dt><dd>${renderTime(dueAt)}</dd>`}
${hash === null ? '' : html`<dt>Transaction</dt><dd>${renderTransaction(token.chainId, hash)}</dd>`}
</dl>`;
}

function renderPayments({ payments }: GigReport): Markup {
  if (payments.length === 0) return html`<p class="muted">None yet.</p>`;
  const rows = payments.map(
    ({ kind, amount, token, recipient, state, hash, chainId }) => html`<tr>
<th scope="row">${KINDS[kind] ?? kind}</th>
<td data-label="Amount" class="number">${renderAmount(amount, token)}</td>
<td data-label="To">${renderAddress(chainId, recipient)}</td>
<td data-label="State">${renderState(state)}</td>
<td data-label="Transaction">${hash === null ? '' : renderTransaction(chainId, hash)}</td>
</tr>`,
  );
  return html`<table class="stacking"><caption class="unseen">All payments but those of claims, oldest first</caption>
<thead><tr><th scope="col">Payment</th><th scope="col" class="number">Amount</th><th scope="col">To</th><th scope="col">State</th><th scope="col">Transaction</th></tr></thead>
<tbody>${rows}</tbody>
</table>`;
}

function renderReportPage(report: GigReport, site: Root & PriceView): Markup {
  const { root } = site;
  const { gig, gasUsed } = report;
  const settled = gig.settledAt === null ? '' : html` It was settled at ${renderTime(gig.settledAt)}.`;
  return html`<div class="stack-wide">
<header class="stack">
<h1>Statement of gig ${gig.id}</h1>
<p class="lead">Where the money of ${renderGigLink(gig.id, { names: new Map([[gig.id, gigName(gig, null)]]), root })} went.${settled}</p>
</header>
<section class="stack" aria-labelledby="sums"><h2 id="sums">Sums</h2>
<div class="card stack">${renderMoney(moneyOfReport(report), gig.token, site)}</div>
${renderSums(report, site)}
</section>
<section class="stack" aria-labelledby="refund"><h2 id="refund">Refund</h2>
${renderRefund(report)}
</section>
<section class="stack" aria-labelledby="payments"><h2 id="payments">Fee, refund and returns</h2>
${renderPayments(report)}
<p class="muted small">This gig’s payments, including claims, used ${gasUsed.toLocaleString('en-US')} gas, paid for by the service.</p>
</section>
</div>`;
}

/** `GET /gigs/:id/report`. */
export function addReportPage(app: App, deps: PageContext): void {
  const { site } = deps;
  app.get('/gigs/:id/report', async (c) => {
    const report = await reportGig(deps, { gigId: gigIdOf(c), actor: null });
    return await answerPage(c, site, {
      title: `Statement of gig ${report.gig.id}`,
      description: 'The payments of a gig, its debts, and the refund of its reward.',
      nav: publicNavigation(site, 'gigs'),
      body: renderReportPage(report, site),
      cacheControl: BRIEF,
    });
  });
}
