import { z } from 'zod';
import { AdapterError } from '../../domain/errors.ts';
import type { RegisteredWebhook, WebhookRegistration } from '../../domain/mentions/mention.ts';
import { badAnswer } from '../failure.ts';
import type { XClient, XOptions } from './client.ts';
import { xId } from './id.ts';
import {
  anyAnswer,
  findSubscriptions,
  listXWebhooks,
  SUBSCRIBED_EVENTS,
  type Subscription,
  webhookFor,
  type XWebhook,
} from './subscription.ts';

/** X's documented refusal of another webhook when the app has reached its limit, which is one for a pay-per-use app. */
function isOverLimit(error: unknown): error is AdapterError {
  return error instanceof AdapterError && error.message.includes('WebhookLimitExceeded');
}

async function createWebhook(client: XClient, url: string, others: readonly XWebhook[]): Promise<void> {
  try {
    await client.callAsApp({ what: 'register the webhook', answer: anyAnswer }, (sdk) =>
      sdk.v2.post('webhooks', { url }),
    );
  } catch (error) {
    if (!isOverLimit(error)) throw error;
    const there = others.map((each) => `${each.id} for ${each.url}`).join(', ');
    const message = `X allows this app no more webhooks (WebhookLimitExceeded); it has ${there === '' ? 'some that it does not list' : there}. See \`npm run admin -- webhooks list\`, delete the one that is not needed with \`npm run admin -- webhooks delete x <id>\`, then register again`;
    throw new AdapterError({ reason: 'rejected', retry: 'never', message, cause: error });
  }
}

/** X challenges the URL of a new webhook and of an existing one. */
async function keepWebhook(client: XClient, url: string): Promise<XWebhook> {
  const webhooks = await listXWebhooks(client);
  const known = webhookFor(url, webhooks);
  if (known === undefined) {
    await createWebhook(client, url, webhooks);
  } else {
    // X documents no body here. The SDK sends `{}` when none is given, and no body for an empty one.
    await client.callAsApp({ what: 'validate the webhook', answer: anyAnswer }, (sdk) =>
      sdk.v2.put(`webhooks/${known.id}`, Buffer.alloc(0)),
    );
  }
  const kept = webhookFor(url, await listXWebhooks(client));
  if (kept === undefined) {
    throw badAnswer({ network: 'X', what: 'register the webhook', sends: false }, 'it does not list the webhook');
  }
  if (!kept.valid) {
    const message = `X reports the webhook for ${url} as invalid: its challenge was not answered correctly`;
    throw new AdapterError({ reason: 'rejected', retry: 'never', message });
  }
  return kept;
}

/** X's refusal of a duplicate: documented as a 409, also seen as a 400. */
function isDuplicate(error: unknown): boolean {
  if (!(error instanceof AdapterError)) return false;
  return error.reason === 'duplicate' || (error.reason === 'rejected' && /duplicate|already/i.test(error.message));
}

interface Wanted {
  readonly event: string;
  readonly botUserId: string;
  readonly webhookId: string;
}

async function createSubscription(client: XClient, { event, botUserId, webhookId }: Wanted): Promise<void> {
  const body = { event_type: event, filter: { user_id: botUserId }, webhook_id: webhookId, tag: 'gigclaim' };
  // As the bot: these events are private to its account.
  await client.call({ what: `subscribe to ${event}`, answer: anyAnswer }, (sdk) =>
    sdk.v2.post('activity/subscriptions', body),
  );
}

async function deleteSubscription(client: XClient, { event_type, subscription_id }: Subscription): Promise<void> {
  const what = `delete the subscription to ${event_type}`;
  try {
    await client.callAsApp({ what, answer: z.unknown() }, (sdk) =>
      sdk.v2.delete(`activity/subscriptions/${subscription_id}`),
    );
  } catch (error) {
    // A subscription that is already gone counts as deleted.
    if (!(error instanceof AdapterError && error.reason === 'not_found')) throw error;
  }
}

/** X has always answered a move with a 503, so the subscription is then created anew. */
async function moveSubscription(client: XClient, wanted: Wanted, from: Subscription): Promise<void> {
  const body = { webhook_id: wanted.webhookId, tag: 'gigclaim' };
  try {
    const what = `move the subscription to ${wanted.event}`;
    await client.callAsApp({ what, answer: anyAnswer }, (sdk) =>
      sdk.v2.put(`activity/subscriptions/${from.subscription_id}`, body),
    );
  } catch (error) {
    const hopeless = error instanceof AdapterError && ['unauthorized', 'payment_required'].includes(error.reason);
    if (!(error instanceof AdapterError) || hopeless) throw error;
    await deleteSubscription(client, from);
    await createSubscription(client, wanted);
  }
}

async function subscribe(client: XClient, wanted: Wanted, known: readonly Subscription[]): Promise<void> {
  const same = known.filter(({ event_type }) => event_type === wanted.event);
  if (same.some(({ webhook_id }) => webhook_id === wanted.webhookId)) return;
  try {
    await createSubscription(client, wanted);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const [elsewhere] = same;
    // No listed subscription: another process has created it since.
    if (elsewhere !== undefined) await moveSubscription(client, wanted, elsewhere);
  }
}

/**
 * Makes X deliver the bot's mentions and replies to `url` (docs.x.com, x-api/webhooks and x-api/activity). X challenges
 * the URL meanwhile, so the service must be running there.
 */
export async function registerXWebhook(
  client: XClient,
  { botUserId, botUsername }: XOptions,
  url: string,
): Promise<WebhookRegistration> {
  const { id: webhookId } = await keepWebhook(client, url);
  const known = await findSubscriptions(client, botUserId);
  for (const event of SUBSCRIBED_EVENTS) await subscribe(client, { event, botUserId, webhookId }, known);
  const detail = `X delivers ${SUBSCRIBED_EVENTS.join(' and ')} of @${botUsername} to ${url}`;
  return { detail, next: '', secret: null };
}

/** The app's webhooks, each with the bot's events that it receives. */
export async function listRegisteredXWebhooks(client: XClient, botUserId: string): Promise<RegisteredWebhook[]> {
  const webhooks = await listXWebhooks(client);
  const subscriptions = await findSubscriptions(client, botUserId);
  return webhooks.map(({ id, url, valid }) => ({
    id,
    url,
    active: valid,
    events: subscriptions.filter(({ webhook_id }) => webhook_id === id).map(({ event_type }) => event_type),
  }));
}

/** Deletes a webhook of the app; its subscriptions stay, and registering another webhook moves them. */
export async function deleteXWebhook(client: XClient, id: string): Promise<void> {
  if (!xId.safeParse(id).success) {
    throw new AdapterError({ reason: 'not_found', retry: 'never', message: `X has no webhook ${id}` });
  }
  await client.callAsApp({ what: 'delete the webhook', answer: z.unknown() }, (sdk) => sdk.v2.delete(`webhooks/${id}`));
}
