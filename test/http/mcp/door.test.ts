import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { type ServedService, serve as serveIt, service } from '../serve.ts';
import type { ServiceOptions } from '../service.ts';
import { connectAgent, REVISIONS } from './agents.ts';

afterEach(() => service.close());

async function serve(options: ServiceOptions = {}): Promise<ServedService> {
  await serveIt(options);
  return service;
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

async function post({ origin }: ServedService, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code];
const call = (name: string, args: object) => ({ ...LIST, method: 'tools/call', params: { name, arguments: args } });

/** The result of a call by a message that no SDK would write. */
async function resultOf(answer: Response): Promise<{ isError?: boolean; text: string }> {
  const [, data = ''] = /^data: (.*)$/m.exec(await answer.text()) ?? [];
  const { result }: { result: { isError?: boolean; content: { text: string }[] } } = JSON.parse(data);
  return { ...(result.isError === undefined ? {} : { isError: result.isError }), text: result.content[0]?.text ?? '' };
}

test.each(['GET', 'DELETE'])('error: %s is 405', async (method) => {
  const { origin } = await serve();
  const answer = await fetch(`${origin}/mcp`, { method });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
});

test.each(['https://evil.example', 'null', 'http://gigclaim.test:8080', 'https://gigclaim.test'])(
  'security: a page of %s is 403',
  async (origin) => {
    expect(await codeOf(await post(await serve(), LIST, { origin }))).toEqual([403, 'foreign_origin']);
  },
);

test('security: a page of this service, and a program without an origin, are served', async () => {
  const served = await serve();
  expect((await post(served, LIST, { origin: 'http://gigclaim.test' })).status).toBe(200);
  const answer = await post(served, LIST);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
});

const INSPECTOR = 'http://localhost:6274';

test('security: a page of an origin that the operator allows is served, and others are not', async () => {
  const served = await serve({ config: { mcpOrigins: [INSPECTOR] } });
  const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
  const preflight = async (origin: string) => {
    const answer = await fetch(`${served.origin}/mcp`, { method: 'OPTIONS', headers: { origin, ...asked } });
    const allowed = ['origin', 'methods', 'headers'].map((name) => answer.headers.get(`access-control-allow-${name}`));
    return [answer.status, ...allowed];
  };
  expect(await preflight(INSPECTOR)).toEqual([204, INSPECTOR, 'POST', 'authorization, *']);
  expect(await preflight('https://evil.example')).toEqual([405, null, null, null]);
  const answer = await post(served, LIST, { origin: INSPECTOR });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, INSPECTOR]);
  expect(answer.headers.get('vary')?.toLowerCase()).toContain('origin');
  const denied = await post(served, [LIST], { origin: INSPECTOR });
  expect([denied.status, denied.headers.get('access-control-allow-origin')]).toEqual([400, INSPECTOR]);
  expect(await codeOf(await post(served, LIST, { origin: 'https://evil.example' }))).toEqual([403, 'foreign_origin']);
});

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const REVISED = {
  '2025-11-25': { message: LIST, headers: {} },
  '2026-07-28': {
    message: { ...LIST, params: { _meta: MODERN } },
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
  },
};

describe.each(REVISIONS)('a message of the revision %s', (revision) => {
  test.each([
    ['application/json', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
    ['*/*', 'application/json'],
    ['application/*;q=0.8', 'application/json'],
    [null, 'application/json'],
  ])('behavior: that accepts %s is answered with %s', async (accept, type) => {
    const { message, headers } = REVISED[revision];
    const { origin } = await serve();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(`${origin}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers, ...(accept === null ? {} : { accept }) },
      });
      sent.once('response', resolve).once('error', reject).end(JSON.stringify(message));
    });
    const body = await text(answer);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, type]);
    const json = type === 'application/json' ? body : (/^data: (.*)$/m.exec(body)?.[1] ?? '');
    expect(JSON.parse(json)).toMatchObject({ jsonrpc: '2.0', id: 1, result: { tools: expect.any(Array) } });
  });
});

test('security: a separator of lines in a text cuts no answer short', async () => {
  const served = await serve();
  const asked = call('none\u2028data: {}\u2029', {});
  const answer = await post(served, asked, { accept: 'application/json' });
  expect(await answer.json()).toMatchObject({ error: { message: `There is no tool ${asked.params.name}` } });
});

test('security: a message is at most 256 KiB, and one in a request', async () => {
  const served = await serve();
  const padded = (bytes: number) => JSON.stringify(LIST).padEnd(bytes);
  expect((await post(served, padded(256 * 1024))).status).toBe(200);
  expect(await codeOf(await post(served, padded(256 * 1024 + 1)))).toEqual([413, 'body_too_large']);
  expect(await codeOf(await post(served, [LIST, LIST]))).toEqual([400, 'invalid_request']);
  expect(await codeOf(await post(served, `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`))).toEqual([
    400,
    'invalid_request',
  ]);
  expect((await post(served, '{')).status).toBe(400);
});

test('security: a number that would lose digits on the way is refused', async () => {
  const served = await serve();
  const message = JSON.stringify(call('createGig', { amount: 'AMOUNT', idempotency_key: 'a' }));
  const sent = message.replace('"AMOUNT"', '1.00000000000000000001');
  const { isError, text } = await resultOf(await post(served, sent, { 'x-api-key': served.key }));
  expect(isError).toBe(true);
  expect(text).toContain('amount has more digits than a JSON number holds: send it as a string');
});

test('security: a connection that its client wants closed is closed after a call', async () => {
  const { origin } = await serve();
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const sent = request(`${origin}/mcp`, { method: 'POST', headers, agent: false });
  sent.end(JSON.stringify(call('listGigTypes', {})));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  expect([answer.statusCode, answer.headers.connection]).toEqual([200, 'close']);
  answer.resume();
  await once(answer, 'end');
});

test.each([
  ['id', { toString: 1, valueOf: 1 }],
  ['id', { a: 1 }],
  ['id', [[1]]],
  ['cursor', { toString: null }],
])('security: an argument %s that is %j is refused, not converted', async (name, value) => {
  const args = { id: 1, [name]: value };
  const served = await serve();
  const { isError, text } = await resultOf(await post(served, call('listTips', args), { 'x-api-key': served.key }));
  expect([isError, JSON.parse(text)]).toEqual([
    true,
    { error: `${name} must be text or a number`, code: 'invalid_request', request_id: expect.any(String) },
  ]);
});

test('security: a message that is nested deeply is refused', async () => {
  const served = await serve();
  const args = (depth: number) => JSON.parse(`${'['.repeat(depth)}1${']'.repeat(depth)}`);
  const answer = await post(served, call('createGig', { amount: args(3_000), idempotency_key: 'a' }));
  expect(await codeOf(answer)).toEqual([400, 'invalid_request']);
});

test('security: a failure of the service is told in its fixed words', async () => {
  const apiKeyByHash = async () => {
    throw new Error('secret words');
  };
  const served = await serve({ wrap: (store) => ({ ...store, apiKeyByHash }) });
  const answer = await post(served, LIST, { 'x-api-key': served.key });
  expect([answer.status, await answer.json()]).toEqual([
    500,
    { error: 'Internal server error', code: 'internal', request_id: expect.any(String) },
  ]);
});

test('security: nothing is listened to for longer than a request', async () => {
  const served = await serve();
  const agent = await connectAgent(served, '2026-07-28');
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
  const listen = {
    ...LIST,
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true }, _meta: MODERN },
  };
  const answer = await post(served, listen, headers);
  expect(await answer.text()).toContain('limit');
  await agent.close();
});

describe('the rate limit', () => {
  test('security: counts a call once, for the address that it comes from', async () => {
    const served = await serve({ config: { rateLimitPerMinute: 3, trustedProxies: 1 } });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const left = async (address: string) => {
      const answer = await post(served, call('listGigTypes', {}), from(address));
      return [answer.status, answer.headers.get('ratelimit-remaining')];
    };
    expect(await left('192.0.2.1')).toEqual([200, '2']);
    expect(await left('192.0.2.1')).toEqual([200, '1']);
    expect(await left('192.0.2.1')).toEqual([200, '0']);
    expect(await left('192.0.2.1')).toEqual([429, '0']);
    expect(await left('192.0.2.2')).toEqual([200, '2']);
    const direct = await fetch(`${served.origin}/api/gigs`, { headers: from('192.0.2.2') });
    expect(direct.headers.get('ratelimit-remaining')).toBe('1');
  });

  test('security: no header makes a request an inner one', async () => {
    const served = await serve({ config: { rateLimitPerMinute: 1 } });
    const headers = { 'x-inner': 'true', isinner: 'true' };
    expect((await fetch(`${served.origin}/api/gigs`, { headers })).status).toBe(200);
    expect((await fetch(`${served.origin}/api/gigs`, { headers })).status).toBe(429);
  });
});

test.each(REVISIONS)(
  'behavior: a call of %s has the id of its request in the log and in the refusal',
  async (revision) => {
    const served = await serve();
    const agent = await connectAgent(served, revision, { 'x-request-id': 'mine-1' });
    const { text } = await agent.call('showGig', { id: 987_654 });
    expect(JSON.parse(text)).toEqual({
      error: 'Gig with id 987654 not found',
      code: 'gig_not_found',
      request_id: 'mine-1',
    });
    const lines = served.lines.filter(({ requestId, path }) => requestId === 'mine-1' && path === '/api/gigs/987654');
    expect(lines).toMatchObject([{ method: 'GET', status: 404 }]);
    await agent.close();
  },
);
