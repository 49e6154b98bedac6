import { html } from 'hono/html';
import { owedOf, refundableOf } from '../../domain/operators/day-sums.ts';
import { durationText } from '../../domain/time.ts';
import {
  DAYS_COUNTED,
  DAYS_SHOWN,
  type MoneyAndTime,
  type TimesTaken,
} from '../../services/operators/money-and-time.ts';
import { renderPaperButtons } from '../papers.ts';
import { chainName, renderBriefAmount } from '../ui/amounts.ts';
import type { Markup, Root } from '../ui/layout.ts';
import { renderUntrusted } from '../ui/text.ts';
import { renderTimeOr } from '../ui/time.ts';
import { type PriceView, renderWorth } from '../worth.ts';

const BAR = { width: 5, gap: 1, height: 20 };
/** What fractions of the highest bar are drawn in. */
const STEPS = 1_000n;

/** Bars of equal width, the oldest first. They repeat numbers beside them, so that screen readers skip them. */
function renderSparkline(values: readonly bigint[]): Markup {
  const highest = values.toSorted((a, b) => (a < b ? -1 : Number(a > b))).at(-1) ?? 0n;
  const width = values.length * (BAR.width + BAR.gap);
  const bars = values.map((value, index) => {
    const part = highest === 0n ? 0 : Number((value * STEPS) / highest) / Number(STEPS);
    const height = value > 0n ? Math.max(1, Math.round(part * BAR.height)) : 0;
    return html`<rect x="${index * (BAR.width + BAR.gap)}" y="${BAR.height - height}" width="${BAR.width}" height="${height}"/>`;
  });
  return html`<svg class="spark" viewBox="0 0 ${width} ${BAR.height}" width="${width}" height="${BAR.height}" aria-hidden="true">${bars}</svg>`;
}

type TokenMoney = MoneyAndTime['tokens'][number];

function renderToken(sums: TokenMoney, priced: PriceView): Markup {
  const { token, funded, awarded, paid, paidByDay } = sums;
  const cell = (label: string, amount: bigint) =>
    html`<td data-label="${label}" class="number">${renderBriefAmount(amount, token)}${renderWorth([{ amount, token }], priced)}</td>`;
  return html`<tr><th scope="row"><span>${renderUntrusted(token.symbol)}<br><span class="small muted">${chainName(token.chainId)}</span></span></th>
${cell('Funded', funded)}${cell('Awarded', awarded)}${cell('Paid', paid)}${cell('To claim', owedOf(sums))}${cell('Refundable', refundableOf(sums))}
<td data-label="Paid each day">${renderSparkline(paidByDay)}</td></tr>`;
}

/** What is done with each token. */
export function renderTokenMoney(site: Root & PriceView, { tokens }: MoneyAndTime): Markup {
  if (tokens.length === 0)
    return html`<section class="card stack"><h2>Money</h2><p class="muted">No gig has started yet.</p></section>`;
  return html`<section class="card stack"><h2>Money</h2>
<table class="stacking" aria-label="Money">
<thead><tr><th scope="col">Token</th>${['Funded', 'Awarded', 'Paid', 'To claim', 'Refundable'].map((label) => html`<th scope="col" class="number">${label}</th>`)}<th scope="col">Paid each day</th></tr></thead>
<tbody>${tokens.map((sums) => renderToken(sums, site))}</tbody></table>
<p class="small muted">Of the gigs that have started. Refundable: unawarded funds of settled gigs that are not returned yet. The bars are the last ${DAYS_SHOWN} days (UTC).</p>
<p class="row">${renderPaperButtons(site, '/admin/papers')}</p></section>`;
}

function renderTaken(label: string, { summary, medians }: TimesTaken): Markup {
  const bars = renderSparkline(medians.map((ms) => BigInt(Math.round(ms ?? 0))));
  const [median, worst] =
    summary === null ? ['none', 'none'] : [durationText(summary.median), durationText(summary.worst)];
  return html`<tr><th scope="row"><span>${label}</span></th><td data-label="Median" class="number">${median}</td><td data-label="Worst" class="number">${worst}</td><td data-label="Median each day">${bars}</td></tr>`;
}

/** How long people wait. */
export function renderTimes(
  { root }: Root,
  { money: { times, oldestWaiting }, now }: { readonly money: MoneyAndTime; readonly now: number },
): Markup {
  return html`<section class="card stack"><h2>Time</h2>
<table class="stacking" aria-label="Time">
<thead><tr><th scope="col">From, to</th><th scope="col" class="number">Median</th><th scope="col" class="number">Worst</th><th scope="col">Median each day</th></tr></thead>
<tbody>${renderTaken('Mention to reply', times.reply)}${renderTaken('Claim to paid', times.payment)}</tbody></table>
<p class="small muted">Last ${DAYS_COUNTED} days. Medians are rounded up. <a href="${root}/admin/payments?state=planned">Oldest waiting payment</a>: ${renderTimeOr(oldestWaiting, 'none', { now })}</p></section>`;
}
