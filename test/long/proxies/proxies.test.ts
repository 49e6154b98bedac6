import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { SERVICE_PATIENCE } from '../../../src/http/patience.ts';
import { bothPlatforms, castEvent, signFarcaster } from '../../http/platforms.ts';
import { type ServedService, serveService } from '../../http/serve.ts';
import { listen } from '../../support/listen.ts';
import { send, sendHttp2 } from './client.ts';
import { type Front, openFronts, WAYS, type Way } from './fronts.ts';

// The settings of docs/operate/proxies.md, run by the machine's own nginx and Caddy.

const PROXIES = ['nginx', 'caddy'] as const;
const LIMIT = 1_000;
const MOST_BYTES = 65_536;

/** The service as in production, with proxies before it. */
async function open(trusted: string) {
  const { trustedProxies } = loadConfig({ TRUSTED_PROXIES: trusted });
  const config = { trustedProxies, rateLimitPerMinute: LIMIT };
  const service = await serveService({ platforms: await bothPlatforms(), config }, SERVICE_PATIENCE);
  const fronts = await openFronts(service.port);
  return {
    service,
    fronts,
    async close() {
      await fronts.close();
      await service.close();
    },
  };
}

let casts = 0;

/** A webhook of a new cast, of so many bytes. */
function webhook(bytes = 2_000) {
  casts += 1;
  const hash = `0x${String(casts).padStart(40, '0')}`;
  const short = Buffer.byteLength(castEvent({ hash, text: '@gigclaim ' }));
  const body = castEvent({ hash, text: `@gigclaim ${'x'.repeat(bytes - short)}` });
  const headers = { 'x-neynar-signature': signFarcaster(body) };
  return { hash, sent: { method: 'POST', path: '/webhooks/farcaster', headers, body } };
}

const isStored = async ({ store }: ServedService, hash: string) =>
  (await store.mentionByPost('farcaster', hash)) !== null;

type Opened = Awaited<ReturnType<typeof open>>;

/** What ends a connection that a proxy keeps to the service, and the answer to a webhook that is sent just then. */
async function watchIdle({ service, fronts }: Opened, way: Way, socket: Socket) {
  const endedBy = await new Promise((resolve) => {
    socket.once('end', () => resolve('the proxy')).once('close', () => resolve('the service'));
  });
  const { hash, sent } = webhook();
  const { status } = await send(fronts.front(way), sent);
  return { endedBy, status, isStored: await isStored(service, hash) };
}

/** How many requests a client has left after this one. */
async function remaining(front: Front, from: string, forwarded?: string | string[]): Promise<number> {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  const answer = await send(front, { path: '/api/claim?identifiers=1', from, headers });
  return Number(answer.headers['ratelimit-remaining']);
}

let usual: Opened;
let counted: Opened;
/** Its connections are left alone. */
let quiet: Opened;
let idle: Promise<unknown>[];
beforeAll(async () => {
  [usual, counted, quiet] = [await open('127.0.0.1'), await open('2'), await open('loopback')];
  idle = [];
  for (const way of PROXIES) {
    const connected = once(quiet.service.server, 'connection');
    const { status } = await send(quiet.fronts.front(way), webhook().sent);
    expect(status).toBe(200);
    const [socket] = (await connected) as [Socket];
    idle.push(watchIdle(quiet, way, socket));
  }
});
afterAll(() => Promise.all([usual, counted, quiet].map((opened) => opened?.close())));

describe.each(WAYS)('behind %s', (way) => {
  let front: Front;
  beforeAll(() => {
    front = usual.fronts.front(way);
  });
  /** An address of loopback that no other test has. */
  const client = (number: number) => `127.1.${WAYS.indexOf(way)}.${number}`;

  test('behavior: a webhook of the greatest size is stored, in one piece, in chunks, asked for first, and by HTTP/2', async () => {
    const ways = [
      (sent: object) => send(front, sent),
      (sent: object) => send(front, { ...sent, isChunked: true }),
      (sent: object) => sendHttp2(front, sent),
    ];
    for (const deliver of ways) {
      const { hash, sent } = webhook(MOST_BYTES);
      expect(await deliver(sent)).toMatchObject({ status: 200, text: '{"ok":true}' });
      expect(await isStored(usual.service, hash)).toBe(true);
    }
    const { sent } = webhook(MOST_BYTES);
    const expecting = { ...sent, headers: { ...sent.headers, expect: '100-continue' } };
    expect(await send(front, expecting)).toMatchObject({ status: 200, isContinued: true });
  });

  test.each([MOST_BYTES + 1, 1_000_000])(
    'error: a body of %s bytes is refused by the service, not by the proxy',
    async (bytes) => {
      for (const isChunked of [false, true]) {
        const { hash, sent } = webhook(bytes);
        const { status, headers, text } = await send(front, { ...sent, isChunked });
        const told = { code: 'body_too_large', error: 'Body is larger than 65536 bytes' };
        expect([status, headers['content-type'], JSON.parse(text)]).toEqual([
          413,
          'application/json',
          expect.objectContaining(told),
        ]);
        expect(await isStored(usual.service, hash)).toBe(false);
      }
    },
  );

  test('behavior: a HEAD gets the length of a GET, and no body', async () => {
    const headers = { 'accept-encoding': 'identity' };
    const whole = await send(front, { path: '/api/openapi.json', headers });
    const head = await send(front, { method: 'HEAD', path: '/api/openapi.json', headers });
    expect([whole.status, head.status, head.text]).toEqual([200, 200, '']);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(whole.text)));
  });

  test('security: the operator’s paths are closed', async () => {
    for (const path of ['/metrics', '/ready', '/admin', '/admin/gigs']) {
      const { status, headers } = await send(front, { path });
      expect([path, status, headers['x-request-id']]).toEqual([path, 404, undefined]);
    }
    expect((await send(front, { path: '/gigs' })).headers['x-request-id']).toBeDefined();
  });

  test('security: each client is counted alone, whatever it writes into X-Forwarded-For', async () => {
    expect(await remaining(front, client(1))).toBe(LIMIT - 1);
    expect(await remaining(front, client(2))).toBe(LIMIT - 1);
    const forged = ['203.0.113.1', '127.0.0.1', 'unknown', '', ['203.0.113.1', '203.0.113.2'], '10.0.0.1,'.repeat(300)];
    for (const [index, forwarded] of forged.entries()) {
      expect(await remaining(front, client(1), forwarded)).toBe(LIMIT - 2 - index);
    }
    expect(await remaining(front, client(2))).toBe(LIMIT - 2);
  });
});

test('security: two proxies that are counted name the client', async () => {
  const front = counted.fronts.front('nginx behind caddy');
  expect(await remaining(front, '127.0.0.11')).toBe(LIMIT - 1);
  expect(await remaining(front, '127.0.0.11', '203.0.113.1')).toBe(LIMIT - 2);
  expect(await remaining(front, '127.0.0.12')).toBe(LIMIT - 1);
});

describe('connections that were idle for a minute', () => {
  test('error: a proxy sends no webhook again that it sent on a connection which is being closed', async () => {
    const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
    let requests = 0;
    const closing = await listen(
      createServer((socket) => {
        let isUsed = false;
        socket
          .on('error', () => undefined)
          .on('data', (data) => {
            if (!String(data).startsWith('POST')) return;
            requests += 1;
            if (isUsed) socket.destroy();
            else socket.write(ok);
            isUsed = true;
          });
      }),
    );
    const fronts = await openFronts(closing.port);
    for (const way of PROXIES) {
      requests = 0;
      const post = async () => (await send(fronts.front(way), webhook().sent)).status;
      expect([await post(), await post(), requests]).toEqual([200, 502, 2]);
    }
    await fronts.close();
    await closing.close();
  });

  test('behavior: are closed by the proxies before the service does, and no webhook is lost', async () => {
    const kept = { endedBy: 'the proxy', status: 200, isStored: true };
    expect(await Promise.all(idle)).toEqual(PROXIES.map(() => kept));
  });
});
