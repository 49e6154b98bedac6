import { html } from 'hono/html';
import { platformFacts } from '../../domain/platforms.ts';
import type { AccountEarning } from '../../services/gigs/find-earnings.ts';
import type { Markup } from '../ui/layout.ts';
import { renderUntrusted } from '../ui/text.ts';

/** The name of an account, linked to its page. */
export function renderAccountLink(
  { platform, platformUserId, username }: Pick<AccountEarning, 'platform' | 'platformUserId' | 'username'>,
  root: string,
): Markup {
  const { slug, idLabels } = platformFacts(platform);
  const shown = username === null ? html`${idLabels[0]} ${platformUserId}` : html`@${renderUntrusted(username)}`;
  return platformUserId === null ? shown : html`<a href="${root}/claim/${slug}/${platformUserId}">${shown}</a>`;
}
