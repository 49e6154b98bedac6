import { AdapterError } from '../../domain/errors.ts';
import type { Token } from '../../domain/gigs/token.ts';
import { isQuoteUsable, type PriceOf, type Quote } from '../../domain/prices/price.ts';
import { type Log, summarizeError } from '../../log.ts';

/** Where prices are from. */
export interface PriceSource {
  /** How often it is asked, milliseconds. */
  readonly everyMs: number;
  /** By what it knows a token; null for one that it does not know. */
  keyOf(token: Token): string | null;
  /** What it knows now, by those keys. @throws AdapterError when it does not answer */
  read(): Promise<ReadonlyMap<string, Quote>>;
}

/** Prices in memory, so that no page waits for them. Nothing that decides may read it: see `test/house`. */
export interface PriceBook {
  readonly everyMs: number;
  readonly priceOf: PriceOf;
  /** Asks the source. What it told before holds until it is too old. */
  refresh(): Promise<void>;
}

export function createPriceBook(
  source: PriceSource,
  { clock, log }: { readonly clock: () => number; readonly log: Log },
): PriceBook {
  let quotes: ReadonlyMap<string, Quote> = new Map();
  let isSilent = false;
  return {
    everyMs: source.everyMs,
    priceOf(token) {
      const key = source.keyOf(token);
      const quote = key === null ? undefined : quotes.get(key);
      return quote !== undefined && isQuoteUsable(quote, clock()) ? quote : null;
    },
    async refresh() {
      try {
        quotes = new Map([...quotes, ...(await source.read())]);
        if (isSilent) log.info({}, 'the source of prices answers again');
        isSilent = false;
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error;
        if (!isSilent) log.warn({ error: summarizeError(error) }, 'the source of prices does not answer');
        isSilent = true;
      }
    },
  };
}
