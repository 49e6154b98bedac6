import { html } from 'hono/html';
import { type ApiKey, isUsable } from '../../../domain/operators/api-key.ts';
import { renderBadge } from '../../ui/badges.ts';
import type { Markup } from '../../ui/layout.ts';
import { renderMoment, renderMomentOr, renderUntrusted } from '../../ui/text.ts';
import { OPERATORS } from '../audience.ts';
import { type Entry, renderEntries, renderHeading } from '../list.ts';

function renderStanding(key: ApiKey, now: number): Markup {
  if (key.revokedAt !== null) return renderBadge('revoked');
  return isUsable(key, now) ? renderBadge('usable', 'ok') : renderBadge('expired');
}

function toEntry(key: ApiKey, now: number): Entry {
  const end =
    key.revokedAt === null
      ? html`expires ${renderMomentOr(key.expiresAt, 'never')}`
      : html`revoked ${renderMoment(key.revokedAt)}`;
  return {
    id: key.id,
    badge: renderStanding(key, now),
    time: html`created ${renderMoment(key.createdAt)}`,
    headline: html`<strong>${renderUntrusted(key.name)}</strong>`,
    details: [
      html`<p>For client ${renderUntrusted(key.client)}: ${key.scopes.join(', ')}</p>`,
      html`<p class="muted">Last used ${renderMomentOr(key.lastUsedAt, 'never')}, ${end}</p>`,
    ],
  };
}

/** `GET /admin/keys`: the keys' records, never a key. */
export const keysPage = OPERATORS.page('/admin/keys', async ({ deps: { store, clock } }) => {
  const keys = await store.apiKeys();
  const now = clock();
  return {
    title: 'API keys',
    section: 'API keys',
    body: html`${renderHeading('API keys', html`Only their hashes are stored. <code>npm run admin -- api-key create</code> creates a key; <code>api-key revoke</code> revokes one and ends its sessions.`)}
${renderEntries(
  keys.map((key) => toEntry(key, now)),
  { noun: 'key', empty: 'No API keys.' },
)}`,
  };
});
