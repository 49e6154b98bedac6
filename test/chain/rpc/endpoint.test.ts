import { describe, expect, onTestFinished, test } from 'vitest';
import { createChains } from '../../../src/chain/registry.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../../src/domain/gigs/token.ts';
import { freshAddress, startAnvil } from '../../support/anvil.ts';
import type { Answer, JsonRpcServer } from '../../support/json-rpc.ts';
import { ANVIL } from '../../support/payer.ts';
import { openAnvil, openEndpoint } from '../../support/proxies.ts';
import { BASE } from '../endpoints.ts';

const NATIVE = { address: NATIVE_TOKEN_ADDRESS, isNative: true };
const TOKEN = { address: '0x00000000000000000000000000000000000000aa', isNative: false } as const;
const OWNER = '0x00000000000000000000000000000000000000bb';

const WELL: Readonly<Record<string, string>> = {
  eth_chainId: '0x2105',
  eth_blockNumber: '0x10',
  eth_getBalance: '0x64',
  eth_getCode: '0x00',
  eth_call: `0x${'64'.padStart(64, '0')}`,
};

/** An endpoint of Base that is well but for what `fault` does to some methods, until the test ends. */
function serveBase(fault: (method: string, times: number) => Answer | undefined): Promise<JsonRpcServer> {
  return openEndpoint((method, times) => fault(method, times) ?? { result: WELL[method] });
}

function reader(rpcUrl: string, limits: { timeoutMs?: number; retries?: number; deadlineMs?: number } = {}) {
  const endpoints = [{ chain: BASE, rpcUrls: [rpcUrl] }] as const;
  return createChains({ endpoints, clock: () => 1_700_000_000_000, ...limits }).reader(8453);
}

function timesAsked({ asked }: JsonRpcServer, method: string): number {
  return asked.filter((each) => each === method).length;
}

function status(code: number, options: { headers?: Record<string, string>; body?: string } = {}): Answer {
  return (response) => response.writeHead(code, options.headers).end(options.body ?? 'no');
}

const HELD = { token: NATIVE, owner: OWNER } as const;

/** The balance of the owner at an endpoint that gives this answer instead. */
async function balanceWith(answer: Answer, limits?: Parameters<typeof reader>[1]) {
  const server = await serveBase((method) => (method === 'eth_getBalance' ? answer : undefined));
  return { server, reading: reader(server.url, limits).balance(HELD) };
}

describe('a well endpoint', () => {
  test('behavior: is asked for its chain id once, and for every balance in the newest block', async () => {
    const server = await serveBase(() => undefined);
    const base = reader(server.url);
    expect(await base.balance(HELD)).toEqual({ amount: 100n, blockNumber: 16n });
    expect(await base.balance(HELD)).toEqual({ amount: 100n, blockNumber: 16n });
    const each = ['eth_blockNumber', 'eth_getBalance'];
    expect(server.asked).toEqual(['eth_chainId', ...each, ...each]);
    expect(base.lastSuccess()).toBe(1_700_000_000_000);
  });

  test('security: is asked for its chain id again after its connection ended, and another chain’s balances are none', async () => {
    let id = '0x2105';
    let isLast = false;
    const server = await serveBase((method) => {
      if (method === 'eth_chainId') return { result: id };
      if (method !== 'eth_getBalance' || !isLast) return undefined;
      const body = JSON.stringify({ jsonrpc: '2.0', id: 3, result: '0x64' });
      return (response) => response.setHeader('connection', 'close').end(body);
    });
    const base = reader(server.url);
    await base.balance(HELD);
    isLast = true;
    await base.balance(HELD);
    id = '0x1';
    await expect(base.balance(HELD)).rejects.toMatchObject({
      retry: 'never',
      reason: 'bad_response',
      message: 'chain base: the endpoint serves chain id 1, expected 8453',
    });
    id = '0x2105';
    isLast = false;
    expect(await base.balance(HELD)).toEqual({ amount: 100n, blockNumber: 16n });
  });

  test('security: a ping asks for the chain id again, and notices that another chain is served', async () => {
    const other = { result: '0x1' };
    const server = await serveBase((method, times) => (method === 'eth_chainId' && times > 0 ? other : undefined));
    const base = reader(server.url);
    await base.ping();
    await expect(base.ping()).rejects.toMatchObject({ retry: 'never', reason: 'bad_response' });
    await expect(base.balance(HELD)).rejects.toMatchObject({ reason: 'bad_response' });
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
    const { url } = await serveBase((method, times) =>
      method === 'eth_getBalance' && times === 0 ? answer : undefined,
    );
    expect(await reader(url).balance(HELD)).toMatchObject({ amount: 100n });
  });

  test('behavior: is asked at most as often as retries allow', async () => {
    const { server, reading } = await balanceWith(status(503), { retries: 1 });
    await expect(reading).rejects.toMatchObject({ retry: 'safe', reason: 'server_error' });
    expect(timesAsked(server, 'eth_getBalance')).toBe(2);
  });

  test('error: is left alone when it asks for more time than there is', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'limit exceeded' } });
    // Longer than a test may take: it does not wait at all.
    const headers = { 'content-type': 'application/json', 'retry-after': '200' };
    const { server, reading } = await balanceWith(status(429, { headers, body }), { deadlineMs: 180_000 });
    const limited = { name: 'AdapterError', retry: 'safe', reason: 'rate_limited', retryAfterMs: 200_000 };
    await expect(reading).rejects.toMatchObject(limited);
    expect(server.asked).toEqual(['eth_chainId', 'eth_blockNumber', 'eth_getBalance']);
  });

  // The clock stands at 2023-11-14 22:13:20 UTC.
  test.each([
    ['Tue, 14 Nov 2023 22:14:20 GMT', 60_000],
    ['Tue, 14 Nov 2023 22:12:20 GMT', 0],
    ['', undefined],
  ])('error: with “%s” in Retry-After the delay is %s', async (value, retryAfterMs) => {
    const { reading } = await balanceWith(status(429, { headers: { 'retry-after': value } }), { retries: 0 });
    await expect(reading).rejects.toMatchObject({ reason: 'rate_limited', retryAfterMs });
  });
});

describe('an endpoint that fails', () => {
  const page = status(200, { headers: { 'content-type': 'text/html' }, body: '<html>sign in</html>' });
  const cut = status(200, { headers: { 'content-type': 'application/json' }, body: '{"jsonrpc":"2.0","res' });
  const scalar = status(200, { headers: { 'content-type': 'application/json' }, body: 'null' });
  const failing = (code: number): Answer => ({ error: { code, message: 'x' } });
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
    { text: 'an unknown method', answer: failing(-32601), retry: 'never', reason: 'rejected' },
    { text: 'an error without a code', answer: { error: { message: 'x' } }, retry: 'safe', reason: 'server_error' },
    { text: 'a rate limit', answer: failing(-32016), retry: 'safe', reason: 'rate_limited' },
    { text: 'words of a rate limit', answer: { error: revert }, retry: 'safe', reason: 'rate_limited' },
  ] satisfies { text: string; answer: Answer; retry: string; reason: string }[])(
    'error: $text is no balance but $reason, to be tried again: $retry',
    async ({ answer, retry, reason }) => {
      const { reading } = await balanceWith(answer, { retries: 0 });
      await expect(reading).rejects.toMatchObject({ name: 'AdapterError', retry, reason });
    },
  );

  test('error: a revert is never tried again, whatever words the contract chose', async () => {
    const server = await serveBase((method) => (method === 'eth_call' ? { error: revert } : undefined));
    const reading = reader(server.url).balance({ token: TOKEN, owner: OWNER });
    await expect(reading).rejects.toMatchObject({ retry: 'never', reason: 'bad_response' });
    expect(timesAsked(server, 'eth_call')).toBe(1);
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
    expect(timesAsked(server, 'eth_call')).toBe(1);
  });

  test('error: one that is not there is unreachable, and reachable once it is', async () => {
    const first = await openAnvil();
    const endpoints = [{ chain: ANVIL, rpcUrls: [first.url] }] as const;
    const anvil = createChains({ endpoints, clock: () => 1_700_000_000_000, retries: 0 }).reader(ANVIL.id);
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
    const { server, reading } = await balanceWith(answer, { timeoutMs: 100, retries: 1 });
    await expect(reading).rejects.toMatchObject({ name: 'AdapterError', retry: 'safe', reason: 'timeout' });
    expect(timesAsked(server, 'eth_getBalance')).toBe(2);
  });

  test('error: runs into the deadline of the whole call', async () => {
    const { server, reading } = await balanceWith(silent, { timeoutMs: 60_000, retries: 5, deadlineMs: 300 });
    await expect(reading).rejects.toMatchObject({ name: 'AdapterError', retry: 'safe', reason: 'timeout' });
    expect(timesAsked(server, 'eth_getBalance')).toBe(1);
  });
});

describe('an endpoint that redirects', () => {
  test.each([301, 302, 303, 307, 308])(
    'security: with HTTP status %i is not followed, and the error says so',
    async (code) => {
      const elsewhere = await serveBase(() => undefined);
      const server = await serveBase(() => status(code, { headers: { location: elsewhere.url } }));
      const reading = reader(server.url).balance(HELD);
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
      const { url } = await serveBase((method) => (method === 'eth_getBalance' ? answer : undefined));
      const base = reader(`${url.replace('//', `//user:${KEY}@`)}/v2/${KEY}?token=${KEY}`, { retries: 0 });
      const error: unknown = await base.balance(HELD).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'AdapterError' });
      expect(everyWord(error)).toContain('chain base');
      const secrets = [KEY, Buffer.from(`user:${KEY}`).toString('base64'), '127.0.0.1'];
      for (const secret of secrets) expect(everyWord(error)).not.toContain(secret);
    },
  );
});
