import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { createChains } from '../../../src/chain/registry.ts';
import { type Chain, chainById } from '../../../src/domain/chains/chain.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import { freshAddress, startAnvil } from '../../support/anvil.ts';
import { type Answer, type JsonRpcServer, serveJsonRpc } from '../../support/json-rpc.ts';

const BASE = chainById(8453) as Chain;
const NATIVE = { address: NATIVE_TOKEN_ADDRESS, isNative: true };
const TOKEN = { address: '0x00000000000000000000000000000000000000aa', isNative: false } as const;
const OWNER = '0x00000000000000000000000000000000000000bb';

let servers: JsonRpcServer[] = [];

afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});

async function serve(answer: (method: string, times: number) => Answer): Promise<JsonRpcServer> {
  const server = await serveJsonRpc(answer);
  servers.push(server);
  return server;
}

/** An endpoint of Base that is well but for what `fault` does to some methods. */
function serveBase(fault: (method: string, times: number) => Answer | undefined): Promise<JsonRpcServer> {
  return serve((method, times) => {
    const faulty = fault(method, times);
    if (faulty !== undefined) return faulty;
    if (method === 'eth_chainId') return { result: '0x2105' };
    if (method === 'eth_blockNumber') return { result: '0x10' };
    if (method === 'eth_getBalance') return { result: '0x64' };
    if (method === 'eth_getCode') return { result: '0x00' };
    return { result: `0x${'64'.padStart(64, '0')}` };
  });
}

function reader(rpcUrl: string, limits: { timeoutMs?: number; retries?: number; deadlineMs?: number } = {}) {
  return createChains({
    endpoints: [{ chain: BASE, rpcUrls: [rpcUrl] }],
    clock: () => 1_700_000_000_000,
    ...limits,
  }).reader(8453);
}

function status(code: number, options: { headers?: Record<string, string>; body?: string } = {}): Answer {
  return (response) => response.writeHead(code, options.headers).end(options.body ?? 'no');
}

function onBalance(answer: Answer) {
  return (method: string) => (method === 'eth_getBalance' ? answer : undefined);
}

describe('a well endpoint', () => {
  test('behavior: is asked for its chain id once, and for every balance in the newest block', async () => {
    const server = await serveBase(() => undefined);
    const base = reader(server.url);
    expect(await base.balance({ token: NATIVE, owner: OWNER })).toEqual({ amount: 100n, blockNumber: 16n });
    expect(await base.balance({ token: NATIVE, owner: OWNER })).toEqual({ amount: 100n, blockNumber: 16n });
    expect(server.asked).toEqual([
      'eth_chainId',
      'eth_blockNumber',
      'eth_getBalance',
      'eth_blockNumber',
      'eth_getBalance',
    ]);
    expect(base.lastSuccess()).toBe(1_700_000_000_000);
  });

  test('security: is asked for its chain id again after its connection ended, and another chain’s balances are none', async () => {
    let id = '0x2105';
    let isLast = false;
    const server = await serveBase((method) => {
      if (method === 'eth_chainId') return { result: id };
      if (method !== 'eth_getBalance' || !isLast) return undefined;
      return (response) => {
        response.setHeader('connection', 'close');
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 3, result: '0x64' }));
      };
    });
    const base = reader(server.url);
    await base.balance({ token: NATIVE, owner: OWNER });
    isLast = true;
    await base.balance({ token: NATIVE, owner: OWNER });
    id = '0x1';
    await expect(base.balance({ token: NATIVE, owner: OWNER })).rejects.toMatchObject({
      retry: 'never',
      reason: 'bad_response',
      message: 'chain base: the endpoint serves chain id 1, expected 8453',
    });
    id = '0x2105';
    isLast = false;
    expect(await base.balance({ token: NATIVE, owner: OWNER })).toEqual({ amount: 100n, blockNumber: 16n });
  });

  test('security: a ping asks for the chain id again, and notices that another chain is served', async () => {
    const server = await serveBase((method, times) =>
      method === 'eth_chainId' && times > 0 ? { result: '0x1' } : undefined,
    );
    const base = reader(server.url);
    await base.ping();
    await expect(base.ping()).rejects.toMatchObject({ retry: 'never', reason: 'bad_response' });
    await expect(base.balance({ token: NATIVE, owner: OWNER })).rejects.toMatchObject({ reason: 'bad_response' });
  });
});

describe('an endpoint that fails for the moment', () => {
  test.each([
    { text: 'HTTP 503', answer: status(503) },
    { text: 'HTTP 429 that asks for no delay', answer: status(429, { headers: { 'retry-after': '0' } }) },
    { text: 'an HTML page', answer: status(200, { headers: { 'content-type': 'text/html' }, body: '<html>' }) },
    { text: 'a null result', answer: { result: null } },
    { text: 'a dropped connection', answer: (response) => response.destroy() },
    { text: 'an internal error', answer: { error: { code: -32603, message: 'internal error' } } },
    { text: 'a block it has not seen yet', answer: { error: { code: -32602, message: 'header not found' } } },
  ] satisfies { text: string; answer: Answer }[])('behavior: is asked again after $text', async ({ answer }) => {
    const server = await serveBase((method, times) =>
      method === 'eth_getBalance' && times === 0 ? answer : undefined,
    );
    const balance = await reader(server.url).balance({ token: NATIVE, owner: OWNER });
    expect(balance.amount).toBe(100n);
  });

  test('behavior: is asked at most as often as retries allow', async () => {
    const server = await serveBase(onBalance(status(503)));
    const reading = reader(server.url, { retries: 1 }).balance({ token: NATIVE, owner: OWNER });
    await expect(reading).rejects.toMatchObject({ retry: 'safe', reason: 'server_error' });
    expect(server.asked.filter((method) => method === 'eth_getBalance')).toHaveLength(2);
  });

  test('error: is left alone when it asks for more time than there is', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'limit exceeded' } });
    const headers = { 'content-type': 'application/json', 'retry-after': '60' };
    const server = await serveBase(onBalance(status(429, { headers, body })));
    const reading = reader(server.url, { deadlineMs: 50_000 }).balance({ token: NATIVE, owner: OWNER });
    await expect(reading).rejects.toMatchObject({
      name: 'AdapterError',
      retry: 'safe',
      reason: 'rate_limited',
      retryAfterMs: 60_000,
    });
    expect(server.asked).toEqual(['eth_chainId', 'eth_blockNumber', 'eth_getBalance']);
  });

  test('error: a date in Retry-After counts from now', async () => {
    // The clock stands at 2023-11-14 22:13:20 UTC.
    const headers = { 'retry-after': 'Tue, 14 Nov 2023 22:14:20 GMT' };
    const server = await serveBase(onBalance(status(429, { headers })));
    const reading = reader(server.url).balance({ token: NATIVE, owner: OWNER });
    await expect(reading).rejects.toMatchObject({ reason: 'rate_limited', retryAfterMs: 60_000 });
  });
});

describe('an endpoint that fails', () => {
  const page = status(200, { headers: { 'content-type': 'text/html' }, body: '<html>sign in</html>' });
  const cut = status(200, { headers: { 'content-type': 'application/json' }, body: '{"jsonrpc":"2.0","res' });
  const scalar = status(200, { headers: { 'content-type': 'application/json' }, body: 'null' });
  const revert = { code: 3, message: 'execution reverted: rate limit', data: '0x' };
  test.each([
    { text: 'HTTP 401', answer: status(401), retry: 'never', reason: 'unauthorized' },
    { text: 'HTTP 402', answer: status(402), retry: 'never', reason: 'payment_required' },
    { text: 'HTTP 403', answer: status(403), retry: 'never', reason: 'forbidden' },
    { text: 'HTTP 404', answer: status(404), retry: 'never', reason: 'rejected' },
    { text: 'HTTP 502', answer: status(502), retry: 'safe', reason: 'server_error' },
    { text: 'an HTML page', answer: page, retry: 'safe', reason: 'bad_response' },
    { text: 'half a JSON body', answer: cut, retry: 'safe', reason: 'bad_response' },
    { text: 'a JSON body that is null', answer: scalar, retry: 'safe', reason: 'bad_response' },
    { text: 'a null result', answer: { result: null }, retry: 'safe', reason: 'bad_response' },
    { text: 'an empty result', answer: { result: '0x' }, retry: 'safe', reason: 'bad_response' },
    { text: 'a number that is not text', answer: { result: 100 }, retry: 'safe', reason: 'bad_response' },
    { text: 'decimal text', answer: { result: '100' }, retry: 'safe', reason: 'bad_response' },
    { text: 'more than 256 bits', answer: { result: `0x1${'0'.repeat(64)}` }, retry: 'safe', reason: 'bad_response' },
    {
      text: 'an unknown method',
      answer: { error: { code: -32601, message: 'x' } },
      retry: 'never',
      reason: 'rejected',
    },
    { text: 'an error without a code', answer: { error: { message: 'x' } }, retry: 'safe', reason: 'server_error' },
    { text: 'a rate limit', answer: { error: { code: -32016, message: 'x' } }, retry: 'safe', reason: 'rate_limited' },
    { text: 'words of a rate limit', answer: { error: revert }, retry: 'safe', reason: 'rate_limited' },
  ] satisfies { text: string; answer: Answer; retry: string; reason: string }[])(
    'error: $text is no balance but $reason, to be tried again: $retry',
    async ({ answer, retry, reason }) => {
      const server = await serveBase(onBalance(answer));
      const reading = reader(server.url, { retries: 0 }).balance({ token: NATIVE, owner: OWNER });
      await expect(reading).rejects.toMatchObject({ name: 'AdapterError', retry, reason });
    },
  );

  test('error: a revert is never tried again, whatever words the contract chose', async () => {
    const server = await serveBase((method) => (method === 'eth_call' ? { error: revert } : undefined));
    const reading = reader(server.url).balance({ token: TOKEN, owner: OWNER });
    await expect(reading).rejects.toMatchObject({ retry: 'never', reason: 'bad_response' });
    expect(server.asked.filter((method) => method === 'eth_call')).toHaveLength(1);
  });

  test('security: an answer of millions of bytes is none, whatever contract chose it, and is asked for once', async () => {
    const result = `0x${'00'.repeat(4_900_000)}`;
    const server = await serveBase((method) => (method === 'eth_call' ? { result } : undefined));
    const reading = reader(server.url).balance({ token: TOKEN, owner: OWNER });
    await expect(reading).rejects.toMatchObject({
      name: 'AdapterError',
      retry: 'never',
      reason: 'bad_response',
      message: 'chain base: the endpoint answered eth_call with too much data',
    });
    expect(server.asked.filter((method) => method === 'eth_call')).toHaveLength(1);
  });

  test('error: one that is not there is unreachable, and reachable once it is', async () => {
    const first = await startAnvil();
    onTestFinished(first.stop);
    const anvil = createChains({
      endpoints: [{ chain: chainById(31337) as Chain, rpcUrls: [first.url] }],
      clock: () => 1_700_000_000_000,
      retries: 0,
    }).reader(31337);
    const owner = freshAddress();
    expect((await anvil.balance({ token: NATIVE, owner })).amount).toBe(0n);
    await first.stop();
    const reading = anvil.balance({ token: NATIVE, owner });
    await expect(reading).rejects.toMatchObject({ name: 'AdapterError', retry: 'safe', reason: 'unreachable' });
    await expect(anvil.ping()).rejects.toMatchObject({ reason: 'unreachable' });
    const second = await startAnvil({ port: first.port });
    onTestFinished(second.stop);
    expect((await anvil.balance({ token: NATIVE, owner })).amount).toBe(0n);
  });
});

describe('an endpoint that hangs', () => {
  const silent: Answer = (response) => response.on('close', () => response.destroy());
  const half: Answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{');

  test.each([
    { text: 'before its answer', answer: silent },
    { text: 'in the middle of its answer', answer: half },
  ])('error: $text runs into the time limit of the request', async ({ answer }) => {
    const server = await serveBase(onBalance(answer));
    const base = reader(server.url, { timeoutMs: 100, retries: 1 });
    const reading = base.balance({ token: NATIVE, owner: OWNER });
    await expect(reading).rejects.toMatchObject({ name: 'AdapterError', retry: 'safe', reason: 'timeout' });
    expect(server.asked.filter((method) => method === 'eth_getBalance')).toHaveLength(2);
  });

  test('error: runs into the deadline of the whole call', async () => {
    const server = await serveBase(onBalance(silent));
    const base = reader(server.url, { timeoutMs: 60_000, retries: 5, deadlineMs: 300 });
    const reading = base.balance({ token: NATIVE, owner: OWNER });
    await expect(reading).rejects.toMatchObject({ name: 'AdapterError', retry: 'safe', reason: 'timeout' });
    expect(server.asked.filter((method) => method === 'eth_getBalance')).toHaveLength(1);
  });
});

describe('an endpoint that redirects', () => {
  test.each([301, 302, 303, 307, 308])(
    'security: with HTTP status %i is not followed, and the error says so',
    async (code) => {
      const elsewhere = await serveBase(() => undefined);
      const server = await serveBase(() => status(code, { headers: { location: elsewhere.url } }));
      const reading = reader(server.url).balance({ token: NATIVE, owner: OWNER });
      await expect(reading).rejects.toMatchObject({
        name: 'AdapterError',
        retry: 'never',
        reason: 'rejected',
        message: `chain base: the endpoint redirects elsewhere with HTTP status ${code}`,
      });
      expect(elsewhere.asked).toEqual([]);
      expect(server.asked).toEqual(['eth_chainId']);
    },
  );
});

describe('the endpoint URL', () => {
  const KEY = 'fake-key-for-tests-only';

  function everyWord(error: unknown): string {
    const words: string[] = [];
    for (let next = error; next instanceof Error; next = next.cause) words.push(next.message, next.stack ?? '');
    return words.join('\n');
  }

  const echo: Answer = (response) => {
    const { url, headers } = response.req;
    response.end(JSON.stringify({ error: { code: -32000, message: `${url} ${headers.authorization}` } }));
  };

  test.each([
    { text: 'HTTP 500', answer: status(500, { body: `no such key: ${KEY}` }) },
    { text: 'HTTP 401', answer: status(401, { body: `no such key: ${KEY}` }) },
    { text: 'a JSON-RPC error', answer: { error: { code: -32000, message: `key ${KEY} is not valid` } } },
    { text: 'a page', answer: status(200, { body: `<html>${KEY}` }) },
    { text: 'a dropped connection', answer: (response) => response.destroy() },
    { text: 'an echo of the request', answer: echo },
  ] satisfies { text: string; answer: Answer }[])(
    'security: with its key is in no error after $text',
    async ({ answer }) => {
      const server = await serveBase(onBalance(answer));
      const base = reader(`${server.url.replace('//', `//user:${KEY}@`)}/v2/${KEY}?token=${KEY}`, { retries: 0 });
      const error: unknown = await base.balance({ token: NATIVE, owner: OWNER }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'AdapterError' });
      expect(everyWord(error)).toContain('chain base');
      expect(everyWord(error)).not.toContain(KEY);
      expect(everyWord(error)).not.toContain(Buffer.from(`user:${KEY}`).toString('base64'));
      expect(everyWord(error)).not.toContain('127.0.0.1');
    },
  );
});
