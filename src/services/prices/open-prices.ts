import type { Chains } from '../../domain/chains/chain.ts';
import { PRICE_FEEDS } from '../../domain/prices/feeds.ts';
import type { PriceSettings } from '../../domain/settings/prices.ts';
import type { Log } from '../../log.ts';
import type { ReadContext } from '../context.ts';
import { createPriceBook, type PriceBook } from './price-book.ts';
import { type AskPrices, createCoinGeckoSource, createFeedSource } from './sources.ts';

interface PriceContext extends ReadContext {
  readonly chains: Chains;
  /** CoinGecko at a URL. */
  readonly connect: (url: string) => AskPrices;
  readonly clock: () => number;
  readonly log: Log;
}

/** Prices from the source that the operator has chosen; null where none are shown. */
export function openPrices({ prices, coingeckoUrl }: PriceSettings, deps: PriceContext): PriceBook | null {
  if (prices === null) return null;
  const source =
    prices === 'chainlink'
      ? createFeedSource(deps.chains, PRICE_FEEDS)
      : createCoinGeckoSource(deps, deps.chains, deps.connect(coingeckoUrl));
  return createPriceBook(source, deps);
}
