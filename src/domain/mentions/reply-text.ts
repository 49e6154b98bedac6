import { formatAmount } from '../amount.ts';
import type { Address, Token } from '../gigs/token.ts';
import { isMisleading } from '../gigs/token-text.ts';

/** How a platform measures a text, and the longest it takes. */
export interface Measure {
  readonly replyLimit: number;
  measure(text: string): number;
}

const MAX_SYMBOL = 16;
/** Enough for the mark at the end of a reply on X. */
export const MARK_LENGTH = 12;

/**
 * A token's symbol, safe to post: a contract can put a mention, a tag or a link into it, so only visible letters,
 * digits, `_`, `+` and `-` stay.
 */
export function safeSymbol(token: { readonly symbol: string; readonly address: Address }): string {
  const address = `${token.address.slice(0, 6)}…${token.address.slice(-4)}`;
  if (isMisleading(token.symbol) || token.symbol.toLowerCase() === address.toLowerCase()) return address;
  const symbol = Array.from(
    token.symbol.normalize('NFKC').replace(/[^\p{L}\p{N}_+-]|\p{Default_Ignorable_Code_Point}/gu, ''),
  )
    .slice(0, MAX_SYMBOL)
    .join('');
  return symbol === '' || isMisleading(symbol) ? address : symbol;
}

/** An amount with its symbol, safe to post. */
export function amountOf(amount: bigint, token: Token): string {
  return `${formatAmount(amount, token.decimals)} ${safeSymbol(token)}`;
}
