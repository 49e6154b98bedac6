import type { WebhookEndpoint } from '../../domain/events/endpoint.ts';
import { allows, type JobActor } from '../../domain/operators/actor.ts';
import { type ApiKey, isUsable } from '../../domain/operators/api-key.ts';
import type { StoreReads, StoreTx } from '../../store/port/index.ts';
import type { JobContext } from '../context.ts';
import { type Deed, recordEvent } from './audit-events.ts';

export interface EndedWebhooks {
  /** Those to which nothing is sent from now on. */
  readonly paused: readonly number[];
  /** Those that rest on the key's successor. */
  readonly kept: readonly number[];
}

const JOB: JobActor = { kind: 'job', name: 'pause webhooks' };

async function recordPause(
  tx: StoreTx,
  deed: Deed,
  { id, keyId }: { id: number; keyId: number | null },
): Promise<void> {
  const subject = { subject: 'webhook', subjectId: String(id), gigId: null } as const;
  await recordEvent(tx, deed, { ...subject, action: 'webhook.pause', detail: { api_key: keyId } });
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
  for (const { id } of kept) await tx.giveWebhookEndpoint(id, successor?.id ?? null);
  for (const { id } of own.filter((endpoint) => !kept.includes(endpoint))) {
    if (!(await tx.pauseWebhookEndpoint(id, { because: 'asked', now: deed.now }))) continue;
    paused.push(id);
    await recordPause(tx, deed, { id, keyId });
  }
  return { paused, kept: kept.map(({ id }) => id) };
}

/** Pauses the endpoints whose keys have expired, but for those that had outlived theirs before there was this rule. */
export async function pauseExpired({ store, clock, log }: JobContext): Promise<void> {
  const actor = JOB;
  // Without a transaction, because there is none most of the time.
  for (const { id, apiKeyId: keyId } of await store.webhooksPastKey(clock())) {
    const isPaused = await store.transaction(async (tx) => {
      const now = clock();
      const changed = await tx.pauseWebhookPastKey(id, now);
      if (changed) await recordPause(tx, { actor, now }, { id, keyId });
      return changed;
    });
    if (isPaused) log.warn({ webhook: id, apiKey: keyId }, 'webhook paused, because its key has expired');
  }
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
