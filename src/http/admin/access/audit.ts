import { html } from 'hono/html';
import type { AuditEvent } from '../../../domain/operators/audit-event.ts';
import { type Entry, isUnfiltered } from '../../frame/list.ts';
import { readListQuery, readPage } from '../../frame/list-query.ts';
import { renderBadge } from '../../ui/badges.ts';
import type { Markup, Root, Site } from '../../ui/layout.ts';
import { renderUntrusted } from '../../ui/text.ts';
import { renderTime } from '../../ui/time.ts';
import { OPERATORS } from '../audience.ts';
import { spanOfList, viewList } from '../list.ts';

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

function toEntry(site: Site, event: AuditEvent, now: number): Entry {
  const request =
    event.requestId === null ? [] : [html`<p class="muted">Request ${renderUntrusted(event.requestId)}</p>`];
  return {
    id: event.id,
    badge: renderBadge(event.action),
    time: renderTime(event.at, { now }),
    headline: html`${renderActor(event)}: ${renderSubject(site, event)}`,
    details: [html`<p class="muted">${renderUntrusted(event.detail)}</p>`, ...request],
  };
}

/** `GET /admin/audit`: the audit trail, newest first. */
export const auditPage = OPERATORS.page('/admin/audit', async (visit) => {
  const { store, site, clock } = visit.deps;
  const query = readListQuery(visit, []);
  const { items, ...place } = await readPage(query, store.auditEvents, await spanOfList(visit, 'auditEvents', query));
  const now = clock();
  return viewList(visit, {
    ...place,
    section: 'Audit',
    orderedBy: 'Changed',
    lead: 'Every change and its actor. The audit trail cannot be changed or deleted.',
    noun: 'event',
    entries: items.map((event) => toEntry(site, event, now)),
    empty: isUnfiltered(query) ? 'No events yet.' : 'No events in these days.',
  });
});
