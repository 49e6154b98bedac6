import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import type { Store } from '../../../../src/store/port/index.ts';
import { seedGig, seedTips } from '../../../support/store.ts';
import { serve, service } from '../../serve.ts';
import { label } from '../../service.ts';
import { refusal, told } from '../../terms.ts';

afterEach(() => service.close());

const look = (query: string, headers: Record<string, string> = {}) =>
  fetch(`${service.origin}/api/claim?${query}`, { headers });
const requestLines = () => service.lines.filter(({ msg }) => msg === 'request');

interface Found {
  readonly data: Record<
    string,
    { readonly tips: readonly { readonly id: number; readonly platform_user_id: string }[] }
  >;
}

async function tipIds(response: Promise<Response>): Promise<number[]> {
  const { data } = (await (await response).json()) as Found;
  return Object.values(data).flatMap(({ tips }) => tips.map(({ id }) => id));
}

const fid = (platformUserId: string) => ({ platform: 'farcaster' as const, platformUserId, amount: 1n });

describe('a claim look-up on the server', () => {
  test('behavior: many at once are each answered with their own', async () => {
    await serve();
    const gig = await seedGig(service.store);
    const people = Array.from({ length: 40 }, (_, index) => String(9_000 + index));
    await seedTips(service.store, gig, people.map(fid));
    for (let round = 0; round < 3; round += 1) {
      const found = await Promise.all(people.map((person) => tipIds(look(`identifiers=${person}`))));
      expect(found).toEqual(people.map((_, index) => [index + 1]));
    }
  });

  test('behavior: has the headers that the app gives, and its length', async () => {
    await serve({ config: { rateLimitPerMinute: 10 } });
    const query = 'identifiers=8004%2C%40alice&x=1';
    const onWire = await look(query, { 'x-request-id': 'mine', origin: 'https://example.com' });
    const byApp = await service.app.request(`/api/claim?${query}`, { headers: { 'x-request-id': 'mine' } });
    const body = await byApp.text();
    expect(await onWire.text()).toBe(body);
    const { connection, 'keep-alive': _, date, ...rest } = Object.fromEntries(onWire.headers);
    expect(connection).toBe('keep-alive');
    expect(date).toBeDefined();
    expect(rest).toEqual({ ...Object.fromEntries(byApp.headers), 'content-length': String(body.length) });
    expect(rest['x-request-id']).toBe('mine');
  });

  test('behavior: the length counts bytes', async () => {
    await serve();
    const gig = await seedGig(service.store);
    await label(service.store, 'farcaster', '8004', 'zoé');
    await seedTips(service.store, gig, [fid('8004')]);
    for (let round = 0; round < 2; round += 1) {
      const response = await look('identifiers=8004');
      const bytes = await response.arrayBuffer();
      expect(response.headers.get('content-length')).toBe(String(bytes.byteLength));
      expect(new TextDecoder().decode(bytes)).toContain('"zoé"');
    }
  });

  test('behavior: warns of a proxy that is not believed, once', async () => {
    await serve();
    for (let times = 0; times < 3; times += 1) await look('identifiers=1', { 'x-forwarded-for': '203.0.113.1' });
    const said = service.lines.filter(({ level, msg }) => level === 'warn' && String(msg).includes('TRUSTED_PROXIES'));
    expect(said).toHaveLength(1);
  });

  test('behavior: is logged without its query, and measured', async () => {
    await serve();
    await look('identifiers=private_handle', { 'x-request-id': 'one' });
    await look('identifiers=private_handle', { 'x-request-id': 'not sane' });
    expect(requestLines()).toEqual([
      expect.objectContaining({ level: 'info', requestId: 'one', method: 'GET', path: '/api/claim', status: 200 }),
      expect.objectContaining({ level: 'info', requestId: 'id-1', method: 'GET', path: '/api/claim', status: 200 }),
    ]);
    expect(service.logText()).not.toContain('private_handle');
    const metrics = await (await fetch(`${service.origin}/metrics`)).text();
    expect(metrics).toContain('http_request_duration_seconds_count{method="GET",route="/api/claim",status="200"} 2');
  });

  test('security: counts against the limit of its client, first and repeated look-ups alike', async () => {
    await serve({ config: { rateLimitPerMinute: 3 } });
    const remaining = async (query: string) => (await look(query)).headers.get('ratelimit-remaining');
    expect(await remaining('identifiers=8004')).toBe('2');
    expect(await remaining('identifiers=8004')).toBe('1');
    expect(await remaining('identifiers=8005')).toBe('0');
    for (const query of ['identifiers=8004', 'identifiers=8006']) {
      const refused = await look(query);
      expect(await told(refused)).toEqual(refusal(429, 'Too many requests: at most 3 a minute are allowed'));
      expect(refused.headers.get('retry-after')).not.toBeNull();
    }
  });

  test('security: above the limit nothing is looked up', async () => {
    let reads = 0;
    const wrap = (store: Store) => ({
      ...store,
      pendingTipsSince: (...args: Parameters<Store['pendingTipsSince']>) => {
        reads += 1;
        return store.pendingTipsSince(...args);
      },
    });
    await serve({ wrap, config: { rateLimitPerMinute: 2 } });
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, index) => look(`identifiers=${index + 1}`)));
    expect(statuses.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(reads).toBe(2);
  });

  test('security: who is gone before the answer has been counted', async () => {
    await serve({ config: { rateLimitPerMinute: 10 } });
    const socket = connect(service.port, '127.0.0.1');
    socket.write(`${'GET /api/claim?identifiers=1 HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(4)}JUNK\r\n\r\n`);
    await text(socket);
    expect((await look('identifiers=1')).headers.get('ratelimit-remaining')).toBe('5');
  });

  test.each(['a b', 'a/b', 'user:pw@a', 'a?b', '[::1', 'a:99999'])(
    'error: a host that is none (%s) is refused in words',
    async (host) => {
      await serve();
      const socket = connect(service.port, '127.0.0.1');
      socket.write(`GET /api/claim?identifiers=1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      const answer = await text(socket);
      expect(answer).toContain('HTTP/1.1 400 Bad Request');
      expect(answer).toContain('x-content-type-options: nosniff');
      expect(answer).toMatch(/x-request-id: \S+/);
      expect(answer).toContain(
        '{"error":"The request line or the Host header is malformed: send a path in the request line, and only the host in the Host header","code":"malformed_http"',
      );
    },
  );

  test('security: behind a proxy the last hop is the client', async () => {
    await serve({ config: { rateLimitPerMinute: 1, trustedProxies: 1 } });
    const asked = async (hops: string) => (await look('identifiers=1', { 'x-forwarded-for': hops })).status;
    expect(await asked('203.0.113.9, 198.51.100.1')).toBe(200);
    expect(await asked('203.0.113.9, 198.51.100.2')).toBe(200);
    expect(await asked('203.0.113.7, 198.51.100.1')).toBe(429);
  });

  test('error: a wrong one is answered, counted and logged once', async () => {
    await serve({ config: { rateLimitPerMinute: 10 } });
    const response = await look('identifiers=no%20name');
    expect(await told(response)).toEqual(refusal(400, expect.stringContaining('"no name"')));
    expect(response.headers.get('ratelimit-remaining')).toBe('9');
    expect(requestLines()).toEqual([expect.objectContaining({ status: 400 })]);
  });

  test('error: a store that cannot be read is told of, and the next look-up works', async () => {
    let broken = false;
    const wrap = (store: Store) => ({
      ...store,
      pendingTipsSince: (...args: Parameters<Store['pendingTipsSince']>) => {
        if (broken) throw new Error('disk I/O error');
        return store.pendingTipsSince(...args);
      },
    });
    await serve({ wrap });
    broken = true;
    const responses = await Promise.all([look('identifiers=8004'), look('identifiers=8005')]);
    expect(responses.map(({ status }) => status)).toEqual([500, 500]);
    broken = false;
    expect((await look('identifiers=8004')).status).toBe(200);
  });

  test('behavior: HEAD, a preflight, a path beside it and a missing query are answered as what they are', async () => {
    await serve();
    const url = `${service.origin}/api/claim?identifiers=8004`;
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    expect((await fetch(url, { method: 'OPTIONS', headers: { origin: 'https://example.com' } })).status).toBe(204);
    expect((await fetch(`${service.origin}/api/claimx?identifiers=8004`)).status).toBe(404);
    expect((await fetch(`${service.origin}/api/claim`)).status).toBe(400);
  });

  test('behavior: clients that leave without waiting harm nobody, and requests sent ahead are answered in order', async () => {
    await serve();
    const ask = (identifiers: string) => `GET /api/claim?identifiers=${identifiers} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const leave = async () => {
      const socket = connect(service.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(ask('8004').repeat(3));
      socket.resetAndDestroy();
    };
    await Promise.all(Array.from({ length: 100 }, leave));
    const socket = connect(service.port, '127.0.0.1');
    const last = 'GET /api/claim?identifiers=8005 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    socket.write(ask('8004') + ask('no-name') + ask('8005') + last);
    const answers = [...(await text(socket)).matchAll(/HTTP\/1\.1 ([0-9]+)/g)].map(([, status]) => status);
    expect(answers).toEqual(['200', '400', '200', '200']);
  });
});
