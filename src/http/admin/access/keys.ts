import { html } from 'hono/html';
import { KEY_CLIENT, KEY_CREATED, KEY_NAME } from '../../../domain/facts/access-facts.ts';
import { type ApiKey, isUsable } from '../../../domain/operators/api-key.ts';
import { type Entry, renderEntries } from '../../frame/list.ts';
import { renderBadge } from '../../ui/badges.ts';
import type { Markup, Root } from '../../ui/layout.ts';
import { renderTime, renderTimeOr } from '../../ui/time.ts';
import { OPERATORS } from '../audience.ts';
import { renderFact } from '../facts.ts';
import { renderHeading } from '../list.ts';

function renderStanding(key: ApiKey, now: number): Markup {
  if (key.revokedAt !== null) return renderBadge('revoked');
  return isUsable(key, now) ? renderBadge('usable', 'ok') : renderBadge('expired');
}

function toEntry(site: Root, key: ApiKey, now: number): Entry {
  const end =
    key.revokedAt === null
      ? html`expires ${renderTimeOr(key.expiresAt, 'never', { to: 'second' })}`
      : html`revoked ${renderTime(key.revokedAt, { to: 'second' })}`;
  return {
    id: key.id,
    badge: renderStanding(key, now),
    time: html`created ${renderFact(site, KEY_CREATED, key)}`,
    headline: html`<strong>${renderFact(site, KEY_NAME, key)}</strong>`,
    details: [
      html`<p>For client ${renderFact(site, KEY_CLIENT, key)}: ${key.scopes.join(', ')}</p>`,
      html`<p class="muted">Last used ${renderTimeOr(key.lastUsedAt, 'never', { now })}, ${end}</p>`,
    ],
  };
}

/** `GET /admin/keys`: the keys' records, never a key. */
export const keysPage = OPERATORS.page('/admin/keys', async ({ deps: { store, clock, site } }) => {
  const keys = await store.apiKeys();
  const now = clock();
  return {
    title: 'API keys',
    section: 'API keys',
    body: html`${renderHeading('API keys', html`Only their hashes are stored. <code>npm run admin -- api-key create</code> creates a key; <code>api-key revoke</code> revokes one and ends its sessions.`)}
${renderEntries(
  keys.map((key) => toEntry(site, key, now)),
  { noun: 'key', empty: 'No API keys.' },
)}`,
  };
});
