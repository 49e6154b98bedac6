import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createWallets } from '../../src/chain/wallets.ts';
import type { Answer } from '../support/json-rpc.ts';
import { NODE_REFUSALS } from '../support/node-refusals.ts';
import { createPayer, type PayerOptions } from '../support/payer.ts';
import { openEndpoint } from '../support/proxies.ts';

// Any bytes will do: these endpoints do not read them. The hash is keccak256 of the one byte 0x02.
const RAW = '0x02';
const HASH = '0xf2ee15ea639b73fa3db9b34a245bdfa015c260c598b211bf05a1ecc4b3e3b4f2';
const wallets = createWallets('test test test test test test test test test test test junk');

/** Offers the bytes to an endpoint that answers so, and counts how often. */
async function offer(answer: Answer, { path = '', ...options }: PayerOptions & { path?: string } = {}) {
  const server = await openEndpoint((method) => (method === 'eth_chainId' ? { result: '0x7a69' } : answer));
  const { payer } = createPayer({ url: `${server.url}${path}`, wallets, ...options });
  const offers = () => server.asked.filter((method) => method === 'eth_sendRawTransaction').length;
  return { offered: payer.broadcast(RAW), offers };
}

function error(message: string, code = -32000): Answer {
  return { error: { code, message } };
}

/** An error of JSON-RPC under a status of HTTP. */
function over(status: number, message: string): Answer {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32000, message } });
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

/** A status of HTTP, with a body that is no JSON. */
function status(code: number) {
  return (response: ServerResponse) => response.writeHead(code).end('no');
}

describe('an endpoint that has the bytes', () => {
  test.each([
    { text: 'the hash', answer: { result: HASH } },
    { text: 'already known', answer: error('already known') },
    { text: 'AlreadyKnown', answer: error('AlreadyKnown', -32010) },
    { text: 'known transaction', answer: error(`known transaction: ${HASH.slice(2)}`) },
    { text: 'already imported', answer: error('transaction already imported', -32003) },
    { text: 'already in the mempool', answer: error('Transaction already in mempool') },
  ] satisfies { text: string; answer: Answer }[])('behavior: says so with $text', async ({ answer }) => {
    const { offered, offers } = await offer(answer);
    await expect(offered).resolves.toBeUndefined();
    expect(offers()).toBe(1);
  });
});

describe('an endpoint that does not say that it has them', () => {
  const RATE_EXCEEDS = error('request rate exceeds plan: max size 10', -32016);
  const PLAN_ALLOWS = over(429, 'your plan allows a batch size of 10');

  test.each([
    { answer: error('nonce too low: next nonce 5, tx nonce 4'), retry: 'unknown', says: 'its nonce is spent' },
    { answer: error('OldNonce'), retry: 'unknown', says: 'its nonce is spent' },
    { answer: error('nonce too high'), retry: 'safe', says: 'ahead of the chain' },
    { answer: error('replacement transaction underpriced'), retry: 'safe', says: 'does not outbid' },
    { answer: error('insufficient funds for gas * price + value'), retry: 'safe', says: 'does not hold' },
    { answer: error('max fee per gas less than block base fee'), retry: 'safe', says: 'offers less' },
    { answer: error('transaction underpriced'), retry: 'safe', says: 'offers less' },
    { answer: error('intrinsic gas too low'), retry: 'safe', says: 'too little gas' },
    { answer: error('txpool is full'), retry: 'safe', says: 'too many others' },
  ])('error: $answer.error.message is rejected, to be tried again: $retry', async ({ answer, retry, says }) => {
    const { offered, offers } = await offer(answer);
    const message = expect.stringContaining(says);
    await expect(offered).rejects.toMatchObject({ name: 'AdapterError', reason: 'rejected', retry, message });
    expect(offers()).toBe(1);
  });

  test.each([
    { text: 'HTTP 500', answer: status(500), reason: 'server_error' },
    { text: 'HTTP 408', answer: status(408), reason: 'timeout' },
    { text: 'a page', answer: (response) => response.end('<html>'), reason: 'bad_response' },
    { text: 'a dropped connection', answer: (response) => response.destroy(), reason: 'unreachable' },
    { text: 'silence', answer: () => undefined, reason: 'timeout' },
    { text: 'an internal error', answer: error('internal error', -32603), reason: 'server_error' },
    { text: 'an error nobody has seen before', answer: error('unknown transaction mood'), reason: 'server_error' },
    { text: 'null', answer: { result: null }, reason: 'bad_response' },
    { text: 'another hash', answer: { result: `0x${'ab'.repeat(32)}` }, reason: 'bad_response' },
    { text: 'words for a refusal over HTTP 502', answer: over(502, 'insufficient funds'), reason: 'server_error' },
    { text: 'words for a refusal over HTTP 408', answer: over(408, 'intrinsic gas too low'), reason: 'timeout' },
    { text: 'words for bytes that it has over HTTP 504', answer: over(504, 'already known'), reason: 'server_error' },
  ] satisfies { text: string; answer: Answer; reason: string }[])(
    'error: $text leaves open what became of them, and they are offered once',
    async ({ answer, reason }) => {
      const { offered, offers } = await offer(answer, { timeoutMs: 300 });
      await expect(offered).rejects.toMatchObject({ name: 'AdapterError', retry: 'unknown', reason });
      expect(offers()).toBe(1);
    },
  );

  test.each([
    { text: 'HTTP 429', answer: status(429), retry: 'safe', reason: 'rate_limited' },
    { text: 'HTTP 401', answer: status(401), retry: 'never', reason: 'unauthorized' },
    { text: 'a rate limit', answer: error('limit exceeded', -32005), retry: 'safe', reason: 'rate_limited' },
    { text: 'a rate limit in words for a refusal', answer: RATE_EXCEEDS, retry: 'safe', reason: 'rate_limited' },
    { text: 'HTTP 429 in words for a refusal', answer: PLAN_ALLOWS, retry: 'safe', reason: 'rate_limited' },
    { text: 'no such method', answer: error('no such method', -32601), retry: 'never', reason: 'rejected' },
  ] satisfies { text: string; answer: Answer; retry: string; reason: string }[])(
    'error: $text means that it did not look at them',
    async ({ answer, retry, reason }) => {
      const { offered, offers } = await offer(answer);
      await expect(offered).rejects.toMatchObject({ name: 'AdapterError', retry, reason });
      expect(offers()).toBe(1);
    },
  );
});

describe('a refusal', () => {
  test.each(NODE_REFUSALS)('behavior: of $node is understood as $objection: $message', async (refusal) => {
    const { offered } = await offer(error(refusal.message, refusal.code), { retries: 0 });
    await expect(offered).rejects.toMatchObject({ objection: refusal.objection });
  });

  test('behavior: of a gateway that finds the bytes too long is one of the bytes', async () => {
    const { offered } = await offer(status(413));
    await expect(offered).rejects.toMatchObject({ objection: 'too_large' });
  });

  test('security: keeps the words of the node, without control characters, addresses of the web and more than a line', async () => {
    const said = `exceeds\u001b[2J block gas limit, see https://node.example/key?secret=1 ${'x'.repeat(1_000)}`;
    const { offered } = await offer(error(said));
    const words = `exceeds [2J block gas limit, see ${'x'.repeat(127)}`;
    await expect(offered).rejects.toMatchObject({ words, message: expect.stringContaining(words) });
  });
});

test('security: neither the endpoint nor its key is in the error', async () => {
  const KEY = 'fake-key-for-tests-only';
  const { offered } = await offer(error(`nonce too low, says ${KEY}`), { path: `/v2/${KEY}` });
  const thrown: unknown = await offered.catch((caught: unknown) => caught);
  const words: string[] = [];
  for (let next = thrown; next instanceof Error; next = next.cause)
    words.push(JSON.stringify({ ...next }), `${next.stack}`);
  expect(words.join()).toContain('its nonce is spent');
  expect(words.join()).not.toContain(KEY);
  expect(words.join()).not.toContain('127.0.0.1');
});
