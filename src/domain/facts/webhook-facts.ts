import type { ListedDelivery, WebhookEndpoint } from '../events/endpoint.ts';
import { isoText } from '../time.ts';
import { type Fact, fact } from './fact.ts';

type WebhookState = 'active' | 'paused';

function stateOf({ pausedAt }: WebhookEndpoint): WebhookState {
  return pausedAt === null ? 'active' : 'paused';
}

/** A webhook for programs: never what its secret derives from. */
export function webhookJson(endpoint: WebhookEndpoint) {
  const { id, url, types, client, pausedAt, pausedBecause, fromSeq, createdAt } = endpoint;
  return {
    id,
    url,
    types: [...types],
    all_clients: client === null,
    state: stateOf(endpoint),
    paused_because: pausedBecause,
    paused_at: isoText(pausedAt),
    from_seq: fromSeq,
    created_at: isoText(createdAt),
  };
}

export const WEBHOOK_URL = fact<WebhookEndpoint>('url', ({ url }) => ({ foreign: url }));
export const WEBHOOK_CREATED = fact<WebhookEndpoint>('created', ({ createdAt }) => ({ moment: createdAt }));

/** Why it is paused; nothing while it is active. */
export const WEBHOOK_PAUSE = fact<WebhookEndpoint>('paused because', ({ pausedBecause }) => pausedBecause);

/** The facts of a webhook for people, without its pause and its age; programs read {@link webhookJson}. */
export const WEBHOOK_FACTS: readonly Fact<WebhookEndpoint>[] = [
  fact('client', ({ client }) => (client === null ? 'all' : { foreign: client })),
  WEBHOOK_URL,
  fact('types', ({ types }) => types.join(' ') || 'all'),
  fact('state', stateOf),
];

/** A delivery to a webhook, for programs. */
export function deliveryJson({ id, uid, type, seq, gigId, state, tries, ...rest }: ListedDelivery) {
  const { status, error, replay, queuedAt, endedAt } = rest;
  const times = { queued_at: isoText(queuedAt), ended_at: isoText(endedAt) };
  return { id, event_id: uid, type, seq, gig_id: gigId, state, tries, status, error, replay, ...times };
}
