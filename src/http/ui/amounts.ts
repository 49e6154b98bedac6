import { html } from 'hono/html';
import { briefAmount, groupedAmount } from '../../domain/amount.ts';
import { chainById, explorerLink } from '../../domain/chains/chain.ts';
import { type Address, checksummed, type TokenUnit } from '../../domain/gigs/token.ts';
import { renderHash } from './badges.ts';
import type { Markup } from './layout.ts';
import { renderUntrusted } from './text.ts';

/** An amount with its symbol, as plain text. */
export function amountText(amount: bigint, { decimals, symbol }: TokenUnit): string {
  return `${groupedAmount(amount, decimals)} ${symbol}`;
}

/** An amount with its symbol. */
export function renderAmount(amount: bigint, { decimals, symbol }: TokenUnit): Markup {
  return html`<span class="number">${groupedAmount(amount, decimals)} ${renderUntrusted(symbol)}</span>`;
}

/** An amount with its symbol, cut to a few digits; all of them are in the title. */
export function renderBriefAmount(amount: bigint, token: TokenUnit): Markup {
  const brief = briefAmount(amount, token.decimals);
  return html`<span class="number" title="${amountText(amount, token)}">${brief} ${renderUntrusted(token.symbol)}</span>`;
}

/** An address, linked to the chain's explorer if there is one. */
export function renderAddress(chainId: number, address: Address): Markup {
  const whole = checksummed(address);
  const link = explorerLink(chainId, { kind: 'address', value: whole });
  return link === null ? renderHash(whole) : html`<a href="${link}" rel="noopener">${renderHash(whole)}</a>`;
}

/** The display name of a chain. */
export function chainName(chainId: number): string {
  return chainById(chainId)?.name ?? `chain ${chainId}`;
}
