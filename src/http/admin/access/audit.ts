import { html } from 'hono/html';
import type { AuditEvent } from '../../../domain/operators/audit-event.ts';
import { renderBadge } from '../../ui/badges.ts';
import type { Markup, Root, Site } from '../../ui/layout.ts';
import { renderMoment, renderUntrusted } from '../../ui/text.ts';
import { OPERATORS } from '../audience.ts';
import { type Entry, readListQuery, readPage, viewList } from '../list.ts';

const ACTORS: Readonly<Record<AuditEvent['actor'], string>> = {
  api_key: 'API key',
  account: 'account',
  owner: 'owner',
  operator: 'operator',
  job: 'job',
};

function renderActor({ actor, actorName, apiKeyId, client }: AuditEvent): Markup {
  const key = apiKeyId === null ? '' : html` <span class="muted">key ${apiKeyId}</span>`;
  const by = client === null ? '' : html` <span class="muted">for ${renderUntrusted(client)}</span>`;
  return html`${ACTORS[actor]} <strong>${renderUntrusted(actorName)}</strong>${key}${by}`;
}

function renderSubject({ root }: Root, { subject, subjectId, gigId }: AuditEvent): Markup {
  const what = html`${subject} ${subjectId}`;
  return gigId === null || subject === 'gig'
    ? what
    : html`${what}, <a href="${root}/admin/gigs/${gigId}">gig ${gigId}</a>`;
}

function toEntry(site: Site, event: AuditEvent): Entry {
  const request =
    event.requestId === null ? [] : [html`<p class="muted">Request ${renderUntrusted(event.requestId)}</p>`];
  return {
    id: event.id,
    badge: renderBadge(event.action),
    time: renderMoment(event.at),
    headline: html`${renderActor(event)}: ${renderSubject(site, event)}`,
    details: [html`<p class="muted">${renderUntrusted(event.detail)}</p>`, ...request],
  };
}

/** `GET /admin/audit`: the audit trail, newest first. */
export const auditPage = OPERATORS.page('/admin/audit', async (visit) => {
  const { store, site } = visit.deps;
  const { items, ...place } = await readPage(readListQuery(visit, []), store.auditEvents);
  return viewList(visit, {
    ...place,
    section: 'Audit',
    lead: 'Every change and its actor. The audit trail cannot be changed or deleted.',
    noun: 'event',
    entries: items.map((event) => toEntry(site, event)),
    empty: 'No events yet.',
  });
});
