import { z } from 'zod';
import { AdapterError } from '../domain/errors.ts';
import type { WebhookRegistration } from '../domain/mention.ts';
import { badAnswer } from './failure.ts';
import type { TwitterClient, TwitterOptions } from './twitter-client.ts';
import { twitterId } from './twitter-id.ts';

/** What the bot has to hear of: posts that name it in their own text, and direct replies to its own. */
export const SUBSCRIBED_EVENTS = ['post.mention.create', 'post.reply.create'] as const;

const webhook = z.object({ id: twitterId, url: z.string(), valid: z.boolean() });
const webhooksAnswer = z.object({ data: z.array(webhook).optional() });

const subscription = z.object({
  subscription_id: twitterId,
  event_type: z.string(),
  filter: z.object({ user_id: z.string().optional() }),
  webhook_id: z.string().nullish(),
});
const subscriptionsAnswer = z.object({ data: z.array(subscription).optional() });

/** X shows the outcome in several shapes; what counts is what it lists afterwards. */
const anyAnswer = z.record(z.string(), z.unknown());

type Webhook = z.infer<typeof webhook>;
type Subscription = z.infer<typeof subscription>;

/** The app's webhook for `url`, a valid one first, or undefined. */
export async function findWebhook(client: TwitterClient, url: string): Promise<Webhook | undefined> {
  const { data } = await client.callAsApp({ what: 'list the webhooks', answer: webhooksAnswer }, (sdk) =>
    sdk.v2.get('webhooks'),
  );
  const ours = (data ?? []).filter((each) => each.url === url);
  return ours.find(({ valid }) => valid) ?? ours[0];
}

/** The app's subscriptions to what the bot has to hear of, whichever webhook they go to. */
export async function findSubscriptions(client: TwitterClient, botUserId: string): Promise<Subscription[]> {
  const { data } = await client.callAsApp({ what: 'list the subscriptions', answer: subscriptionsAnswer }, (sdk) =>
    sdk.v2.get('activity/subscriptions'),
  );
  const wanted: readonly string[] = SUBSCRIBED_EVENTS;
  return (data ?? []).filter(({ event_type, filter }) => wanted.includes(event_type) && filter.user_id === botUserId);
}

/** Makes the webhook, or lets X validate the one that is there again. Either way X challenges the URL meanwhile. */
async function keepWebhook(client: TwitterClient, url: string): Promise<Webhook> {
  const known = await findWebhook(client, url);
  if (known === undefined) {
    await client.callAsApp({ what: 'register the webhook', answer: anyAnswer }, (sdk) =>
      sdk.v2.post('webhooks', { url }),
    );
  } else {
    await client.callAsApp({ what: 'validate the webhook', answer: anyAnswer }, (sdk) =>
      sdk.v2.put(`webhooks/${known.id}`),
    );
  }
  const kept = await findWebhook(client, url);
  if (kept === undefined) {
    throw badAnswer({ network: 'X', what: 'register the webhook', sends: false }, 'it does not list the webhook');
  }
  if (!kept.valid) {
    const message = `X holds the webhook for ${url} to be invalid: its challenge was not answered rightly there`;
    throw new AdapterError({ reason: 'rejected', retry: 'never', message });
  }
  return kept;
}

/** X's refusal of what is there already: documented as a 409, seen as a 400 as well. */
function isDuplicate(error: unknown): boolean {
  if (!(error instanceof AdapterError)) return false;
  return error.reason === 'duplicate' || (error.reason === 'rejected' && /duplicate|already/i.test(error.message));
}

async function subscribe(
  client: TwitterClient,
  wanted: { event: string; botUserId: string; webhookId: string },
  known: readonly Subscription[],
): Promise<void> {
  const same = known.filter(({ event_type }) => event_type === wanted.event);
  if (same.some(({ webhook_id }) => webhook_id === wanted.webhookId)) return;
  const body = {
    ...{ event_type: wanted.event, filter: { user_id: wanted.botUserId } },
    ...{ webhook_id: wanted.webhookId, tag: 'gigclaim' },
  };
  try {
    // As the bot: these events are private to its account.
    await client.call({ what: `subscribe to ${wanted.event}`, answer: anyAnswer }, (sdk) =>
      sdk.v2.post('activity/subscriptions', body),
    );
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const [elsewhere] = same;
    // Nothing listed to move: somebody else has made it since.
    if (elsewhere === undefined) return;
    await client.callAsApp({ what: `move the subscription to ${wanted.event}`, answer: anyAnswer }, (sdk) =>
      sdk.v2.put(`activity/subscriptions/${elsewhere.subscription_id}`, {
        webhook_id: wanted.webhookId,
        tag: 'gigclaim',
      }),
    );
  }
}

/**
 * Lets X deliver the bot's mentions and replies to `url` (docs.x.com, x-api/webhooks and x-api/activity). X challenges
 * the URL meanwhile, so the service must be running behind it.
 */
export async function registerTwitterWebhook(
  client: TwitterClient,
  { botUserId, botUsername }: TwitterOptions,
  url: string,
): Promise<WebhookRegistration> {
  const { id: webhookId } = await keepWebhook(client, url);
  const known = await findSubscriptions(client, botUserId);
  for (const event of SUBSCRIBED_EVENTS) await subscribe(client, { event, botUserId, webhookId }, known);
  const detail = `X delivers ${SUBSCRIBED_EVENTS.join(' and ')} of @${botUsername} to ${url}`;
  return { detail, next: '', secret: null };
}
