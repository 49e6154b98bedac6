import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Store } from '../../src/store/port/index.ts';
import { bothPlatforms, castEvent, postEvent, signFarcaster, signTwitter } from './platforms.ts';
import { serve, service } from './serve.ts';
import type { ServiceOptions } from './service.ts';
import { refusal, told } from './terms.ts';

const open = async (options: ServiceOptions = {}) => serve({ platforms: await bothPlatforms(), ...options });
afterEach(() => service.close());

const deliver = (body: string, headers: Record<string, string> = { 'x-neynar-signature': signFarcaster(body) }) =>
  fetch(`${service.origin}/webhooks/farcaster`, { method: 'POST', headers, body });
const deliverX = (body: string, signature = signTwitter(body)) =>
  fetch(`${service.origin}/webhooks/twitter`, {
    method: 'POST',
    headers: { 'x-twitter-webhooks-signature': signature },
    body,
  });
const stored = async () => (await service.store.mentions({ limit: 100 })).map(({ postId }) => postId);
const requestLines = () => service.lines.filter(({ msg, method }) => msg === 'request' && method === 'POST');
const counted = async (outcome: string) => {
  const metrics = await (await fetch(`${service.origin}/metrics`)).text();
  const line = new RegExp(`webhooks_total\\{platform="farcaster",outcome="${outcome}"\\} ([0-9]+)`).exec(metrics);
  return Number(line?.[1] ?? 0);
};

const CAST = '0x00000000000000000000000000000000000000c1';
const POST = '2080765813578191303';

describe('a delivery to the server', () => {
  test('behavior: a signed one of either network is on disk when it is answered', async () => {
    await open();
    const cast = await deliver(castEvent());
    expect([cast.status, await cast.text()]).toEqual([200, '{"ok":true}']);
    expect(await stored()).toEqual([CAST]);
    expect(service.woken()).toBe(1);
    const post = await deliverX(postEvent());
    expect([post.status, await post.text()]).toEqual([200, '{"ok":true}']);
    expect(await stored()).toEqual([POST, CAST]);
  });

  test('behavior: a redelivery is answered as well, stored once and wakes nobody', async () => {
    await open();
    const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(castEvent())));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await stored()).toEqual([CAST]);
    expect(service.woken()).toBe(1);
    expect([await counted('stored'), await counted('nothing_new')]).toEqual([1, 19]);
  });

  test('behavior: has the headers that the app gives, its length, and one line in the log', async () => {
    await open();
    const body = castEvent();
    const headers = { 'x-neynar-signature': signFarcaster(body), 'x-request-id': 'mine' };
    const onWire = await deliver(body, headers);
    const byApp = await service.app.request('/webhooks/farcaster', { method: 'POST', headers, body });
    const { connection: _, 'keep-alive': _kept, date: _date, ...rest } = Object.fromEntries(onWire.headers);
    expect(rest).toEqual({ ...Object.fromEntries(byApp.headers), 'content-length': '11' });
    const line = { level: 'info', requestId: 'mine', method: 'POST', path: '/webhooks/farcaster', status: 200 };
    expect(requestLines()).toEqual([expect.objectContaining(line), expect.objectContaining(line)]);
    expect(service.lines).toContainEqual(expect.objectContaining({ msg: 'mention stored', requestId: 'mine' }));
  });

  test('behavior: a body without a length is stored', async () => {
    await open();
    const body = castEvent();
    const chunks = new Blob([body]).stream();
    const headers = { 'x-neynar-signature': signFarcaster(body) };
    const init = { method: 'POST', headers, body: chunks, duplex: 'half' } as const;
    expect((await fetch(`${service.origin}/webhooks/farcaster`, init)).status).toBe(200);
    expect(await stored()).toEqual([CAST]);
  });

  test('behavior: a body that comes in many pieces is one body', async () => {
    await open();
    const body = castEvent({ text: `@gigclaim ${'é'.repeat(20_000)}` });
    expect((await deliver(body)).status).toBe(200);
    expect((await service.store.mentions({ limit: 1 }))[0]?.text).toBe(`@gigclaim ${'é'.repeat(20_000)}`);
  });

  test.each([
    ['none', undefined],
    ['of another body', signFarcaster('{}')],
    ['of X', signTwitter(castEvent())],
    ['twice', `${signFarcaster(castEvent())}, ${signFarcaster(castEvent())}`],
  ])(
    'security: with a signature that is wrong (%s) it is refused once, and nothing is stored',
    async (_, signature) => {
      await open();
      const answer = await deliver(castEvent(), signature === undefined ? {} : { 'x-neynar-signature': signature });
      expect(await told(answer)).toEqual(refusal(401, 'Invalid signature'));
      expect(await stored()).toEqual([]);
      expect(await counted('bad_signature')).toBe(1);
      expect(requestLines()).toHaveLength(1);
    },
  );

  test('error: a signed body that is not JSON', async () => {
    await open();
    const answer = await deliver('{"data":');
    expect(await told(answer)).toEqual(refusal(400, 'Body is not valid JSON'));
    expect(await counted('unreadable')).toBe(1);
  });

  test('error: one that is too large is refused unread', async () => {
    await open();
    const answer = await deliver(castEvent({ text: 'x'.repeat(70_000) }));
    expect(answer.status).toBe(413);
    expect(await stored()).toEqual([]);
  });

  test('error: when the store cannot keep it, it is asked for again, and then kept', async () => {
    let broken = true;
    let tries = 0;
    const wrap = (store: Store): Store => ({
      ...store,
      storeMentions: (mentions, arrival) => {
        tries += 1;
        return broken ? Promise.reject(new Error('disk full')) : store.storeMentions(mentions, arrival);
      },
    });
    await open({ wrap });
    const refused = await deliver(castEvent());
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await counted('failed')).toBe(1);
    expect(tries).toBe(1);
    expect(service.logText()).toContain('disk full');
    broken = false;
    expect((await deliver(castEvent())).status).toBe(200);
    expect(await stored()).toEqual([CAST]);
  });

  test('error: one that breaks off leaves nothing, and the next is taken', async () => {
    await open();
    const socket = connect(service.port, '127.0.0.1');
    await once(socket, 'connect');
    const head = ['POST /webhooks/farcaster HTTP/1.1', 'Host: a', 'Content-Length: 1000', 'x-neynar-signature: 00'];
    socket.write(`${head.join('\r\n')}\r\n\r\n{"data":`);
    // By then the head has been read.
    expect((await fetch(`${service.origin}/health`)).status).toBe(200);
    socket.destroy();
    await vi.waitFor(() => expect(requestLines()).toEqual([expect.objectContaining({ status: 400 })]));
    expect(service.logText()).toContain('request body was cut off');
    expect((await deliver(castEvent())).status).toBe(200);
    expect(await stored()).toEqual([CAST]);
  });

  test('security: a platform that is off has no webhook', async () => {
    await open({ platforms: new Map() });
    expect((await deliver(castEvent())).status).toBe(404);
  });
});
