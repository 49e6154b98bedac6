import { createHash } from 'node:crypto';
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

/** Cells of a token's picture in each direction. */
const SIDE = 5;
const HALF = Math.ceil(SIDE / 2);

/**
 * A picture of a token, drawn from its chain and address: tokens of the same name look different, and the page asks no other host.
 * @param placed attributes of its place in a picture; without them it stands before an amount
 */
export function renderTokenMark(chainId: number, address: Address, placed?: Markup): Markup {
  const digest = createHash('sha256').update(`${chainId}:${address}`).digest();
  const cells = Array.from({ length: HALF * SIDE }, (_, cell) => ({ x: cell % HALF, y: Math.floor(cell / HALF) }))
    .filter((_, cell) => (digest.readUInt8(cell) & 1) === 1)
    // The right half mirrors the left one.
    .flatMap(({ x, y }) =>
      x === SIDE - 1 - x
        ? [{ x, y }]
        : [
            { x, y },
            { x: SIDE - 1 - x, y },
          ],
    );
  const path = cells.map(({ x, y }) => `M${x} ${y}h1v1h-1z`).join('');
  const hue = Math.round((digest.readUInt8(31) * 360) / 256);
  return html`<svg ${placed ?? html`class="token-mark"`} viewBox="0 0 ${SIDE} ${SIDE}" aria-hidden="true" shape-rendering="crispEdges"><path fill="hsl(${hue},55%,48%)" d="${path}"/></svg>`;
}
