import { html } from 'hono/html';
import type { DeliveryState } from '../../domain/events/delivery.ts';
import type { ListedDelivery, WebhookEndpoint } from '../../domain/events/endpoint.ts';
import { WEBHOOK_CREATED, WEBHOOK_URL } from '../../domain/facts/webhook-facts.ts';
import { type Entry, renderEntries } from '../frame/list.ts';
import { readListQuery, readPage } from '../frame/list-query.ts';
import { renderBadge, type Tone } from '../ui/badges.ts';
import type { Root } from '../ui/layout.ts';
import { renderUntrusted } from '../ui/text.ts';
import { renderTime } from '../ui/time.ts';
import { OPERATORS } from './audience.ts';
import { renderFact } from './facts.ts';
import { viewList } from './list.ts';

const TONES: Readonly<Record<DeliveryState, Tone>> = { queued: 'wait', delivered: 'ok', failed: 'bad' };

function renderEndpoint(site: Root, endpoint: WebhookEndpoint): Entry {
  const { id, client, types, pausedAt, pausedBecause } = endpoint;
  const paused =
    pausedAt === null ? [] : [html`<span class="error">${pausedBecause}</span> since ${renderTime(pausedAt)}`];
  return {
    id,
    badge:
      pausedAt === null
        ? renderBadge('active', 'ok')
        : renderBadge('paused', pausedBecause === 'asked' ? 'wait' : 'bad'),
    time: renderFact(site, WEBHOOK_CREATED, endpoint),
    headline: html`${renderFact(site, WEBHOOK_URL, endpoint)}, of ${client === null ? 'all clients' : renderUntrusted(client)}`,
    details: [
      html`<span class="muted small">${types.length === 0 ? 'all events' : types.join(', ')}</span>`,
      ...paused,
    ],
  };
}

function toEntry(root: string, delivery: ListedDelivery, now: number): Entry {
  const { place, state, queuedAt, type, seq, gigId, endpointId, tries, status, error } = delivery;
  const why = error === null ? '' : html`: <span class="error">${renderUntrusted(error)}</span>`;
  return {
    id: place,
    badge: renderBadge(state, TONES[state]),
    time: renderTime(queuedAt, { now }),
    headline: html`${type} ${seq}, of <a href="${root}/admin/gigs/${gigId}">gig ${gigId}</a>, to webhook ${endpointId}${delivery.replay ? ', again' : ''}`,
    details:
      tries === 0
        ? []
        : [
            html`<span class="muted small">${tries} ${tries === 1 ? 'try' : 'tries'}, status ${status ?? 'none'}</span>${why}`,
          ],
  };
}

/** `GET /admin/webhooks`: the webhooks, and what was sent to them. */
export const webhooksPage = OPERATORS.page('/admin/webhooks', async (visit) => {
  const { store, site, clock } = visit.deps;
  const now = clock();
  const query = readListQuery(visit, []);
  const toListed = (endpoint: WebhookEndpoint) => renderEndpoint(site, endpoint);
  const endpoints = query.position === undefined ? await store.webhookEndpoints(null) : [];
  const { items, ...place } = await readPage(query, async ({ before, limit }) => {
    const found = await store.eventDeliveries({ endpointId: null, limit, ...(before === undefined ? {} : { before }) });
    return found.map((delivery) => ({ id: delivery.place, delivery }));
  });
  const view = viewList(visit, {
    ...place,
    section: 'Webhooks',
    lead: 'The URLs of clients that take events, and the deliveries to them. Deliveries are kept for 30 days after they end.',
    noun: 'delivery',
    entries: items.map(({ delivery }) => toEntry(site.root, delivery, now)),
    empty: 'Nothing was sent.',
  });
  const hooks =
    query.position === undefined
      ? html`<h2>Endpoints</h2>${renderEntries(endpoints.map(toListed), { noun: 'webhook', empty: 'There are no webhooks.' })}`
      : '';
  return { ...view, body: html`${view.body}${hooks}` };
});
