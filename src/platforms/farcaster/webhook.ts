import { z } from 'zod';
import type { WatchedTarget } from '../../domain/earning/act.ts';
import type { RegisteredWebhook, WebhookRegistration } from '../../domain/mentions/mention.ts';
import { entriesOf, lenient } from '../payload.ts';
import type { FarcasterOptions, NeynarClient } from './client.ts';
import { fid } from './payload.ts';
import { isSameSubscription, toSubscription } from './subscription.ts';

const SECRETS = 'NEYNAR_WEBHOOK_SECRETS';

/** The events that the bot needs, as Neynar's filters of `cast.created` name them. */
export const CAST_EVENTS = ['mentioned_fids', 'parent_author_fids'] as const;

const fids = lenient(entriesOf(fid));
const castFilters = lenient(z.looseObject({ mentioned_fids: fids, parent_author_fids: fids }));
const listAnswer = z.object({
  webhooks: entriesOf(
    z.object({
      webhook_id: z.string(),
      target_url: z.string(),
      active: z.boolean(),
      subscription: lenient(z.object({ filters: z.looseObject({ 'cast.created': castFilters }) })),
    }),
  ),
});

interface SubscribedWebhook extends RegisteredWebhook {
  readonly filters: object;
}

/** The webhooks of the API key with what they ask for. */
export async function listSubscribed(client: NeynarClient, botFid: number): Promise<SubscribedWebhook[]> {
  const { webhooks } = await client.call({ what: 'list the webhooks', answer: listAnswer }, (sdk) =>
    sdk.fetchWebhooks(),
  );
  return webhooks.map(({ webhook_id, target_url, active, subscription }) => {
    const filters = subscription?.filters ?? {};
    const cast = subscription?.filters['cast.created'];
    const events = CAST_EVENTS.filter((name) => cast?.[name]?.includes(botFid) === true);
    return { id: webhook_id, url: target_url, active, events, filters };
  });
}

/** The webhooks of the API key, each with the filters that name the bot. */
export async function listFarcasterWebhooks(client: NeynarClient, botFid: number): Promise<RegisteredWebhook[]> {
  const webhooks = await listSubscribed(client, botFid);
  return webhooks.map(({ id, url, active, events }) => ({ id, url, active, events }));
}

/** Deletes a webhook of the API key. */
export async function deleteFarcasterWebhook(client: NeynarClient, webhookId: string): Promise<void> {
  await client.call({ what: 'delete the webhook', answer: z.unknown() }, (sdk) => sdk.deleteWebhook({ webhookId }));
}

const secret = z.object({
  /** Visible ASCII without a comma, which separates secrets in the configuration. */
  value: z.string().regex(/^[!-+\--~]+$/),
  expires_at: z.string().nullish(),
  deleted_at: z.string().nullish(),
});
/** Fields that Neynar documents as optional are optional here; secrets of another shape are ignored. */
const keptAnswer = z.object({
  success: z.literal(true).optional(),
  webhook: z.object({ webhook_id: z.string(), active: z.boolean(), secrets: lenient(entriesOf(secret)) }).optional(),
});

type Kept = z.infer<typeof keptAnswer>['webhook'];

/** `now` is in epoch milliseconds. */
function currentSecrets(webhook: Kept, now: number): string[] {
  return (webhook?.secrets ?? [])
    .filter(({ deleted_at }) => deleted_at === null || deleted_at === undefined)
    .filter(({ expires_at }) => !(Date.parse(expires_at ?? '') <= now))
    .map(({ value }) => value);
}

interface Wanted {
  readonly url: string;
  readonly watched: readonly WatchedTarget[];
}

function toRequest({ botUsername, botFid }: FarcasterOptions, { url, watched }: Wanted) {
  return { name: `gigclaim: mentions of @${botUsername}`, url, subscription: toSubscription(botFid, watched) };
}

function change(client: NeynarClient, request: ReturnType<typeof toRequest> & { webhookId: string }) {
  return client.call({ what: 'change the webhook', answer: keptAnswer }, (sdk) => sdk.updateWebhook(request));
}

async function keep(client: NeynarClient, options: FarcasterOptions, wanted: Wanted): Promise<Kept> {
  const request = toRequest(options, wanted);
  const webhooks = await listFarcasterWebhooks(client, options.botFid);
  const ours = webhooks.filter(({ url }) => url === wanted.url);
  const known = ours.find(({ active }) => active) ?? ours[0];
  if (known === undefined) {
    const made = await client.call({ what: 'create the webhook', answer: keptAnswer }, (sdk) =>
      sdk.publishWebhook(request),
    );
    return made.webhook;
  }
  const webhookId = known.id;
  const { webhook } = await change(client, { ...request, webhookId });
  if (!known.active) {
    await client.call({ what: 'activate the webhook', answer: keptAnswer }, (sdk) =>
      sdk.updateWebhookActiveStatus({ webhookId, active: 'true' }),
    );
  }
  return webhook;
}

/** Replaces what the active webhook for a URL asks for, whole, when it differs; false when there is no such webhook. */
export async function updateFarcasterWebhook(
  client: NeynarClient,
  options: FarcasterOptions,
  wanted: Wanted,
): Promise<boolean> {
  const webhooks = await listSubscribed(client, options.botFid);
  const known = webhooks.find(({ url, active }) => url === wanted.url && active);
  if (known === undefined) return false;
  const request = toRequest(options, wanted);
  if (!isSameSubscription(known.filters, request.subscription))
    await change(client, { ...request, webhookId: known.id });
  return true;
}

/** Makes Neynar deliver casts that mention the bot or reply to it, and acts towards what is watched, to a URL. */
export async function registerFarcasterWebhook(
  client: NeynarClient,
  options: FarcasterOptions,
  wanted: Wanted,
): Promise<WebhookRegistration> {
  const secrets = currentSecrets(await keep(client, options, wanted), options.clock());
  const { url, watched } = wanted;
  const targets = watched.length === 1 ? '1 watched target' : `${watched.length} watched targets`;
  const also = watched.length === 0 ? '' : `, and acts towards ${targets},`;
  const detail = `Neynar delivers mentions of and replies to FID ${options.botFid}${also} to ${url}`;
  const missing = secrets.find((value) => !options.webhookSecrets.includes(value));
  if (missing !== undefined) {
    const next = `Add the webhook's secret to ${SECRETS}, separated from others by a comma, and restart the service.`;
    return { detail, next, secret: missing };
  }
  const next = `Copy the webhook's secret from dev.neynar.com, under Webhooks, into ${SECRETS} and restart the service.`;
  return { detail, next: secrets.length > 0 ? '' : next, secret: null };
}
