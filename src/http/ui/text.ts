import { html } from 'hono/html';
import type { Account, Platform } from '../../domain/account.ts';
import { formatAmount } from '../../domain/amount.ts';
import { chainById } from '../../domain/chain.ts';
import { UNSAFE } from '../../domain/plain-text.ts';
import { platformFacts } from '../../domain/platforms.ts';
import { checksummed, type Token } from '../../domain/token.ts';
import { renderHash } from './badges.ts';
import type { Markup } from './layout.ts';

/** What people call a platform. */
export function platformName(platform: Platform): string {
  return platformFacts(platform).label;
}

/** What people call a chain; its id when it is not known any more. */
export function chainName(chainId: number): string {
  return chainById(chainId)?.name ?? String(chainId);
}

/** A moment in UTC, to the second. `ms` is epoch milliseconds. */
export function renderMoment(ms: number): Markup {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}

/** The same, or a dash when it has not come. */
export function renderMomentOr(ms: number | null, otherwise: string): Markup {
  return ms === null ? html`<span class="muted">${otherwise}</span>` : renderMoment(ms);
}

/** A text that somebody else wrote, with its line breaks; whatever would not be seen shows as `�`. */
export function renderForeign(text: string): Markup {
  return html`<bdi>${text.replace(UNSAFE, (found) => (found === '\n' ? found : '�'))}</bdi>`;
}

/** An account by its label and its number, of which only the number says who it is. */
export function renderAccount({ platform, platformUserId, username }: Account): Markup {
  const number = html`<span class="muted">${platformName(platform)} ${platformUserId}</span>`;
  return username === null ? number : html`<strong>@${renderForeign(username)}</strong> ${number}`;
}

/** An amount of base units in whole tokens, with the token's symbol. */
export function renderAmount(amount: bigint, { decimals, symbol }: Pick<Token, 'decimals' | 'symbol'>): Markup {
  return html`<span class="number">${formatAmount(amount, decimals)}</span> ${renderForeign(symbol)}`;
}

/** A hash or an id, whole, to be copied. */
export function renderWhole(value: string): Markup {
  return html`<span class="hash whole">${value}</span>`;
}

/** An address with its checksum, whole, to be copied. */
export function renderWholeAddress(address: `0x${string}`): Markup {
  return renderWhole(checksummed(address));
}

/** An address with its checksum, shortened for the eye. */
export function renderAddress(address: `0x${string}`): Markup {
  return renderHash(checksummed(address));
}
