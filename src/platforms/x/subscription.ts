import { z } from 'zod';
import { readAll } from '../pages.ts';
import { entriesOf, lenient } from '../payload.ts';
import type { XClient } from './client.ts';
import { xId } from './id.ts';

/** The events that the bot needs: posts that name it in their own text, and direct replies to its posts. */
export const SUBSCRIBED_EVENTS = ['post.mention.create', 'post.reply.create'] as const;

const SUBSCRIPTIONS_A_PAGE = 100;
/** X allows an app 1,500 subscriptions. */
const MAX_PAGES = 20;

const webhook = z.object({ id: xId, url: z.string(), valid: z.boolean() });
const webhooksAnswer = z.object({ data: entriesOf(webhook).optional() });

const subscription = z.object({
  subscription_id: xId,
  event_type: z.string(),
  filter: z.object({ user_id: z.string().optional() }),
  webhook_id: z.string().nullish(),
});
const subscriptionsAnswer = z.object({
  data: entriesOf(subscription).optional(),
  meta: lenient(z.object({ next_token: z.string().nullish() })),
});

/** X reports the outcome of a change in several shapes, so callers check the list afterwards. */
export const anyAnswer = z.record(z.string(), z.unknown());

export type XWebhook = z.infer<typeof webhook>;

export type Subscription = z.infer<typeof subscription>;

/** The app's webhooks. */
export async function listXWebhooks(client: XClient): Promise<XWebhook[]> {
  const request = { what: 'list the webhooks', answer: webhooksAnswer };
  return (await client.callAsApp(request, (sdk) => sdk.v2.get('webhooks'))).data ?? [];
}

/** The webhook for `url`, a valid one first, or undefined. */
export function webhookFor(url: string, webhooks: readonly XWebhook[]): XWebhook | undefined {
  const ours = webhooks.filter((each) => each.url === url);
  return ours.find(({ valid }) => valid) ?? ours[0];
}

/** The app's subscriptions to the events that the bot needs, for any webhook. */
export async function findSubscriptions(client: XClient, botUserId: string): Promise<Subscription[]> {
  const what = 'list the subscriptions';
  const found = await readAll(
    {
      call: { network: 'X', what, sends: false },
      most: MAX_PAGES,
      read: (cursor) =>
        client.callAsApp({ what, answer: subscriptionsAnswer }, (sdk) =>
          sdk.v2.get('activity/subscriptions', {
            max_results: SUBSCRIPTIONS_A_PAGE,
            pagination_token: cursor ?? undefined,
          }),
        ),
      next: ({ meta }) => meta?.next_token,
    },
    ({ data }) => data ?? [],
  );
  const wanted: readonly string[] = SUBSCRIBED_EVENTS;
  return found.filter(({ event_type, filter }) => wanted.includes(event_type) && filter.user_id === botUserId);
}
