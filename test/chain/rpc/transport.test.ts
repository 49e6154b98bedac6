import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { createClient } from 'viem';
import { expect, onTestFinished, test } from 'vitest';
import { overHttp } from '../../../src/chain/rpc/transport.ts';

interface Received {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
  readonly port: number | undefined;
}

const RESULT = JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x10' });

const takeAnything = () => undefined;

/** A server on loopback that keeps what it was sent and answers as a test says. */
async function serve(answer: (response: ServerResponse) => void = (response) => response.end(RESULT)) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((sent) => {
      const { method, url, headers, socket } = request;
      received.push({ line: `${method} ${url}`, headers, body: JSON.parse(sent), port: socket.remotePort });
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

function ask(rpcUrl: string, signal?: AbortSignal): Promise<unknown> {
  const client = createClient({ transport: overHttp(rpcUrl, takeAnything) });
  return client.request({ method: 'eth_blockNumber' }, signal === undefined ? {} : { signal });
}

test('behavior: a question is one POST of JSON-RPC to the path and query of the URL, and says who asks', async () => {
  const { received, host } = await serve();
  expect(await ask(`http://${host}/v2/key?network=base`)).toBe('0x10');
  expect(received).toMatchObject([
    {
      line: 'POST /v2/key?network=base',
      headers: { host, 'content-type': 'application/json', 'accept-encoding': 'identity', 'user-agent': 'gigclaim' },
      body: { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' },
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
  const client = createClient({ transport: overHttp(`http://${host}`, takeAnything) });
  for (let count = 0; count < 10; count++) await client.request({ method: 'eth_blockNumber' });
  expect(received.map(({ body }) => body)).toMatchObject(Array.from({ length: 10 }, (_, index) => ({ id: index + 1 })));
  // A connection is free again a moment after its answer.
  expect(new Set(received.map(({ port }) => port)).size).toBeLessThan(3);
});

test('behavior: an error of JSON-RPC is worth more than the HTTP status it came with', async () => {
  const error = { code: -32000, message: 'nonce too low' };
  const { host } = await serve((response) => response.writeHead(400).end(JSON.stringify({ id: 1, error })));
  await expect(ask(`http://${host}`)).rejects.toMatchObject({
    cause: { name: 'RpcRequestError', ...error, message: expect.any(String), details: 'nonce too low' },
  });
});

test.each([
  { text: 'a status', answer: (response: ServerResponse) => response.writeHead(503).end(RESULT), is: { status: 503 } },
  {
    text: 'an error that is none of JSON-RPC',
    answer: (response: ServerResponse) => response.writeHead(400).end('{"error":"no"}'),
    is: { status: 400 },
  },
  {
    text: 'a page',
    answer: (response: ServerResponse) => response.end('<html>'),
    is: { cause: { name: 'SyntaxError' } },
  },
  { text: 'a dropped connection', answer: (response: ServerResponse) => response.destroy(), is: { status: undefined } },
])('error: $text fails as what it is, after one question', async ({ answer, is }) => {
  const { received, host } = await serve(answer);
  await expect(ask(`http://${host}`)).rejects.toMatchObject({ name: 'HttpRequestError', ...is });
  expect(received).toHaveLength(1);
});

test('error: an answer that is packed although nobody asked for it is named as that', async () => {
  const { host } = await serve((response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(RESULT));
  });
  await expect(ask(`http://${host}`)).rejects.toMatchObject({
    cause: { name: 'SyntaxError', message: 'packed as gzip, which was not asked for' },
  });
});

test.each(['{}', '[]', '5', 'null'])('error: %s is no answer', async (body) => {
  const { host } = await serve((response) => response.end(body));
  await expect(ask(`http://${host}`)).rejects.toMatchObject({ details: 'neither a result nor an error' });
});

test('security: an answer without end is not read to its end', async () => {
  let open = true;
  const { host } = await serve((response) => {
    response.on('close', () => {
      open = false;
    });
    const part = Buffer.alloc(2 ** 20, 0x20);
    const more = () => response.writable && response.write(part, more);
    more();
  });
  await expect(ask(`http://${host}`)).rejects.toMatchObject({ name: 'ResponseBodyTooLargeError' });
  await expect.poll(() => open).toBe(false);
});

test('security: what looks at an answer first can end it, though its body has no end', async () => {
  let open = true;
  const { host } = await serve((response) => {
    response.on('close', () => {
      open = false;
    });
    response.writeHead(429, { 'retry-after': '7' }).write('n');
  });
  const refuse = (answer: unknown) => {
    throw new Error(JSON.stringify(answer));
  };
  const client = createClient({ transport: overHttp(`http://${host}`, refuse) });
  await expect(client.request({ method: 'eth_blockNumber' })).rejects.toMatchObject({
    cause: { message: '{"status":429,"retryAfter":"7"}' },
  });
  await expect.poll(() => open).toBe(false);
});

test('behavior: a question is given up when its signal fires', async () => {
  let open = true;
  const { received, host } = await serve((response) => {
    response.on('close', () => {
      open = false;
    });
  });
  const controller = new AbortController();
  const asked = ask(`http://${host}`, controller.signal);
  await expect.poll(() => received.length).toBe(1);
  controller.abort();
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(() => open).toBe(false);
});
