import { html } from 'hono/html';
import { formatAmount } from '../../domain/amount.ts';
import { chainById } from '../../domain/chain.ts';
import type { Token } from '../../domain/token.ts';
import type { Markup } from './layout.ts';

/** An amount with its symbol, as plain text. */
export function amountText(amount: bigint, { decimals, symbol }: Pick<Token, 'decimals' | 'symbol'>): string {
  return `${formatAmount(amount, decimals)} ${symbol}`;
}

/** An amount with its symbol. */
export function renderAmount(amount: bigint, token: Pick<Token, 'decimals' | 'symbol'>): Markup {
  return html`<span class="number">${amountText(amount, token)}</span>`;
}

/** What people call a chain. */
export function chainName(chainId: number): string {
  return chainById(chainId)?.name ?? `chain ${chainId}`;
}
