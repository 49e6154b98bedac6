import { html } from 'hono/html';
import type { Platform } from '../../../domain/account.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import type { Markup } from '../../ui/layout.ts';
import { renderUntrusted } from '../../ui/text.ts';

/** An account whose page is linked. */
interface LinkedAccount {
  readonly platform: Platform;
  /** Null when nobody known has the handle. */
  readonly platformUserId: string | null;
  readonly username: string | null;
}

/** The name of an account, linked to its page. */
export function renderAccountLink({ platform, platformUserId, username }: LinkedAccount, root: string): Markup {
  const { slug, idLabels } = platformFacts(platform);
  const shown = username === null ? html`${idLabels[0]} ${platformUserId}` : html`@${renderUntrusted(username)}`;
  return platformUserId === null ? shown : html`<a href="${root}/claim/${slug}/${platformUserId}">${shown}</a>`;
}
