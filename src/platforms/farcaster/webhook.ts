import { z } from 'zod';
import type { RegisteredWebhook, WebhookRegistration } from '../../domain/mention.ts';
import type { FarcasterOptions, NeynarClient } from './client.ts';

const SECRETS = 'NEYNAR_WEBHOOK_SECRETS';

/** The events that the bot needs, as Neynar's filters of `cast.created` name them. */
export const CAST_EVENTS = ['mentioned_fids', 'parent_author_fids'] as const;

const fids = z.array(z.number()).optional().catch(undefined);
const castFilters = z.object({ mentioned_fids: fids, parent_author_fids: fids }).optional();
const listAnswer = z.object({
  webhooks: z.array(
    z.object({
      webhook_id: z.string(),
      target_url: z.string(),
      active: z.boolean(),
      subscription: z
        .object({ filters: z.object({ 'cast.created': castFilters }) })
        .optional()
        .catch(undefined),
    }),
  ),
});

/** The webhooks of the API key, each with the filters that name the bot. */
export async function listFarcasterWebhooks(client: NeynarClient, botFid: number): Promise<RegisteredWebhook[]> {
  const { webhooks } = await client.call({ what: 'list the webhooks', answer: listAnswer }, (sdk) =>
    sdk.fetchWebhooks(),
  );
  return webhooks.map(({ webhook_id, target_url, active, subscription }) => {
    const filters = subscription?.filters['cast.created'];
    const events = CAST_EVENTS.filter((name) => filters?.[name]?.includes(botFid) === true);
    return { id: webhook_id, url: target_url, active, events };
  });
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
  webhook: z
    .object({ webhook_id: z.string(), active: z.boolean(), secrets: z.array(secret).optional().catch(undefined) })
    .optional(),
});

type Kept = z.infer<typeof keptAnswer>['webhook'];

/** The secrets that the webhook may sign with at `now` (epoch ms). */
function currentSecrets(webhook: Kept, now: number): string[] {
  return (webhook?.secrets ?? [])
    .filter(({ deleted_at }) => deleted_at === null || deleted_at === undefined)
    .filter(({ expires_at }) => !(Date.parse(expires_at ?? '') <= now))
    .map(({ value }) => value);
}

/** Creates the webhook for `url`, or updates the existing one. */
async function keep(client: NeynarClient, options: FarcasterOptions, url: string): Promise<Kept> {
  const name = `gigclaim: mentions of @${options.botUsername}`;
  const fids = [options.botFid];
  // The first two filters are combined with "or"; the third excludes the bot's own casts in any case.
  const filters = { mentioned_fids: fids, parent_author_fids: fids, exclude_author_fids: fids };
  const subscription = { 'cast.created': filters };
  const webhooks = await listFarcasterWebhooks(client, options.botFid);
  const ours = webhooks.filter((webhook) => webhook.url === url);
  const known = ours.find(({ active }) => active) ?? ours[0];
  if (known === undefined) {
    const made = await client.call({ what: 'create the webhook', answer: keptAnswer }, (sdk) =>
      sdk.publishWebhook({ name, url, subscription }),
    );
    return made.webhook;
  }
  const webhookId = known.id;
  const { webhook } = await client.call({ what: 'change the webhook', answer: keptAnswer }, (sdk) =>
    sdk.updateWebhook({ webhookId, name, url, subscription }),
  );
  if (!known.active) {
    await client.call({ what: 'activate the webhook', answer: keptAnswer }, (sdk) =>
      sdk.updateWebhookActiveStatus({ webhookId, active: 'true' }),
    );
  }
  return webhook;
}

/** Makes Neynar deliver casts that mention the bot or reply to it, except its own, to `url`. */
export async function registerFarcasterWebhook(
  client: NeynarClient,
  options: FarcasterOptions,
  url: string,
): Promise<WebhookRegistration> {
  const secrets = currentSecrets(await keep(client, options, url), options.clock());
  const detail = `Neynar delivers mentions of and replies to FID ${options.botFid} to ${url}`;
  const missing = secrets.find((value) => !options.webhookSecrets.includes(value));
  if (missing !== undefined) {
    const next = `Add the webhook's secret to ${SECRETS}, separated from others by a comma, and restart the service.`;
    return { detail, next, secret: missing };
  }
  const next = `Copy the webhook's secret from dev.neynar.com, under Webhooks, into ${SECRETS} and restart the service.`;
  return { detail, next: secrets.length > 0 ? '' : next, secret: null };
}
