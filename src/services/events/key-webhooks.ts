import { DomainError } from '../../domain/errors.ts';
import type { WebhookEndpoint } from '../../domain/events/endpoint.ts';
import { allows, keyIdOf } from '../../domain/operators/actor.ts';
import { type ApiKey, isUsable } from '../../domain/operators/api-key.ts';
import type { StoreReads, StoreTx } from '../../store/port/index.ts';
import { type Deed, recordEvent } from '../operators/audit-events.ts';

/**
 * The key that an endpoint rests on when this actor chooses its URL or resumes it; null for the operator's own commands. It stays
 * locked, so that the key does not end meanwhile and leave the endpoint behind.
 * @throws DomainError `invalid_api_key` when it has ended since the request was let in
 */
export async function keyBehind(tx: StoreTx, { actor, now }: Deed): Promise<number | null> {
  const id = keyIdOf(actor);
  const key = id === null ? null : await tx.apiKey(id);
  if (id !== null && (key === null || !isUsable(key, now))) throw new DomainError({ code: 'invalid_api_key' });
  return id;
}

/** The endpoints of a key that ends. */
export interface EndedWebhooks {
  /** Those to which nothing is sent from now on. */
  readonly paused: readonly number[];
  /** Those that rest on the key's successor. */
  readonly kept: readonly number[];
}

function mayKeep(successor: ApiKey, { client }: WebhookEndpoint): boolean {
  return client === successor.client || allows(successor.scopes, 'operator');
}

/**
 * Pauses the endpoints that rest on a key which ends, but for those that its successor keeps: null where the key ends at once.
 */
export async function endWebhooksOf(
  tx: StoreTx,
  { keyId, successor }: { readonly keyId: number; readonly successor: ApiKey | null },
  deed: Deed,
): Promise<EndedWebhooks> {
  const own = (await tx.webhookEndpoints(null)).filter(({ apiKeyId }) => apiKeyId === keyId);
  const kept = own.filter((endpoint) => successor !== null && mayKeep(successor, endpoint));
  const paused: number[] = [];
  // Few: a client has ten at most.
  for (const { id, url, types } of kept)
    await tx.changeWebhookEndpoint(id, { url, types, apiKeyId: successor?.id ?? null });
  for (const { id } of own.filter((endpoint) => !kept.includes(endpoint))) {
    if (!(await tx.pauseWebhookEndpoint(id, { because: 'asked', now: deed.now }))) continue;
    paused.push(id);
    const subject = { subject: 'webhook', subjectId: String(id), gigId: null } as const;
    await recordEvent(tx, deed, { ...subject, action: 'webhook.pause', detail: { api_key: keyId } });
  }
  return { paused, kept: kept.map(({ id }) => id) };
}

/** An endpoint whose key no longer works: it has expired, or was revoked while the endpoint went on. */
export type Orphan = WebhookEndpoint & { readonly apiKeyId: number };

/** All {@link Orphan}s, paused ones too. */
export async function findOrphans(store: StoreReads, now: number): Promise<Orphan[]> {
  const ended = new Set((await store.apiKeys()).filter((key) => !isUsable(key, now)).map(({ id }) => id));
  const isOrphan = (endpoint: WebhookEndpoint): endpoint is Orphan =>
    endpoint.apiKeyId !== null && ended.has(endpoint.apiKeyId);
  return (await store.webhookEndpoints(null)).filter(isOrphan);
}
