import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { type Holding, type PriceOf, worthOf, worthText } from '../domain/prices/price.ts';
import { minuteText } from '../domain/time.ts';

/** Where prices are from; nothing is shown when it is absent. */
export interface PriceView {
  readonly priceOf?: PriceOf | undefined;
}

/** What holdings are worth, as plain text; null unless every token has a price. */
export function worthPlain(holdings: readonly Holding[], { priceOf }: PriceView): string | null {
  const worth = priceOf === undefined ? null : worthOf(holdings, priceOf);
  return worth && worthText(worth);
}

/** What holdings are worth, to follow their amounts; nothing unless every token has a price. */
export function renderWorth(
  holdings: readonly Holding[],
  { priceOf }: PriceView,
): HtmlEscapedString | Promise<HtmlEscapedString> | '' {
  const worth = priceOf === undefined ? null : worthOf(holdings, priceOf);
  if (worth === null) return '';
  return html` <span class="muted small number" title="At the price of ${minuteText(worth.at)}">${worthText(worth)}</span>`;
}
