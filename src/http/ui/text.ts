import { html } from 'hono/html';
import type { Account, Platform } from '../../domain/account.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import { UNSAFE } from '../../domain/plain-text.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import { renderHash } from './badges.ts';
import type { Markup } from './layout.ts';

/** The display name of a platform. */
export function platformName(platform: Platform): string {
  return platformFacts(platform).label;
}

/** Whether a control or format character is visible: line breaks, tabs, and the joiner inside an emoji. */
function isSeen(found: string, before: string): boolean {
  return /[\n\r\t]/.test(found) || (found === '\u200d' && /\p{Extended_Pictographic}\ufe0f?$/u.test(before));
}

/** Text from a client, an account or a token. Its direction is isolated; invisible characters show as `�`. */
export function renderUntrusted(text: string): Markup {
  return html`<bdi>${text.replace(UNSAFE, (found, at: number) => (isSeen(found, text.slice(0, at)) ? found : '�'))}</bdi>`;
}

/** An account by its label and its number; only the number identifies it. */
export function renderAccount({ platform, platformUserId, username }: Account): Markup {
  const number = html`<span class="muted">${platformName(platform)} ${platformUserId}</span>`;
  return username === null ? number : html`<strong>@${renderUntrusted(username)}</strong> ${number}`;
}

/** A hash or an id in full, for copying. */
export function renderWhole(value: string): Markup {
  return html`<span class="hash whole">${value}</span>`;
}

/** An address with its checksum in full, for copying. */
export function renderWholeAddress(address: `0x${string}`): Markup {
  return renderWhole(checksummed(address));
}

/** An address with its checksum, shortened for display. */
export function renderShortAddress(address: `0x${string}`): Markup {
  return renderHash(checksummed(address));
}
