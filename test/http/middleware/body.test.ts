import { afterEach, describe, expect, test } from 'vitest';
import { seedGig } from '../../support/store.ts';
import { NOW, service, setUp } from '../service.ts';
import { published, refusal, told } from '../terms.ts';

afterEach(() => service.close());

interface From {
  readonly address?: string;
  readonly forwarded?: string;
  readonly path?: string;
}

async function get({ address = '192.0.2.1', forwarded, path = '/api/claim?identifiers=1' }: From = {}) {
  const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return await service.app.request(path, { headers }, { incoming: { socket: { remoteAddress: address }, headers } });
}

async function statuses(times: number, from?: From): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < times; index += 1) found.push((await get(from)).status);
  return found;
}

test('behavior: the limit is told with every answer, and one more request is refused until the minute is over', async () => {
  await setUp({ config: { rateLimitPerMinute: 3 } });
  const first = await get();
  expect(first.status).toBe(200);
  expect(first.headers.get('ratelimit-limit')).toBe('3');
  expect(first.headers.get('ratelimit-remaining')).toBe('2');
  expect(first.headers.get('ratelimit-reset')).toBe('60');
  expect(first.headers.get('ratelimit-policy')).toBe('3;w=60');
  service.time.now = NOW + 20_500;
  expect(await statuses(2)).toEqual([200, 200]);
  const refused = await get();
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('40');
  expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  expect(refused.headers.get('ratelimit-reset')).toBe('40');
  expect(refused.headers.get('access-control-allow-origin')).toBe('*');
  expect(published(refused, await refused.json())).toEqual({
    error: 'Too many requests: at most 3 a minute are allowed',
  });
  service.time.now = NOW + 60_000;
  expect(await statuses(4)).toEqual([200, 200, 200, 429]);
});

test('behavior: the whole API counts together, and nothing else counts', async () => {
  await setUp({ config: { rateLimitPerMinute: 2 } });
  const start = await service.app.request('/api/gigs/start', { method: 'POST' });
  expect(start.status).toBe(401);
  expect((await service.app.request('/api/nothing')).status).toBe(404);
  expect((await service.app.request('/api/claim?identifiers=1')).status).toBe(429);
  expect((await service.app.request('/health')).status).toBe(200);
  expect((await service.app.request('/health')).headers.get('ratelimit-limit')).toBeNull();
});

test('behavior: each client is counted alone', async () => {
  await setUp({ config: { rateLimitPerMinute: 1 } });
  expect(await statuses(2, { address: '192.0.2.1' })).toEqual([200, 429]);
  expect(await statuses(2, { address: '192.0.2.2' })).toEqual([200, 429]);
});

test('security: a /64 of IPv6 is one client, and an IPv4 address in IPv6 is the IPv4 address', async () => {
  await setUp({ config: { rateLimitPerMinute: 1 } });
  expect((await get({ address: '2001:db8:1:2::1' })).status).toBe(200);
  expect((await get({ address: '2001:db8:1:2:ffff:ffff:ffff:ffff' })).status).toBe(429);
  expect((await get({ address: '2001:db8:1:3::1' })).status).toBe(200);
  expect((await get({ address: '192.0.2.7' })).status).toBe(200);
  expect((await get({ address: '::ffff:192.0.2.7' })).status).toBe(429);
  expect((await get({ address: '::ffff:c000:207' })).status).toBe(429);
});

test('security: without a trusted proxy X-Forwarded-For is not believed', async () => {
  await setUp({ config: { rateLimitPerMinute: 1 } });
  expect((await get({ forwarded: '203.0.113.1' })).status).toBe(200);
  expect((await get({ forwarded: '203.0.113.2' })).status).toBe(429);
});

test('security: behind a trusted proxy only the hop that the proxy added counts', async () => {
  await setUp({ config: { rateLimitPerMinute: 1, trustedProxies: 1 } });
  expect((await get({ forwarded: '198.51.100.1, 203.0.113.1' })).status).toBe(200);
  expect((await get({ forwarded: '198.51.100.99, 203.0.113.1' })).status).toBe(429);
  expect((await get({ forwarded: '203.0.113.1:51234' })).status).toBe(429);
  expect((await get({ forwarded: '203.0.113.2' })).status).toBe(200);
  expect((await get({ forwarded: '[2001:db8::1]:443' })).status).toBe(200);
  expect((await get({ forwarded: '2001:db8::2' })).status).toBe(429);
  // What is no address counts for the proxy itself.
  expect((await get({ forwarded: 'unknown' })).status).toBe(200);
  expect((await get({})).status).toBe(429);
});

test('error: unknown routes are 404 in JSON', async () => {
  await setUp();
  for (const [method, path] of [
    ['GET', '/api'],
    ['GET', '/api/claim/'],
    ['DELETE', '/api/gigs/started'],
    ['PUT', '/webhooks'],
    ['GET', '/favicon.png'],
  ] as const) {
    const response = await service.app.request(path, { method });
    expect({ path, status: response.status, body: published(response, await response.json()) }).toEqual({
      path,
      status: 404,
      body: { error: 'Not found' },
    });
  }
});

test('error: a body above 64 kB is refused, one of exactly 64 kB is read', async () => {
  await setUp();
  const padded = (bytes: number) => `{"gig_id":987654${' '.repeat(bytes - 16)}}`.slice(0, bytes - 1).concat('}');
  const post = (body: string) =>
    service.app.request('/api/gigs/start', { method: 'POST', headers: { 'x-api-key': service.key }, body });
  expect((await post(padded(65_536))).status).toBe(404);
  const refused = await post(padded(65_537));
  expect(await told(refused)).toEqual(refusal(413, 'Body is larger than 65536 bytes'));
});

test('error: a fault of ours says nothing of itself to the caller and everything to the log', async () => {
  await setUp({
    wrap: (store) => ({
      ...store,
      pendingTipsSince: async () => {
        throw new Error('no such table: tips', { cause: new Error('deeper') });
      },
    }),
  });
  const response = await service.app.request('/api/claim?identifiers=1');
  expect(await told(response)).toEqual(refusal(500, 'Internal server error'));
  expect(service.lines).toContainEqual(
    expect.objectContaining({
      level: 'error',
      requestId: 'id-1',
      error: expect.objectContaining({
        message: 'no such table: tips',
        stack: expect.stringContaining('body.test.ts'),
        cause: expect.objectContaining({ message: 'deeper' }),
      }),
    }),
  );
});

test('behavior: pages of other origins may read, and only read', async () => {
  await setUp();
  await seedGig(service.store);
  for (const path of ['/api/claim?identifiers=1', '/api/claim', '/api/openapi.json']) {
    const response = await service.app.request(path, { headers: { origin: 'https://example.com' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-expose-headers')).toContain('Retry-After');
  }
  const preflight = await service.app.request('/api/claim', {
    method: 'OPTIONS',
    headers: { origin: 'https://example.com', 'access-control-request-method': 'GET' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
  const start = await service.app.request('/api/gigs/start', {
    method: 'OPTIONS',
    headers: { origin: 'https://example.com', 'access-control-request-method': 'POST' },
  });
  expect(start.status).toBe(405);
  expect(start.headers.get('access-control-allow-origin')).toBeNull();
  expect((await service.start(1)).headers.get('access-control-allow-origin')).toBeNull();
});

test('security: every answer carries the security headers', async () => {
  await setUp();
  for (const path of ['/api/claim?identifiers=1', '/api/claim', '/health', '/ready', '/metrics', '/nothing']) {
    const { headers } = await service.app.request(path);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  }
});

describe('a proxy that is not believed', () => {
  const warnings = () => service.lines.filter(({ msg }) => String(msg).startsWith('requests carry X-Forwarded-For'));

  test('behavior: is warned of once an hour', async () => {
    await setUp();
    await get();
    expect(warnings()).toHaveLength(0);
    for (let times = 0; times < 5; times += 1) await get({ forwarded: `203.0.113.${times}` });
    await get({ forwarded: '203.0.113.1', path: '/gigs' });
    expect(warnings()).toEqual([expect.objectContaining({ level: 'warn' })]);
    expect(warnings()[0]?.['msg']).toContain('TRUSTED_PROXIES');
    service.time.now = NOW + 3_599_999;
    await get({ forwarded: '203.0.113.1' });
    expect(warnings()).toHaveLength(1);
    service.time.now = NOW + 3_600_000;
    await get({ forwarded: '203.0.113.1' });
    expect(warnings()).toHaveLength(2);
  });

  test('behavior: one that is believed is nothing to warn of', async () => {
    await setUp({ config: { trustedProxies: 1 } });
    await get({ forwarded: '203.0.113.1' });
    expect(warnings()).toEqual([]);
  });
});
