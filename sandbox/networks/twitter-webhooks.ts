import { createHmac, randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import { z } from 'zod';
import type { NetworkEnv } from './faults.ts';
import { invalidRequest, problem, refuse } from './twitter-problems.ts';

const FIRST_ID = 1_900_000_000_000_000_000n;
const created = z.strictObject({ url: z.url().max(200) });
const subscribed = z.strictObject({
  event_type: z.enum(['post.mention.create', 'post.reply.create', 'post.quote.create']),
  filter: z.strictObject({ user_id: z.string() }),
  webhook_id: z.string(),
  tag: z.string().max(200).optional(),
});
const moved = z.strictObject({ webhook_id: z.string().optional(), tag: z.string().max(200).optional() });
const listQuery = z.object({
  max_results: z.coerce.number().int().min(1).max(100).default(100),
  pagination_token: z.coerce.number().int().nonnegative().default(0),
});

interface Registered {
  readonly id: string;
  readonly url: string;
  readonly valid: boolean;
  readonly created_at: string;
}

/** X's webhooks and subscriptions: their routes, below `/2`, and where events go. */
export interface TwitterWebhooks {
  readonly routes: Hono<NetworkEnv>;
  /** Makes this the only webhook, valid and subscribed to everything; null for none. */
  replace(url: string | null): void;
  /** Where events of this type go: valid webhooks with a subscription. */
  urlsFor(eventType: string): string[];
}

/** Asks a webhook to sign a token, as X does; true only for a 200 with the right signature. */
async function passesChallenge(url: string, appSecret: string): Promise<boolean> {
  const token = randomBytes(32).toString('base64');
  const asked = new URL(url);
  asked.searchParams.set('crc_token', token);
  const expected = `sha256=${createHmac('sha256', appSecret).update(token).digest('base64')}`;
  try {
    const answer = await fetch(asked, { redirect: 'manual', signal: AbortSignal.timeout(10_000) });
    const body = z.object({ response_token: z.string() }).safeParse(await answer.json());
    return answer.status === 200 && body.data?.response_token === expected;
  } catch {
    // Unreachable, not JSON or too late: all of it fails the challenge.
    return false;
  }
}

/** No webhook yet. Unlike X it takes plain http and a port in the URL. */
export function createTwitterWebhooks(options: {
  appSecret: string;
  botUserId: string;
  clock: () => number;
  /** How many webhooks the app may have. */
  limit: number;
  /** Whether a subscription can be moved to another webhook; where not, X answers 503. */
  movesSubscriptions: () => boolean;
}): TwitterWebhooks {
  const { appSecret, botUserId, clock, limit } = options;
  const webhooks = new Map<string, Registered>();
  const subscriptions = new Map<string, z.infer<typeof subscribed> & { subscription_id: string }>();
  let count = 0n;
  const nextId = () => {
    count += 1n;
    return String(FIRST_ID + count);
  };
  const register = (url: string): Registered => {
    const webhook = { id: nextId(), url, valid: true, created_at: new Date(clock()).toISOString() };
    webhooks.set(webhook.id, webhook);
    return webhook;
  };
  const missing = problem(404, 'Not Found Error', 'No such webhook');
  const unanswered = invalidRequest('CrcValidationFailed: The webhook did not answer the challenge');

  const routes = new Hono<NetworkEnv>();
  routes.post('/webhooks', async (c) => {
    const body = created.safeParse(await c.req.json().catch(() => null));
    if (!body.success) return refuse(c, invalidRequest(z.prettifyError(body.error)));
    if ([...webhooks.values()].some(({ url }) => url === body.data.url)) {
      return refuse(c, invalidRequest('DuplicateUrlFailed: The URL is registered already'));
    }
    if (webhooks.size >= limit) return refuse(c, invalidRequest('WebhookLimitExceeded: '));
    if (!(await passesChallenge(body.data.url, appSecret))) return refuse(c, unanswered);
    return c.json({ data: register(body.data.url) });
  });
  routes.get('/webhooks', (c) => c.json({ data: [...webhooks.values()], meta: { result_count: webhooks.size } }));
  routes.put('/webhooks/:id', async (c) => {
    const webhook = webhooks.get(c.req.param('id'));
    if (webhook === undefined) return refuse(c, missing);
    if ((await c.req.text()) !== '') return refuse(c, invalidRequest('The request has a body'));
    const valid = await passesChallenge(webhook.url, appSecret);
    webhooks.set(webhook.id, { ...webhook, valid });
    return valid ? c.json({ data: { valid } }) : refuse(c, unanswered);
  });
  routes.delete('/webhooks/:id', (c) => {
    const deleted = webhooks.delete(c.req.param('id'));
    return deleted ? c.json({ data: { deleted } }) : refuse(c, missing);
  });
  routes.post('/activity/subscriptions', async (c) => {
    const body = subscribed.safeParse(await c.req.json().catch(() => null));
    if (!body.success) return refuse(c, invalidRequest(z.prettifyError(body.error)));
    const { event_type, filter, webhook_id } = body.data;
    if (!webhooks.has(webhook_id)) return refuse(c, missing);
    const known = [...subscriptions.values()].some(
      (each) => each.event_type === event_type && each.filter.user_id === filter.user_id,
    );
    if (known) return refuse(c, problem(409, 'Conflict', 'There is such a subscription already'));
    const subscription = { ...body.data, subscription_id: nextId() };
    subscriptions.set(subscription.subscription_id, subscription);
    return c.json({ data: { subscription } });
  });
  routes.put('/activity/subscriptions/:id', async (c) => {
    const body = moved.safeParse(await c.req.json().catch(() => null));
    if (!body.success) return refuse(c, invalidRequest(z.prettifyError(body.error)));
    const known = subscriptions.get(c.req.param('id'));
    const { webhook_id = known?.webhook_id ?? '', tag = known?.tag } = body.data;
    if (!options.movesSubscriptions()) return c.json({ code: 503, message: 'Service Unavailable' }, 503);
    if (known === undefined || !webhooks.has(webhook_id)) return refuse(c, missing);
    const subscription = { ...known, webhook_id, tag };
    subscriptions.set(known.subscription_id, subscription);
    return c.json({ data: { subscription, total_subscriptions: subscriptions.size } });
  });
  routes.delete('/activity/subscriptions/:id', (c) => {
    const deleted = subscriptions.delete(c.req.param('id'));
    return deleted ? c.json({ data: { deleted } }) : refuse(c, missing);
  });
  routes.get('/activity/subscriptions', (c) => {
    const query = listQuery.safeParse(c.req.query());
    if (!query.success) return refuse(c, invalidRequest(z.prettifyError(query.error)));
    const { max_results, pagination_token: start } = query.data;
    const data = [...subscriptions.values()].slice(start, start + max_results);
    const end = start + max_results;
    const more = end < subscriptions.size ? { next_token: String(end).padStart(16, '0') } : {};
    return c.json({ data, meta: { result_count: data.length, ...more } });
  });

  return {
    routes,
    replace: (url) => {
      webhooks.clear();
      subscriptions.clear();
      if (url === null) return;
      const { id: webhook_id } = register(url);
      for (const event_type of ['post.mention.create', 'post.reply.create'] as const) {
        const subscription_id = nextId();
        subscriptions.set(subscription_id, { subscription_id, event_type, filter: { user_id: botUserId }, webhook_id });
      }
    },
    urlsFor: (eventType) => {
      const ids = [...subscriptions.values()]
        .filter(({ event_type }) => event_type === eventType)
        .map(({ webhook_id }) => webhook_id);
      return [...webhooks.values()].filter(({ id, valid }) => valid && ids.includes(id)).map(({ url }) => url);
    },
  };
}
