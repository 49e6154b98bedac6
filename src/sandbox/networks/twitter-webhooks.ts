import { createHmac, randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import { z } from 'zod';
import type { NetworkEnv } from './faults.ts';

const FIRST_ID = 1_900_000_000_000_000_000n;
const created = z.strictObject({ url: z.url().max(200) });
const subscribed = z.strictObject({
  event_type: z.enum(['post.mention.create', 'post.reply.create', 'post.quote.create']),
  filter: z.strictObject({ user_id: z.string() }),
  webhook_id: z.string(),
  tag: z.string().max(200).optional(),
});
const moved = z.strictObject({ webhook_id: z.string().optional(), tag: z.string().max(200).optional() });

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

/** X's error body. */
export function problem(status: number, title: string, detail: string, type = 'about:blank') {
  return { title, detail, type, status };
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
}): TwitterWebhooks {
  const { appSecret, botUserId, clock } = options;
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
  const invalid = (error: z.ZodError) => problem(400, 'Invalid Request', z.prettifyError(error));
  const missing = problem(404, 'Not Found Error', 'No such webhook');

  const routes = new Hono<NetworkEnv>();
  routes.post('/webhooks', async (c) => {
    const body = created.safeParse(await c.req.json().catch(() => null));
    if (!body.success) return c.json(invalid(body.error), 400);
    if ([...webhooks.values()].some(({ url }) => url === body.data.url)) {
      return c.json(problem(400, 'DuplicateUrlFailed', 'The URL is registered already'), 400);
    }
    if (!(await passesChallenge(body.data.url, appSecret))) {
      return c.json(problem(400, 'CrcValidationFailed', 'The webhook did not answer the challenge'), 400);
    }
    return c.json({ data: register(body.data.url) });
  });
  routes.get('/webhooks', (c) => c.json({ data: [...webhooks.values()], meta: { result_count: webhooks.size } }));
  routes.put('/webhooks/:id', async (c) => {
    const webhook = webhooks.get(c.req.param('id'));
    if (webhook === undefined) return c.json(missing, 404);
    const valid = await passesChallenge(webhook.url, appSecret);
    webhooks.set(webhook.id, { ...webhook, valid });
    return valid
      ? c.json({ data: { valid } })
      : c.json(problem(400, 'CrcValidationFailed', 'The webhook did not answer the challenge'), 400);
  });
  routes.delete('/webhooks/:id', (c) => {
    const deleted = webhooks.delete(c.req.param('id'));
    return deleted ? c.json({ data: { deleted } }) : c.json(missing, 404);
  });
  routes.post('/activity/subscriptions', async (c) => {
    const body = subscribed.safeParse(await c.req.json().catch(() => null));
    if (!body.success) return c.json(invalid(body.error), 400);
    const { event_type, filter, webhook_id } = body.data;
    if (!webhooks.has(webhook_id)) return c.json(missing, 404);
    const known = [...subscriptions.values()].some(
      (each) => each.event_type === event_type && each.filter.user_id === filter.user_id,
    );
    if (known) return c.json(problem(409, 'Conflict', 'There is such a subscription already'), 409);
    const subscription = { ...body.data, subscription_id: nextId() };
    subscriptions.set(subscription.subscription_id, subscription);
    return c.json({ data: { subscription } });
  });
  routes.put('/activity/subscriptions/:id', async (c) => {
    const body = moved.safeParse(await c.req.json().catch(() => null));
    if (!body.success) return c.json(invalid(body.error), 400);
    const known = subscriptions.get(c.req.param('id'));
    const { webhook_id = known?.webhook_id ?? '', tag = known?.tag } = body.data;
    if (known === undefined || !webhooks.has(webhook_id)) return c.json(missing, 404);
    const subscription = { ...known, webhook_id, tag };
    subscriptions.set(known.subscription_id, subscription);
    return c.json({ data: { subscription, total_subscriptions: subscriptions.size } });
  });
  routes.get('/activity/subscriptions', (c) => c.json({ data: [...subscriptions.values()] }));

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
