import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReceiver, type ReceiverEvent } from '../../sandbox/receiver.ts';
import { secretText, signedHeaders } from '../../src/endpoints/secrets.ts';
import { type Listening, listen } from '../support/listen.ts';

const NOW = 1_800_000_000_000;
const SECRET = new Uint8Array(32).fill(7);
const seen: ReceiverEvent[] = [];
let subscribed: unknown;
/** What a service says of a new webhook, and of its secret. */
const service = createServer(async (request, response) => {
  if (request.method === 'POST') subscribed = JSON.parse(await text(request));
  response.end(JSON.stringify({ data: request.method === 'POST' ? { id: 3 } : { secret: secretText(SECRET) } }));
});
let receiver: ReturnType<typeof createReceiver>;
let served: Listening;
let url: string;

beforeAll(async () => {
  served = await listen(service);
  const observe = (event: ReceiverEvent) => void seen.push(event);
  const at = { service: served.url, apiKey: 'gck_test' };
  receiver = createReceiver({ ...at, clock: () => NOW, observe });
  await receiver.start(0);
  url = (subscribed as { url: string }).url;
});

afterAll(async () => {
  await receiver.stop();
  await served.close();
});

function send(id: string, options: { at?: number; secret?: Uint8Array } = {}): Promise<Response> {
  const { at = NOW, secret = SECRET } = options;
  const body = JSON.stringify({ id, type: 'gig.created', seq: 5, data: { gig_id: 8, status: 'created' } });
  const headers = signedHeaders({ id, seconds: Math.floor(at / 1_000), body }, [secret]);
  return fetch(url, { method: 'POST', headers, body });
}

test('behavior: the receiver subscribes to the events of all clients, and counts each once', async () => {
  const events = expect.stringMatching(/^http:\/\/127\.0\.0\.1:[0-9]+\/events$/);
  expect(subscribed).toEqual({ url: events, all_clients: true });
  expect((await send('evt_1')).status).toBe(204);
  expect((await send('evt_1')).status).toBe(204);
  const arrival = { id: 'evt_1', type: 'gig.created', seq: 5, gigId: 8 };
  expect(receiver.seen()).toEqual({ isUp: true, arrivals: [arrival] });
  expect(seen).toEqual([false, true].map((isRepeat) => ({ type: 'arrived', arrival, isRepeat })));
});

test('security: the receiver takes nothing that its webhook’s secret did not sign just now', async () => {
  expect((await send('evt_2', { secret: new Uint8Array(32) })).status).toBe(401);
  expect((await send('evt_2', { at: NOW - 600_000 })).status).toBe(401);
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
  expect(receiver.seen().arrivals).toHaveLength(1);
});

test('behavior: a receiver that is taken down takes no connection, and then does again, at the same address', async () => {
  await receiver.takeDown(300);
  expect(receiver.seen().isUp).toBe(false);
  await expect(send('evt_3')).rejects.toThrow();
  await expect.poll(() => receiver.seen().isUp).toBe(true);
  expect((await send('evt_3')).status).toBe(204);
  expect(seen.map(({ type }) => type).slice(-3)).toEqual(['down', 'up', 'arrived']);
});
