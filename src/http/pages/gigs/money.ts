import { html } from 'hono/html';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { Statement } from '../../../domain/gigs/gig-report.ts';
import type { Token } from '../../../domain/gigs/token.ts';
import { dayText } from '../../../domain/time.ts';
import type { GigPayments } from '../../../services/gigs/tips/find-gig-payments.ts';
import { amountText, renderAmount } from '../../ui/amounts.ts';
import { counted } from '../../ui/badges.ts';
import type { Markup } from '../../ui/layout.ts';
import { renderTime } from '../../ui/time.ts';
import { type PriceView, renderWorth } from '../../worth.ts';

/** Where the money of a gig is, in base units of its token: the parts add up to what came in. */
export interface Money {
  readonly paid: bigint;
  /** Earned and not paid yet. */
  readonly owed: bigint;
  readonly returned: bigint;
  readonly left: bigint;
  readonly fee: bigint;
}

const PARTS = [
  { part: 'paid', label: 'Paid' },
  { part: 'owed', label: 'To claim' },
  { part: 'returned', label: 'Returned' },
  { part: 'left', label: 'Left: not awarded' },
  { part: 'fee', label: 'Fee' },
] as const satisfies readonly { readonly part: keyof Money; readonly label: string }[];

/** The money of a statement. */
export function moneyOf({ paid, pending, refund, left, feePaid, feeOwed }: Statement): Money {
  return { paid, owed: pending, returned: refund, left, fee: feePaid + feeOwed };
}

/** Exact integers first, one division at the end. */
function thousandths(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 1000n) / whole);
}

const orZero = (amount: bigint) => (amount > 0n ? amount : 0n);

/** The money of a started gig that has paid so much. After a refund nothing is left: what was not awarded has returned. */
export function moneyOfGig({ awardedAmount, feeAmount: fee, refundedAt, rewardAmount }: Gig, paid: bigint): Money {
  const owed = orZero(awardedAmount - paid);
  const rest = orZero(rewardAmount - paid - owed);
  return refundedAt === null
    ? { paid, owed, returned: 0n, left: rest, fee }
    : { paid, owed, returned: rest, left: 0n, fee };
}

/** The money of a gig as one bar. It repeats numbers beside it, so that screen readers skip it. */
export function renderMoneyBar(money: Money): Markup {
  const whole = PARTS.reduce((sum, { part }) => sum + money[part], 0n);
  let before = 0n;
  const bars = PARTS.map(({ part }) => {
    const x = thousandths(before, whole);
    before += money[part];
    return html`<rect class="${part}" x="${x}" width="${thousandths(before, whole) - x}" height="24"/>`;
  });
  return html`<svg class="shares" viewBox="0 0 1000 24" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>`;
}

/** The money of a gig as one bar, with a table of its parts. */
export function renderMoney(money: Money, token: Token, priced: PriceView): Markup {
  const whole = PARTS.reduce((sum, { part }) => sum + money[part], 0n);
  const shown = PARTS.filter(({ part }) => part !== 'returned' || money.returned > 0n);
  const rows = shown.map(
    ({ part, label }) =>
      html`<tr><th scope="row"><span class="swatch ${part}"></span>${label}</th><td class="number">${renderAmount(money[part], token)}${renderWorth([{ amount: money[part], token }], priced)}</td></tr>`,
  );
  return html`${renderMoneyBar(money)}
<table class="parts"><caption class="unseen">Where the money of the gig is</caption>
<thead class="unseen"><tr><th scope="col">Part</th><th scope="col">Amount</th></tr></thead>
<tbody>${rows}</tbody>
<tfoot><tr><th scope="row">In</th><td class="number">${renderAmount(whole, token)}${renderWorth([{ amount: whole, token }], priced)}</td></tr></tfoot>
</table>`;
}

const COLUMN = 10;
const HEIGHT = 80;

/** What was paid over time, with values, ticks and dates; the same as a table for screen readers. */
export function renderColumns({ parts, payouts }: GigPayments, token: Token): Markup {
  const { amounts, from, to } = parts;
  const most = amounts.toSorted((a, b) => (a < b ? -1 : 1)).at(-1) ?? 0n;
  const width = amounts.length * COLUMN;
  const partMs = (to - from) / amounts.length;
  const begins = (index: number) => from + index * partMs;
  const columns = amounts.map((amount, index) => {
    if (amount === 0n)
      return html`<rect class="none" x="${index * COLUMN + 1}" y="${HEIGHT - 1}" width="${COLUMN - 2}" height="1"/>`;
    const height = Math.max(2, (thousandths(amount, most) * HEIGHT) / 1000);
    return html`<rect class="paid" x="${index * COLUMN + 1}" y="${HEIGHT - height}" width="${COLUMN - 2}" height="${height}"><title>${dayText(begins(index))}: ${amountText(amount, token)}</title></rect>`;
  });
  const ticks = [0, HEIGHT / 2].map((y) => html`<line class="tick" x1="0" x2="${width}" y1="${y}" y2="${y}"/>`);
  const rows = amounts.flatMap((amount, index) =>
    amount === 0n
      ? []
      : [html`<tr><th scope="row">${renderTime(begins(index))}</th><td>${renderAmount(amount, token)}</td></tr>`],
  );
  const days = [from, from + (to - from) / 2, to].map((time) => html`<span>${dayText(time)}</span>`);
  return html`<figure class="columns">
<div class="plot" aria-hidden="true">
<div class="values small muted"><span>${amountText(most, token)}</span><span>${amountText(most / 2n, token)}</span><span>0</span></div>
<svg viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none">${ticks}${columns}</svg>
<div class="dates small muted">${days}</div>
</div>
<figcaption class="small muted">${counted(payouts, 'payment')} in ${amounts.length} equal parts of the time from ${renderTime(from)} to ${renderTime(to)}</figcaption>
<table class="unseen"><caption>Payments over time</caption><thead><tr><th scope="col">From</th><th scope="col">Paid</th></tr></thead><tbody>${rows}</tbody></table>
</figure>`;
}
