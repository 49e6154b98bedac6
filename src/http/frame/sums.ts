import { html } from 'hono/html';
import type { Token } from '../../domain/gigs/token.ts';
import { chainName, renderAmount } from '../ui/amounts.ts';
import { counted } from '../ui/badges.ts';
import type { Markup } from '../ui/layout.ts';
import { renderUntrusted } from '../ui/text.ts';
import { type PriceView, renderWorth } from '../worth.ts';
import type { ReadPage } from './list-query.ts';

/** The sums of some records in one token: how many they are, and base units for each column. */
interface SumRow {
  readonly token: Token;
  /** Null where it is not known. */
  readonly count: number | null;
  readonly amounts: readonly bigint[];
}

/** The sums of a list, for each token. */
export interface Sums {
  /** What the sums are of, such as `All 12 payments`. */
  readonly of: string;
  /** The headings of the amounts. */
  readonly columns: readonly string[];
  readonly rows: readonly SumRow[];
}

/** Amounts in one token. */
export interface Summed {
  readonly token: Token;
  readonly amounts: readonly bigint[];
}

/** The sums of amounts, for each token in the order of its first one. */
export function sumByToken(all: readonly Summed[]): SumRow[] {
  return [...Map.groupBy(all, ({ token }) => token.id).values()].flatMap((some) => {
    const [first] = some;
    if (first === undefined) return [];
    const amounts = first.amounts.map((_, place) => some.reduce((sum, each) => sum + (each.amounts[place] ?? 0n), 0n));
    return { token: first.token, count: some.length, amounts };
  });
}

/** What the sums of a page are of: the page is all of its list when nothing is before or after it. */
export function ofPage({ items, next, query }: ReadPage<unknown, string>, noun: string): string {
  const isWhole = next === null && query.position === undefined;
  return isWhole ? `Sum of ${counted(items.length, noun)}` : `Sum of this page: ${counted(items.length, noun)}`;
}

/** The sum of each column over several tokens; nothing unless all of them have a price. */
function renderInAll(
  { columns, rows }: Pick<Sums, 'columns' | 'rows'>,
  priced: PriceView,
  isCounted: boolean,
): Markup | '' {
  if (rows.length < 2 || rows.some(({ token }) => priced.priceOf?.(token) == null)) return '';
  const cells = columns.map((column, place) => {
    const holdings = rows.map(({ token, amounts }) => ({ token, amount: amounts[place] ?? 0n }));
    return html`<td data-label="${column}" class="number">${renderWorth(holdings, priced)}</td>`;
  });
  return html`<tfoot><tr><th scope="row">In all</th>${isCounted ? html`<td></td>` : ''}${cells}</tr></tfoot>`;
}

/** The footer of a list. */
export function renderSums({ of, columns, rows }: Sums, priced: PriceView): Markup {
  if (rows.length === 0) return html``;
  const isCounted = rows.some(({ count }) => count !== null);
  return html`<table class="stacking sums"><caption>${of}</caption>
<thead><tr><th scope="col">Token</th>${isCounted ? html`<th scope="col" class="number">Number</th>` : ''}${columns.map((column) => html`<th scope="col" class="number">${column}</th>`)}</tr></thead>
<tbody>${rows.map(({ token, count, amounts }) => html`<tr><th scope="row"><span>${renderUntrusted(token.symbol)} on ${chainName(token.chainId)}</span></th>${isCounted ? html`<td data-label="Number" class="number">${count}</td>` : ''}${amounts.map((amount, place) => html`<td data-label="${columns[place] ?? ''}" class="number">${renderAmount(amount, token)}${renderWorth([{ amount, token }], priced)}</td>`)}</tr>`)}</tbody>${renderInAll({ columns, rows }, priced, isCounted)}
</table>`;
}
