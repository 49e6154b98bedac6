import type { Cast, WebhookListResponse, WebhookResponse } from '@neynar/nodejs-sdk/build/api/index.js';
import { Hono } from 'hono';
import { z } from 'zod';
import type { ActChange } from './farcaster-acts.ts';
import { type Subscription, subscription, wantsCast, wantsChange } from './farcaster-filters.ts';
import { toWebhook } from './farcaster-objects.ts';
import type { NetworkEnv } from './faults.ts';

const created = z.strictObject({ name: z.string().min(1), url: z.url(), subscription });
const updated = created.extend({ webhook_id: z.string() });
const deleted = z.strictObject({ webhook_id: z.string() });
/** Neynar wants a string here. */
const switched = z.strictObject({ webhook_id: z.string(), active: z.enum(['true', 'false']) });

interface Registered {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly active: boolean;
  readonly filters: Subscription;
}

/** Neynar's webhooks: their routes, below `/v2/farcaster`, and whom an event goes to. */
export interface FarcasterWebhooks {
  readonly routes: Hono<NetworkEnv>;
  /** Makes this the only webhook, listening for mentions of and replies to `fid`; null for none. */
  replace(url: string | null, fid: number): void;
  /** The URLs that want this cast. */
  urlsFor(cast: Cast): string[];
  /** The URLs that want to be told of this act. */
  urlsForAct(change: ActChange): string[];
}

/** No webhook yet. `secrets` are those every webhook gets. */
export function createFarcasterWebhooks(secrets: readonly string[]): FarcasterWebhooks {
  const registered = new Map<string, Registered>();
  let count = 0;
  const show = (webhook: Registered) => toWebhook({ ...webhook, secrets });
  const keep = (webhook: Registered): WebhookResponse => {
    registered.set(webhook.id, webhook);
    return { success: true, webhook: show(webhook) };
  };
  const nextId = () => {
    count += 1;
    return `webhook-${count}`;
  };
  const urls = (wants: (filters: Subscription) => boolean) =>
    [...registered.values()].filter(({ active, filters }) => active && wants(filters)).map(({ url }) => url);
  const missing = { code: 'NotFound', message: 'Webhook not found' };

  const routes = new Hono<NetworkEnv>();
  routes.post('/webhook', async (c) => {
    const body = created.safeParse(await c.req.json().catch(() => null));
    if (!body.success) return c.json({ code: 'InvalidField', message: z.prettifyError(body.error) }, 400);
    const { name, url, subscription: filters } = body.data;
    return c.json(keep({ id: nextId(), name, url, active: true, filters }));
  });
  routes.put('/webhook', async (c) => {
    const body = updated.safeParse(await c.req.json().catch(() => null));
    if (!body.success) return c.json({ code: 'InvalidField', message: z.prettifyError(body.error) }, 400);
    const { webhook_id: id, name, url, subscription: filters } = body.data;
    const known = registered.get(id);
    return known === undefined ? c.json(missing, 404) : c.json(keep({ ...known, name, url, filters }));
  });
  routes.patch('/webhook', async (c) => {
    const body = switched.safeParse(await c.req.json().catch(() => null));
    if (!body.success) return c.json({ code: 'InvalidField', message: z.prettifyError(body.error) }, 400);
    const known = registered.get(body.data.webhook_id);
    return known === undefined ? c.json(missing, 404) : c.json(keep({ ...known, active: body.data.active === 'true' }));
  });
  routes.delete('/webhook', async (c) => {
    const body = deleted.safeParse(await c.req.json().catch(() => null));
    if (!body.success) return c.json({ code: 'InvalidField', message: z.prettifyError(body.error) }, 400);
    const known = registered.get(body.data.webhook_id);
    if (known === undefined) return c.json(missing, 404);
    registered.delete(known.id);
    const answer: WebhookResponse = { success: true, webhook: show(known) };
    return c.json(answer);
  });
  routes.get('/webhook', (c) => {
    const known = registered.get(c.req.query('webhook_id') ?? '');
    if (known === undefined) return c.json(missing, 404);
    const answer: WebhookResponse = { success: true, webhook: show(known) };
    return c.json(answer);
  });
  routes.get('/webhook/list', (c) => {
    const answer: WebhookListResponse = { webhooks: [...registered.values()].map(show) };
    return c.json(answer);
  });

  return {
    routes,
    replace: (url, fid) => {
      registered.clear();
      if (url === null) return;
      const filters = {
        'cast.created': { mentioned_fids: [fid], parent_author_fids: [fid], exclude_author_fids: [fid] },
      };
      keep({ id: nextId(), name: 'mentions', url, active: true, filters });
    },
    urlsFor: (cast) => urls((filters) => wantsCast(filters['cast.created'], cast)),
    urlsForAct: (change) => urls((filters) => wantsChange(filters, change)),
  };
}
