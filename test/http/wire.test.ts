import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bothPlatforms, castEvent, signFarcaster } from './platforms.ts';
import { serve, service, useServed } from './serve.ts';

useServed(async () => ({ platforms: await bothPlatforms(), config: { rateLimitPerMinute: 50 } }));

const url = (path: string) => `${service.origin}${path}`;

/** Sends these bytes and answers all that comes back until the other side, or the end of the exchange, closes. */
async function raw(...parts: string[]): Promise<string> {
  const socket = connect(service.port, '127.0.0.1');
  await once(socket, 'connect');
  for (const part of parts) socket.write(part);
  return await text(socket);
}

const head = (...lines: string[]) => `${['POST /api/gigs/start HTTP/1.1', 'Host: a', ...lines].join('\r\n')}\r\n\r\n`;

test('behavior: a claim look-up over the wire has a length and the headers of every answer', async () => {
  const response = await fetch(url('/api/claim?identifiers=8004'));
  expect(response.status).toBe(200);
  const body = '{"data":{},"summary":{"total_tokens":0,"total_gigs":0}}';
  expect(await response.text()).toBe(body);
  expect(response.headers.get('content-length')).toBe(String(body.length));
  expect(response.headers.get('ratelimit-remaining')).toBe('49');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  const headOnly = await fetch(url('/api/claim?identifiers=8004'), { method: 'HEAD' });
  expect(headOnly.status).toBe(200);
  expect(await headOnly.text()).toBe('');
});

test('error: a body that announces too much is refused unread', async () => {
  const answer = await raw(
    head(`x-api-key: ${service.key}`, 'Content-Length: 65537', 'Connection: close'),
    '{"gig_id"',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(answer).toContain('{"error":"Body is larger than 65536 bytes","code":');
});

test('error: a body in chunks is counted while it comes in', async () => {
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
  const chunked = head(`x-api-key: ${service.key}`, 'Transfer-Encoding: chunked', 'Connection: close');
  // It never ends, and needs not to.
  const answer = await raw(chunked, chunk, chunk, chunk, chunk, chunk);
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(answer).toContain('{"error":"Body is larger than 65536 bytes","code":');
});

test('behavior: a small body in chunks is read', async () => {
  const answer = await raw(
    head(`x-api-key: ${service.key}`, 'Transfer-Encoding: chunked', 'Connection: close'),
    '9\r\n{"gig_id"\r\n',
    '8\r\n:987654}\r\n0\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  expect(answer).toContain('{"error":"Gig with id 987654 not found","code":');
});

test('security: without a key nothing waits for the body', async () => {
  const answer = await raw(head('Content-Length: 1000', 'Connection: close'));
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  expect(answer).toContain('{"error":"Invalid API key","code":');
});

test('error: a caller who goes away in the middle of a body is no fault of ours', async () => {
  const socket = connect(service.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`${head(`x-api-key: ${service.key}`, 'Content-Length: 1000')}{"gig_id"`);
  while ((await service.store.apiKeys()).some(({ lastUsedAt }) => lastUsedAt === null)) await sleep(5);
  socket.destroy();
  const answered = () => service.lines.find(({ msg }) => msg === 'request');
  while (answered() === undefined) await sleep(5);
  expect(answered()).toMatchObject({ status: 400 });
  expect(service.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('error: a POST that announces no body has an empty one, and the connection goes on', async () => {
  const webhook = 'POST /webhooks/farcaster HTTP/1.1\r\nHost: a\r\nx-neynar-signature: 00\r\n\r\n';
  const lookUp = 'GET /api/claim?identifiers=8004 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  const answers = await raw(head(`x-api-key: ${service.key}`) + webhook + lookUp);
  expect(answers.match(/HTTP\/1\.1 [0-9]+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 401', 'HTTP/1.1 200']);
  expect(answers).toContain('{"error":"Body is not valid JSON: send ');
  expect(answers).toContain('{"error":"Invalid signature","code":');
  expect(answers.endsWith('{"data":{},"summary":{"total_tokens":0,"total_gigs":0}}')).toBe(true);
});

test('behavior: a signed webhook over the wire is stored, in one piece or in chunks', async () => {
  const first = castEvent();
  const second = castEvent({ hash: '0x00000000000000000000000000000000000000c2', text: '@gigclaim héllo 🎉' });
  const deliver = (body: string | ReadableStream<Uint8Array>, signed: string) =>
    fetch(url('/webhooks/farcaster'), {
      method: 'POST',
      headers: { 'x-neynar-signature': signFarcaster(signed) },
      body,
      duplex: 'half',
    });
  expect((await deliver(first, first)).status).toBe(200);
  expect((await deliver(new Blob([second]).stream(), second)).status).toBe(200);
  const mentions = await service.store.mentions({ limit: 10 });
  expect(mentions.map(({ text: said }) => said)).toEqual(['@gigclaim héllo 🎉', '@gigclaim claims']);
});

test('behavior: the socket’s address is what is counted', async () => {
  const statuses = new Map<number, number>();
  for (let times = 0; times < 51; times += 1) {
    const { status } = await fetch(url('/api/claim?identifiers=1'), {
      headers: { 'x-forwarded-for': `203.0.113.${times}` },
    });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect([...statuses]).toEqual([
    [200, 50],
    [429, 1],
  ]);
});

test('behavior: the script of the docs page comes whole, and its length alone for HEAD', async () => {
  const plain = { headers: { 'accept-encoding': 'identity' } };
  const response = await fetch(url('/api/docs/redoc.js'), plain);
  const { byteLength } = await response.arrayBuffer();
  expect(byteLength).toBeGreaterThan(1_000_000);
  expect(response.headers.get('content-length')).toBe(String(byteLength));
  const headOnly = await fetch(url('/api/docs/redoc.js'), { ...plain, method: 'HEAD' });
  expect(headOnly.status).toBe(200);
  expect(headOnly.headers.get('content-length')).toBe(String(byteLength));
});

test('behavior: a HEAD that is refused before it is understood gets no body', async () => {
  const answer = await raw('HEAD gigclaim.test:443/ready HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(answer.startsWith('HTTP/1.1 400 ') && answer.endsWith('\r\n\r\n')).toBe(true);
});

test('error: a body that breaks after its request was refused gets no second answer', async () => {
  const refused =
    'POST /api/claim HTTP/1.1\r\nHost: a\r\nExpect: bogus\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n';
  const answer = await raw(refused);
  expect(answer.match(/HTTP\/1\.1 [0-9]+/g)).toEqual(['HTTP/1.1 417']);
});

const get = 'GET /api/claim?identifiers=8004 HTTP/1.1\r\nHost: a\r\n';
test.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400],
  ['a header without a colon', `${get}bogus\r\n\r\n`, 400],
  ['two lengths', head('Content-Length: 1', 'Content-Length: 2'), 400],
  ['headers of 20,000 characters', `${get}x-long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['an unknown expectation', `${get}Expect: bogus\r\n\r\n`, 417],
  ['no Host header', 'GET /health HTTP/1.1\r\n\r\n', 400],
])(
  'error: %s is refused as everything else is, with a JSON body, a request id and the security headers',
  async (_, sent, status) => {
    const answer = await raw(sent);
    const [start = '', body = ''] = answer.split('\r\n\r\n');
    const [line, ...fields] = start.split('\r\n');
    const headers = new Headers(
      fields.map((field): [string, string] => [field.split(': ')[0] ?? '', field.split(': ')[1] ?? '']),
    );
    expect(line).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`));
    expect(JSON.parse(body)).toEqual({
      error: expect.stringMatching(/^[A-Z]/),
      code: expect.stringMatching(/^[a-z_]+$/),
      request_id: headers.get('x-request-id'),
    });
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('connection')).toBe('close');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-request-id')).toMatch(/^.+$/);
  },
);

test('error: bytes that are no HTTP after an answered request are refused on their own', async () => {
  const answers = await raw(`${get}\r\n`, 'hello\r\n\r\n');
  expect(answers.match(/HTTP\/1\.1 [0-9]+/g)?.at(-1)).toBe('HTTP/1.1 400');
  expect((await fetch(url('/health'))).status).toBe(200);
  expect(service.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('error: a request that does not arrive in time is told so, and a client that is gone harms nothing', async () => {
  await service.close();
  await serve({}, { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 });
  const answer = await raw(get);
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(answer).toContain('{"error":"The request did not arrive in time","code":');
  const socket = connect(service.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('hello\r\n\r\n');
  socket.resetAndDestroy();
  await expect.poll(() => service.connections()).toBe(0);
  expect((await fetch(url('/health'))).status).toBe(200);
});
