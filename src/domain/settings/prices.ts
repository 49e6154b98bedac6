import type { z } from 'zod';
import { settingChoice, settingUrl } from './setting-values.ts';

const PRICE_SOURCES = ['chainlink', 'coingecko'] as const;

/** Whether prices in US dollars are shown. */
export interface PriceSettings {
  /** Where they are from; null: none are shown. */
  readonly prices: (typeof PRICE_SOURCES)[number] | null;
  /** CoinGecko's API, no trailing slash. */
  readonly coingeckoUrl: string;
}

export const PRICE_SETTINGS = {
  PRICES: settingChoice(PRICE_SOURCES).nullable().default(null),
  COINGECKO_URL: settingUrl.default('https://api.coingecko.com/api/v3'),
};

type Read = { readonly [Name in keyof typeof PRICE_SETTINGS]: z.output<(typeof PRICE_SETTINGS)[Name]> };

export function pricesOf({ PRICES: prices, COINGECKO_URL: coingeckoUrl }: Read): PriceSettings {
  return { prices, coingeckoUrl };
}
