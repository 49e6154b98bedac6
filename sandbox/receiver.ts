import { timingSafeEqual } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Hono } from 'hono';
import { z } from 'zod';
import { signedHeaders } from '../src/endpoints/secrets.ts';
import type { NetworkEnv } from './networks/faults.ts';
import { createNetworkServer } from './networks/server.ts';

const FRESH_MS = 300_000;
/** A moment later the port is free again. */
const AGAIN_MS = 100;

const eventBody = z.object({
  id: z.string(),
  type: z.string(),
  seq: z.int(),
  data: z.looseObject({ gig_id: z.int() }),
});
const created = z.object({ data: z.object({ id: z.int() }) });
const secretAnswer = z.object({ data: z.object({ secret: z.string() }) });

/** An event that arrived, and its place among all. */
export interface Arrival {
  readonly id: string;
  readonly type: string;
  readonly seq: number;
  readonly gigId: number;
}

/** What became of the receiver, or came to it. */
export type ReceiverEvent =
  | { readonly type: 'down'; readonly ms: number }
  | { readonly type: 'up' }
  | { readonly type: 'arrived'; readonly arrival: Arrival; readonly isRepeat: boolean };

/** What the receiver has taken so far. */
export interface Reception {
  readonly isUp: boolean;
  /** In the order in which they arrived first. */
  readonly arrivals: readonly Arrival[];
}

/** A client's program that takes the events of all gigs, and can be taken down for a while. */
export interface Receiver {
  /** Listens, creates its webhook and reads the webhook's secret. @throws Error when the service refuses */
  start(port: number): Promise<void>;
  /** Takes no connection for so long; answers at once. */
  takeDown(ms: number): Promise<void>;
  seen(): Reception;
  stop(): Promise<void>;
}

/**
 * A receiver of events as a client would write one: it believes what is signed by its webhook's secret, and knows repeats by their ids.
 * @param options.apiKey with the scopes `operator` and `webhooks:write`
 */
export function createReceiver(options: {
  service: string;
  apiKey: string;
  /** The machine's, epoch ms: what is signed has its time. */
  clock: () => number;
  observe?: (event: ReceiverEvent) => void;
}): Receiver {
  const { service, apiKey, clock, observe } = options;
  const arrivals = new Map<string, Arrival>();
  let secret = new Uint8Array();
  let port = 0;
  let isUp = false;
  let isStopped = false;
  let downs = 0;

  async function call(path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`${service}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return await answer.json();
  }

  function isSigned(header: (name: string) => string | undefined, body: string): boolean {
    const [id = '', seconds = Number.NaN] = [header('webhook-id'), Number(header('webhook-timestamp'))];
    if (!(Math.abs(clock() - seconds * 1_000) < FRESH_MS)) return false;
    const wanted = Buffer.from(signedHeaders({ id, seconds, body }, [secret])['webhook-signature']);
    const given = (header('webhook-signature') ?? '').split(' ').map((text) => Buffer.from(text));
    return given.some((one) => one.length === wanted.length && timingSafeEqual(one, wanted));
  }

  const app = new Hono<NetworkEnv>();
  app.post('/events', async (c) => {
    const body = await c.req.text();
    if (!isSigned((name) => c.req.header(name), body)) return c.body(null, 401);
    const { id, type, seq, data } = eventBody.parse(JSON.parse(body));
    const arrival = { id, type, seq, gigId: data.gig_id };
    const isRepeat = arrivals.has(id);
    if (!isRepeat) arrivals.set(id, arrival);
    observe?.({ type: 'arrived', arrival, isRepeat });
    return c.body(null, 204);
  });
  const server = createNetworkServer(app);

  async function comeBack(down: number): Promise<void> {
    while (down === downs && !isStopped && !isUp) {
      isUp = await server.start(port).then(
        () => true,
        () => false,
      );
      if (!isUp) await wait(AGAIN_MS);
    }
    if (isUp) observe?.({ type: 'up' });
  }

  return {
    start: async (wanted) => {
      const url = await server.start(wanted);
      port = Number(new URL(url).port);
      isUp = true;
      const webhook = created.parse(await call('/api/webhooks', { url: `${url}/events`, all_clients: true }));
      const answer = secretAnswer.parse(await call(`/api/webhooks/${webhook.data.id}/secret`));
      secret = new Uint8Array(Buffer.from(answer.data.secret.replace(/^whsec_/u, ''), 'base64'));
    },
    takeDown: async (ms) => {
      downs += 1;
      const down = downs;
      isUp = false;
      await server.stop();
      observe?.({ type: 'down', ms });
      setTimeout(() => void comeBack(down), ms).unref();
    },
    seen: () => ({ isUp, arrivals: [...arrivals.values()] }),
    stop: async () => {
      isStopped = true;
      await server.stop();
    },
  };
}
