import { createHash } from 'node:crypto';
import { AdapterError, DomainError, invalidRequest } from '../../domain/errors.ts';
import { type EventSender, MOST_ENDPOINTS, type WebhookEndpoint } from '../../domain/events/endpoint.ts';
import type { EventType } from '../../domain/events/event.ts';
import { type Actor, actorClient } from '../../domain/operators/actor.ts';
import { throwIfInvalid } from '../../domain/validation.ts';
import type { ReplayRequest, StoreReads, StoreTx, TakenSlot } from '../../store/port/index.ts';
import type { ServiceContext } from '../context.ts';
import { TELL_TIMING } from '../deliveries/deliver-next.ts';
import { NARROW } from '../narrow.ts';
import { keyBehind } from '../operators/api-keys.ts';
import { type Deed, type Done, recordEvent } from '../operators/audit-events.ts';
import type { Prepared } from '../prepared.ts';
import type { WebhookContext } from './context.ts';

const SALT_BYTES = 16;
/** Deliveries that are queued, or changed, in one transaction, so that none delays others for long. */
const TOGETHER = 500;
/** The most deliveries that are queued again at once. */
export const MOST_REPLAYED = 10_000;

/** @throws DomainError `signing_off` */
function requireSender({ sender }: Pick<WebhookContext, 'sender'>): EventSender {
  if (sender === null) throw new DomainError({ code: 'signing_off' });
  return sender;
}

function newSalt({ randomBytes }: WebhookContext): string {
  return Buffer.from(randomBytes(SALT_BYTES)).toString('hex');
}

/** The client whose events and endpoints an actor reaches; null: those of all. */
export function reachedClient(actor: Actor): string | null {
  if (actor.kind === 'owner') return actor.client;
  return actor.kind === 'api_key' && !actor.scopes.includes('operator') ? actor.client : null;
}

/**
 * The endpoint with this id, if the actor reaches it.
 * @throws DomainError `webhook_not_found`, also for one of another client
 */
export async function findWebhook(
  reads: StoreReads,
  { id, actor }: { id: number; actor: Actor },
): Promise<WebhookEndpoint> {
  const endpoint = await reads.webhookEndpoint(id);
  const client = reachedClient(actor);
  if (endpoint !== null && (client === null || endpoint.client === client)) return endpoint;
  throw new DomainError({ code: 'webhook_not_found', webhookId: id });
}

/** The endpoints that an actor reaches, by their ids. */
export async function listWebhooks({ store }: ServiceContext, actor: Actor): Promise<WebhookEndpoint[]> {
  return await store.webhookEndpoints(reachedClient(actor));
}

/** The URL itself may hold a secret of the client's. */
function factsOf({ url, types }: { readonly url: string; readonly types: readonly EventType[] }) {
  return { host: new URL(url).host, types: types.join(' ') };
}

async function recordWebhook(tx: StoreTx, deed: Deed, { id, ...done }: Done & { id: number }): Promise<void> {
  await recordEvent(tx, deed, { ...done, subject: 'webhook', subjectId: String(id), gigId: null });
}

/** What is wrong with the URL of an endpoint: a sentence, or nothing. @throws DomainError `signing_off` */
export function urlProblems(deps: Pick<WebhookContext, 'sender'>, url: string): string[] {
  const problem = requireSender(deps).urlProblem(url);
  return problem === null ? [] : [`url ${problem}`];
}

/** What a new endpoint is to be. */
interface WebhookRequest {
  readonly url: string;
  /** Empty: all. */
  readonly types: readonly EventType[];
  /** Whether it takes the events of all clients, which only operators may ask for. */
  readonly allClients: boolean;
  readonly actor: Actor;
}

/**
 * Prepares an endpoint, which takes the events that are released from its creation on. Its commit throws DomainError
 * `signing_off`, `scope_missing`, `validation_failed`, `invalid_api_key` or `too_many_webhooks`.
 */
export function prepareWebhook(
  deps: WebhookContext,
  { url, types, allClients, actor }: WebhookRequest,
): Prepared<WebhookEndpoint> {
  return {
    async commit(tx, now) {
      throwIfInvalid(urlProblems(deps, url));
      if (allClients && reachedClient(actor) !== null)
        throw new DomainError({ code: 'scope_missing', scope: 'operator' });
      const client = allClients ? null : actorClient(actor);
      const apiKeyId = await keyBehind(tx, { actor, now });
      if ((await tx.countWebhookEndpoints(client)) >= MOST_ENDPOINTS)
        throw new DomainError({ code: 'too_many_webhooks' });
      const endpoint = { client, url, types, salt: newSalt(deps), apiKeyId, createdAt: now };
      const id = await tx.insertWebhookEndpoint(endpoint);
      await recordWebhook(tx, { actor, now }, { id, action: 'webhook.create', detail: factsOf(endpoint) });
      return await findWebhook(tx, { id, actor });
    },
  };
}

interface Asked {
  readonly id: number;
  readonly actor: Actor;
}

/** Gives what waits for a paused endpoint its whole time again, in small steps: there may be very much. */
async function renewDeliveries({ store, clock }: ServiceContext, { id, actor }: Asked): Promise<void> {
  const now = clock();
  const renew = async (tx: StoreTx): Promise<number> => {
    const { pausedAt } = await findWebhook(tx, { id, actor });
    return pausedAt === null ? 0 : await tx.renewDeliveries(id, { now, limit: TOGETHER });
  };
  while ((await store.transaction(renew)) >= TOGETHER);
}

async function pause(tx: StoreTx, { id, paused }: { id: number; paused: boolean }, deed: Deed): Promise<void> {
  const { now } = deed;
  const isChanged = paused
    ? await tx.pauseWebhookEndpoint(id, { because: 'asked', now })
    : await tx.resumeWebhookEndpoint(id, now);
  if (isChanged) await recordWebhook(tx, deed, { id, action: paused ? 'webhook.pause' : 'webhook.resume', detail: {} });
}

/**
 * Changes the terms of an endpoint, and has it pause or go on; what is absent stays. Pausing a paused one changes nothing.
 * @throws DomainError `webhook_not_found`, `signing_off`, `validation_failed`, `invalid_api_key`
 */
export async function changeWebhook(
  deps: WebhookContext,
  {
    id,
    actor,
    ...wanted
  }: Asked & { url?: string | undefined; types?: readonly EventType[] | undefined; paused?: boolean | undefined },
): Promise<WebhookEndpoint> {
  const { store, clock } = deps;
  if (wanted.paused === false) await renewDeliveries(deps, { id, actor });
  return await store.transaction(async (tx) => {
    const { url, types } = await findWebhook(tx, { id, actor });
    const deed = { actor, now: clock() };
    const isChosen = wanted.url !== undefined || wanted.paused === false;
    if (isChosen) await tx.giveWebhookEndpoint(id, await keyBehind(tx, deed));
    if (wanted.url !== undefined || wanted.types !== undefined) {
      const changed = { url: wanted.url ?? url, types: wanted.types ?? types };
      throwIfInvalid(urlProblems(deps, changed.url));
      await tx.changeWebhookEndpoint(id, changed);
      await recordWebhook(tx, deed, { id, action: 'webhook.change', detail: factsOf(changed) });
    }
    if (wanted.paused !== undefined) await pause(tx, { id, paused: wanted.paused }, deed);
    return await findWebhook(tx, { id, actor });
  });
}

/** Deletes an endpoint; what is queued for it is not sent. @throws DomainError `webhook_not_found` */
export async function deleteWebhook({ store, clock }: ServiceContext, { id, actor }: Asked): Promise<void> {
  await store.transaction(async (tx) => {
    const endpoint = await findWebhook(tx, { id, actor });
    const now = clock();
    await tx.deleteWebhookEndpoint(id, now);
    await recordWebhook(tx, { actor, now }, { id, action: 'webhook.delete', detail: factsOf(endpoint) });
  });
}

/** The secret of an endpoint. @throws DomainError `webhook_not_found`, `signing_off` */
export async function readSecret(deps: WebhookContext, asked: Asked): Promise<string> {
  const { salt } = await findWebhook(deps.store, asked);
  return requireSender(deps).secretOf(salt);
}

/** The salt behind another one, for a request under this key: no response is kept that would hold the secret. */
function saltBehind(salt: string, key: string): string {
  return createHash('sha256')
    .update(`${salt} ${key}`)
    .digest('hex')
    .slice(0, 2 * SALT_BYTES);
}

/**
 * Gives an endpoint a new secret; for a day the old one signs as well. A repeated request under its key changes nothing: it would end the
 * secret that the receiver still has.
 * @param asked.key the idempotency key; null for a request that is not repeated
 * @throws DomainError as {@link readSecret}
 */
export async function rotateSecret(
  deps: WebhookContext,
  { id, actor, key }: Asked & { key: string | null },
): Promise<{ secret: string; isRepeat: boolean }> {
  const sender = requireSender(deps);
  const fresh = newSalt(deps);
  const done = await deps.store.transaction(async (tx) => {
    const { salt: current, oldSalt } = await findWebhook(tx, { id, actor });
    if (key !== null && oldSalt !== null && saltBehind(oldSalt, key) === current)
      return { salt: current, isRepeat: true };
    const salt = key === null ? fresh : saltBehind(current, key);
    const now = deps.clock();
    await tx.rotateWebhookSalt(id, { salt, now });
    await recordWebhook(tx, { actor, now }, { id, action: 'webhook.rotate', detail: {} });
    return { salt, isRepeat: false };
  });
  return { secret: sender.secretOf(done.salt), isRepeat: done.isRepeat };
}

export type TestAnswer = { readonly status: number } | { readonly status: null; readonly error: string };

/** How often a test looks for its place among the requests that are under way, and how many times. */
const LOOKS = { everyMs: 250, most: 20 };

/** The place of a test among the requests to endpoints; null when none gets free in some seconds. */
async function takeSlot({ store, clock, newId, sleep }: WebhookContext, endpointId: number): Promise<TakenSlot | null> {
  for (let looks = 1; ; looks += 1) {
    const now = clock();
    const request = { endpointId, lease: newId(), now, until: now + TELL_TIMING.leaseMs };
    const slot = await store.transaction((tx) => tx.takeSlot(request), NARROW);
    if (slot !== null || looks >= LOOKS.most || !(await sleep(LOOKS.everyMs))) return slot;
  }
}

async function answerTo(test: Promise<number>): Promise<TestAnswer> {
  try {
    return { status: await test };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return error.status === undefined
      ? { status: null, error: error.message.replace(/^it /u, '') }
      : { status: error.status };
  }
}

const BUSY = 'was not asked, because other requests to webhooks are still under way: try again in a minute';

/**
 * Sends an endpoint a test, also a paused one, as one of the requests that its client may have under way.
 * @throws DomainError as {@link readSecret}
 */
export async function testWebhook(deps: WebhookContext, asked: Asked): Promise<TestAnswer> {
  const { store, clock, newId } = deps;
  const endpoint = await findWebhook(store, asked);
  const sender = requireSender(deps);
  const slot = await takeSlot(deps, endpoint.id);
  if (slot === null) return { status: null, error: BUSY };
  try {
    return await answerTo(sender.test(endpoint, `test_${newId()}`));
  } finally {
    await store.transaction((tx) => tx.freeSlot({ ...slot, now: clock() }), NARROW);
  }
}

/**
 * Queues deliveries of released events to an endpoint again, the first ones, so that {@link MOST_REPLAYED} at most are queued.
 * @returns how many
 * @throws DomainError `webhook_not_found`, or `invalid_request` while it is paused, or has as many queued
 */
export async function replayEvents(
  { store, clock }: ServiceContext,
  { id, actor, which }: Asked & { which: ReplayRequest['which'] },
): Promise<number> {
  await store.transaction(async (tx) => {
    const { pausedAt } = await findWebhook(tx, { id, actor });
    if (pausedAt !== null) throw invalidRequest(`Webhook ${id} is paused: resume it first`);
    if ((await tx.countQueuedReplays(id)) >= MOST_REPLAYED) {
      throw invalidRequest(
        `Webhook ${id} has ${MOST_REPLAYED} events still to be sent again: wait until it has taken some`,
      );
    }
    await recordWebhook(tx, { actor, now: clock() }, { id, action: 'webhook.replay', detail: which });
  });
  let [count, after] = [0, 0];
  for (;;) {
    const done = await store.transaction(async (tx) => {
      const limit = Math.min(TOGETHER, MOST_REPLAYED - (await tx.countQueuedReplays(id)));
      if (limit <= 0) return { count: 0, last: null };
      return await tx.replayEvents({ endpointId: id, which, after, limit, now: clock() });
    });
    count += done.count;
    if (done.last === null || count >= MOST_REPLAYED) return count;
    after = done.last;
  }
}
