import { html } from 'hono/html';
import type { Account, Platform } from '../../domain/account.ts';
import { UNSAFE } from '../../domain/plain-text.ts';
import { platformFacts } from '../../domain/platforms.ts';
import { checksummed } from '../../domain/token.ts';
import { renderHash } from './badges.ts';
import type { Markup } from './layout.ts';

/** What people call a platform. */
export function platformName(platform: Platform): string {
  return platformFacts(platform).label;
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

/** What is seen although Unicode calls it a control or a format character: line breaks, tabs, and the joiner inside an emoji. */
function isSeen(found: string, before: string): boolean {
  return /[\n\r\t]/.test(found) || (found === '\u200d' && /\p{Extended_Pictographic}\ufe0f?$/u.test(before));
}

/**
 * A text that a client, an account or a token wrote. Its direction turns nothing around it; characters that would not be
 * seen show as `�`.
 */
export function renderUntrusted(text: string): Markup {
  return html`<bdi>${text.replace(UNSAFE, (found, at: number) => (isSeen(found, text.slice(0, at)) ? found : '�'))}</bdi>`;
}

/** An account by its label and its number, of which only the number says who it is. */
export function renderAccount({ platform, platformUserId, username }: Account): Markup {
  const number = html`<span class="muted">${platformName(platform)} ${platformUserId}</span>`;
  return username === null ? number : html`<strong>@${renderUntrusted(username)}</strong> ${number}`;
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
export function renderShortAddress(address: `0x${string}`): Markup {
  return renderHash(checksummed(address));
}
