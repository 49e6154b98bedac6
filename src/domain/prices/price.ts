import type { Token } from '../gigs/token.ts';
import { MINUTE_MS } from '../time.ts';

/** One US dollar; prices and sums of them are kept exact. */
export const USD = 10n ** 18n;
const CENT = USD / 100n;

/** A token is worth no more, and no amount that anybody holds is: beyond them a source is wrong. */
const MOST_PRICE = 10n ** 9n * USD;
const MOST_WORTH = 10n ** 12n * USD;
/** How far ahead of this clock a source may be. */
const AHEAD_MS = 5 * MINUTE_MS;

/** What a whole token is worth. It is for reading alone: nothing is decided by it. */
export interface Price {
  /** In parts of {@link USD}. */
  readonly usd: bigint;
  /** When its source had it, epoch milliseconds. */
  readonly at: number;
}

/** A price as a source tells it. */
export interface Quote extends Price {
  /** For how long after `at` it holds, milliseconds. */
  readonly holdsMs: number;
}

/** The price of a token; null when none is known, or it is too old. */
export type PriceOf = (token: Token) => Price | null;

export const NO_PRICES: PriceOf = () => null;

/** Whether a quote holds now, and is none that only a fault explains. */
export function isQuoteUsable({ usd, at, holdsMs }: Quote, now: number): boolean {
  return usd > 0n && usd <= MOST_PRICE && now - at <= holdsMs && at - now <= AHEAD_MS;
}

/** Base units of a token. */
export interface Holding {
  readonly amount: bigint;
  readonly token: Token;
}

/** What holdings are worth together, by the oldest of their prices; null unless each token has one. */
export function worthOf(holdings: readonly Holding[], priceOf: PriceOf): Price | null {
  let usd = 0n;
  let at = Number.POSITIVE_INFINITY;
  for (const { amount, token } of holdings) {
    const price = priceOf(token);
    if (price === null) return null;
    usd += (amount * price.usd) / 10n ** BigInt(token.decimals);
    at = Math.min(at, price.at);
  }
  return usd > 0n && usd <= MOST_WORTH ? { usd, at } : null;
}

/** Dollars with two decimals, rounded, without a sign: `12.40`. */
export function dollars(usd: bigint): string {
  const cents = (usd + CENT / 2n) / CENT;
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}

/** For people: `≈ $1,234.50`. */
export function worthText({ usd }: Price): string {
  if (usd < CENT) return '< $0.01';
  const [whole = '0', part] = dollars(usd).split('.');
  return `≈ $${Number(whole).toLocaleString('en-US')}.${part}`;
}
