import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, createGzip, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createEndpoint } from '../../../src/chain/rpc/endpoint.ts';
import { AdapterError, faultText } from '../../../src/domain/errors.ts';
import { BASE } from '../endpoints.ts';

interface Received {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: { readonly id: number; readonly method: string };
  readonly port: number | undefined;
}

const RESULT = JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x10' });

/** An endpoint of Base on loopback that keeps what it was asked after its chain id, and answers as a test says. */
async function serve(answer: (response: ServerResponse) => void = (response) => response.end(RESULT)) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((sent) => {
      const { method, url, headers, socket } = request;
      const body = JSON.parse(sent);
      if (body.method === 'eth_chainId') {
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x2105' }));
        return;
      }
      received.push({ line: `${method} ${url}`, headers, body, port: socket.remotePort });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server's address is an object, never a pipe's name.
  return { received, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function endpointAt(rpcUrl: string, timeoutMs = 60_000) {
  return createEndpoint({ chain: BASE, rpcUrl, clock: () => 0, timeoutMs, retries: 0, deadlineMs: 60_000 });
}

function open(rpcUrl: string, timeoutMs?: number) {
  const endpoint = endpointAt(rpcUrl, timeoutMs);
  return () => endpoint.run((session) => session.quantity({ method: 'eth_blockNumber' }));
}

/** An answer to the one question with an error of JSON-RPC, over a status of HTTP. */
const failing =
  (error: object, status = 200) =>
  (response: ServerResponse) => {
    response.writeHead(status).end(JSON.stringify({ id: 1, error }));
  };

function ask(rpcUrl: string): Promise<bigint> {
  return open(rpcUrl)();
}

test('behavior: a question is one POST of JSON-RPC to the path and query of the URL, and says who asks', async () => {
  const { received, host } = await serve();
  expect(await ask(`http://${host}/v2/key?network=base`)).toBe(16n);
  expect(received).toMatchObject([
    {
      line: 'POST /v2/key?network=base',
      headers: { host, 'content-type': 'application/json', 'accept-encoding': 'identity', 'user-agent': 'gigclaim' },
      body: { jsonrpc: '2.0', id: expect.any(Number), method: 'eth_blockNumber' },
    },
  ]);
  expect(received[0]?.headers).not.toHaveProperty('authorization');
});

test.each([
  { user: 'user:pass', meant: 'user:pass' },
  { user: 'us%40er:p%3Aass', meant: 'us@er:p:ass' },
  { user: 'key', meant: 'key:' },
  { user: ':secret', meant: ':secret' },
])('behavior: $user in the URL is sent as basic authorization', async ({ user, meant }) => {
  const { received, host } = await serve();
  await ask(`http://${user}@${host}/`);
  expect(received[0]?.headers.authorization).toBe(`Basic ${Buffer.from(meant).toString('base64')}`);
});

test('behavior: questions that follow each other share connections', async () => {
  const { received, host } = await serve();
  const question = open(`http://${host}`);
  for (let count = 0; count < 10; count++) await question();
  expect(new Set(received.map(({ body }) => body.id)).size).toBe(10);
  // A connection is free again a moment after its answer.
  expect(new Set(received.map(({ port }) => port)).size).toBeLessThan(3);
});

test('behavior: an error of JSON-RPC is worth more than the HTTP status it came with', async () => {
  const error = { code: -32000, message: 'nonce too low', data: '0x01' };
  const { host } = await serve(failing(error, 400));
  await expect(ask(`http://${host}`)).rejects.toMatchObject({
    code: -32000,
    text: 'nonce too low',
    data: '0x01',
    reason: 'server_error',
    message: 'chain base: the endpoint answered eth_blockNumber with error -32000',
  });
});

test('security: the words of an error are cut, and have no control characters, no links and no part of the URL', async () => {
  const message = `no\u001b[2J key my-secret-key,\u0000 see https://node.example/?k=1 ${'x'.repeat(1_000)}`;
  const { host } = await serve(failing({ code: -32000, message }));
  const words = `no [2J key [endpoint], see ${'x'.repeat(160 - 'no [2J key [endpoint], see '.length)}`;
  const error: unknown = await ask(`http://${host}/v2/my-secret-key`).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ words });
  expect(error instanceof AdapterError && faultText(error)).toBe(
    `chain base: the endpoint answered eth_blockNumber with error -32000; it answered: ${words}`,
  );
});

test('security: of the words of an error, which may be megabytes, only the first are read', async () => {
  const message = `state my-secret-key ${'max 1 '.repeat(1_000_000)}`;
  const { host } = await serve(failing({ code: -32000, message }));
  const error: unknown = await ask(`http://${host}/v2/my-secret-key`).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ text: `state [endpoint] ${'max 1 '.repeat(2_000)}`.slice(0, 10_000) });
});

test('behavior: an error of JSON-RPC in a form of its own is read by its words', async () => {
  const { host } = await serve((response) => response.end('{"error":"rate limit reached"}'));
  await expect(ask(`http://${host}`)).rejects.toMatchObject({ code: 0, reason: 'rate_limited', retry: 'safe' });
});

const answering =
  (status: number, body: string, headers = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end(body);
const BY_STATUS = 'chain base: the endpoint answered eth_blockNumber with HTTP status';
const BY_503 = { reason: 'server_error', retry: 'safe', message: `${BY_STATUS} 503` };
const BY_400 = { reason: 'rejected', retry: 'never', message: `${BY_STATUS} 400` };
const JSON_TYPE = { 'content-type': 'application/json' };
const NO_JSON = 'chain base: the endpoint did not answer eth_blockNumber with JSON';
const UNREACHED = 'chain base: the endpoint could not be reached for eth_blockNumber';

test.each<[what: string, answer: (response: ServerResponse) => unknown, is: object]>([
  ['a status', answering(503, RESULT), BY_503],
  ['a status over a body that breaks off', answering(400, '{"jsonrpc"', JSON_TYPE), BY_400],
  ['a status over a body that is null', answering(503, 'null', JSON_TYPE), BY_503],
  ['an error that is none of JSON-RPC', answering(400, '{"error":"no"}'), BY_400],
  ['a page', answering(200, '<html>'), { reason: 'bad_response', message: NO_JSON }],
  ['a dropped connection', (response) => response.destroy(), { reason: 'unreachable', message: UNREACHED }],
])('error: %s fails as what it is, after one question', async (_what, answer, is) => {
  const { received, host } = await serve(answer);
  await expect(ask(`http://${host}`)).rejects.toMatchObject({ name: 'AdapterError', ...is });
  expect(received).toHaveLength(1);
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
])('behavior: an answer that is packed by %s although nobody asked for it is unpacked', async (encoding, pack) => {
  const { host } = await serve((response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(pack(RESULT));
  });
  expect(await ask(`http://${host}`)).toBe(16n);
});

test('error: an answer that is packed otherwise than it says is none', async () => {
  const { host } = await serve((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(RESULT));
  await expect(ask(`http://${host}`)).rejects.toMatchObject({ retry: 'safe', reason: 'unreachable' });
});

test.each(['{}', '[]', '5', 'null', ''])('error: %j is no answer', async (body) => {
  const { host } = await serve((response) => response.end(body));
  await expect(ask(`http://${host}`)).rejects.toMatchObject({
    retry: 'safe',
    reason: 'bad_response',
    message: 'chain base: the endpoint did not answer eth_blockNumber in JSON-RPC',
  });
});

test('error: an offer of signed bytes that gets neither a result nor an error is no success', async () => {
  const { host } = await serve((response) => response.end('{}'));
  const offered = endpointAt(`http://${host}`).run((session) => session.send('0x02'));
  await expect(offered).rejects.toMatchObject({ reason: 'bad_response' });
});

/** What a server does with one request, and whether the connection is open. */
async function serveOpen(answer: (response: ServerResponse) => void) {
  let open = true;
  const server = await serve((response) => {
    response.on('close', () => {
      open = false;
    });
    answer(response);
  });
  return { ...server, isOpen: () => open };
}

test.each([
  { text: 'without end', headers: {} },
  { text: 'that says how long it is', headers: { 'content-length': `${2 ** 30}` } },
  { text: 'packed without end', headers: { 'content-encoding': 'gzip' } },
])('security: an answer $text is not read to its end', async ({ headers }) => {
  const { host, isOpen } = await serveOpen((response) => {
    const packed = 'content-encoding' in headers;
    response.writeHead(200, headers);
    const out = packed ? createGzip() : response;
    if (packed) out.pipe(response);
    const part = Buffer.alloc(2 ** 20, 0x20);
    const more = () => response.writable && out.write(part, more);
    more();
  });
  await expect(ask(`http://${host}`)).rejects.toMatchObject({
    retry: 'never',
    reason: 'bad_response',
    message: 'chain base: the endpoint answered eth_blockNumber with too much data',
  });
  await expect.poll(isOpen).toBe(false);
});

test('security: a status that refuses ends the question, though its body has no end', async () => {
  const { host, isOpen } = await serveOpen((response) => {
    response.writeHead(429, { 'retry-after': '7' }).write('n');
  });
  await expect(ask(`http://${host}`)).rejects.toMatchObject({ reason: 'rate_limited', retryAfterMs: 7_000 });
  await expect.poll(isOpen).toBe(false);
});

test('behavior: a question whose time is up is given up', async () => {
  const { received, host, isOpen } = await serveOpen(() => undefined);
  const asked = open(`http://${host}`, 300)();
  await expect(asked).rejects.toMatchObject({ retry: 'safe', reason: 'timeout' });
  expect(received).toHaveLength(1);
  await expect.poll(isOpen).toBe(false);
});
