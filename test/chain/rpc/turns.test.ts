import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createEndpoint, type Endpoint } from '../../../src/chain/rpc/endpoint.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import { listen } from '../../support/listen.ts';
import { BASE } from '../endpoints.ts';

interface Sent {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

type Serve = (response: ServerResponse, sent: readonly Sent[]) => unknown;

/** The balance of this address is its number. */
function owner(number: number): Address {
  return `0x${number.toString(16).padStart(40, '0')}`;
}

type Told = Partial<Record<'jsonrpc' | 'id' | 'result', unknown>>;

const wellTo = ({ id, params: [result = '0x1'] }: Sent): Told => ({ jsonrpc: '2.0', id, result });
const reply = (response: ServerResponse, body: unknown) => response.end(JSON.stringify(body));
const well: Serve = (response, sent) => reply(response, sent.length === 1 ? wellTo(sent[0] as Sent) : sent.map(wellTo));

const LIMITS = { timeoutMs: 10_000, deadlineMs: 20_000 };

/**
 * An endpoint of Base that has proved its chain, over a server that serves batches, or each read alone, as a test says.
 * @returns it, and what each request after that asked, but for the chain id
 */
async function open(together: Serve, { alone = well, chainId = (): number => 8453, path = '', limits = LIMITS } = {}) {
  const requests: (readonly Sent[])[] = [];
  let proofs = 0;
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const sent = [body as Sent | Sent[]].flat();
      if (sent[0]?.method === 'eth_chainId') {
        proofs += 1;
        return reply(response, { jsonrpc: '2.0', id: 1, result: `0x${chainId().toString(16)}` });
      }
      requests.push(sent);
      return (Array.isArray(body) ? together : alone)(response, sent);
    });
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  const endpoint = createEndpoint({ chain: BASE, rpcUrl: `${url}${path}`, clock: Date.now, retries: 0, ...limits });
  const sizes = () => requests.map(({ length }) => length);
  return { endpoint, requests, sizes, proofs: () => proofs };
}

function balance(endpoint: Endpoint, number: number): Promise<bigint> {
  return endpoint.run((rpc) => rpc.quantity({ method: 'eth_getBalance', params: [owner(number), 'latest'] }));
}

const NUMBERS = [1, 2, 3, 4];
const BALANCES = [1n, 2n, 3n, 4n];
const ALONE = [1, 1, 1, 1];

function askAll(endpoint: Endpoint, numbers = NUMBERS) {
  return Promise.all(numbers.map((number) => balance(endpoint, number)));
}

/** What each is answered, or why it fails. */
async function outcomes(endpoint: Endpoint, numbers = NUMBERS) {
  const settled = await Promise.allSettled(numbers.map((number) => balance(endpoint, number)));
  return settled.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.reason));
}

test('behavior: reads of one turn share a request and a proof of the chain, whichever calls ask them', async () => {
  const { endpoint, sizes, proofs } = await open(well);
  expect(await askAll(endpoint)).toEqual(BALANCES);
  expect([sizes(), proofs()]).toEqual([[4], 1]);
  expect(await balance(endpoint, 9)).toBe(9n);
  expect(await Promise.all([askAll(endpoint, [1]), askAll(endpoint, [2, 3])])).toEqual([[1n], [2n, 3n]]);
  expect([sizes(), proofs()]).toEqual([[4, 1, 3], 1]);
});

test('security: signed bytes are sent in a request of their own, once', async () => {
  const { endpoint, requests } = await open(well, { alone: (response) => response.writeHead(503).end() });
  const sent = endpoint.run((rpc) => rpc.send('0x02'));
  const [read] = await Promise.all([askAll(endpoint), expect(sent).rejects.toMatchObject({ reason: 'server_error' })]);
  expect(read).toEqual(BALANCES);
  const methods = requests.map((each) => each.map(({ method }) => method));
  expect(methods.toSorted((a, b) => a.length - b.length)).toEqual([
    ['eth_sendRawTransaction'],
    Array.from({ length: 4 }, () => 'eth_getBalance'),
  ]);
});

const ERROR = { code: -32600, message: 'batches are not supported' };
const status =
  (code: number, body: unknown = 'no'): Serve =>
  (response) =>
    reply(response.writeHead(code), body);

test.each<[how: string, together: Serve, tries?: number]>([
  ['an error object', (response) => reply(response, { jsonrpc: '2.0', id: null, error: ERROR })],
  [
    'an error for each',
    (response, sent) =>
      reply(
        response,
        sent.map(({ id }) => ({ id, error: ERROR })),
      ),
  ],
  ['HTTP 400 and an error', status(400, { error: ERROR })],
  ['HTTP 403', status(403)],
  ['HTTP 413', status(413)],
  ['HTTP 429', status(429)],
  ['HTTP 500', status(500)],
  ['HTTP 503 and the answers', (response, sent) => reply(response.writeHead(503), sent.map(wellTo))],
  ['a page', (response) => response.end('<html>')],
  ['one result', (response) => reply(response, { jsonrpc: '2.0', id: 0, result: '0x63' })],
  ['an empty list', (response) => reply(response, [])],
  [
    'nulls',
    (response, sent) =>
      reply(
        response,
        sent.map(({ id }) => ({ jsonrpc: '2.0', id, result: null })),
      ),
  ],
  ['more than it may say', (response, sent) => reply(response, [...sent.map(wellTo), 'x'.repeat(11 * 2 ** 20)])],
  // It may have been an accident: a smaller one is tried.
  ['an end of the connection', (response) => response.destroy(), 2],
])(
  'behavior: where a batch is answered by %s, each is asked alone, and that is remembered',
  async (...[, together, tries = 1]) => {
    const { endpoint, sizes } = await open(together);
    for (let time = 0; time < 3; time += 1) {
      const before = sizes().length;
      expect(await askAll(endpoint)).toEqual(BALANCES);
      expect(sizes().slice(before)).toEqual(time < tries ? [4, ...ALONE] : ALONE);
    }
  },
);

test.each<[what: string, change: (answers: Told[]) => unknown[], again?: number[]]>([
  ['are in another order', (answers) => answers.toReversed()],
  ['are more than were asked', (answers) => [{ id: 99, result: '0x63' }, null, 'x', ...answers]],
  ['lack one', ([first, , ...rest]) => [first, ...rest], [1]],
  ['hold one twice', (answers) => [{ ...answers[1], result: '0x63' }, ...answers], [1]],
  ['hold one three times', (answers) => [...answers, answers[1], answers[1]], [1]],
  ['name one by text', ([first, second, ...rest]) => [first, { ...second, id: '1' }, ...rest], [1]],
  ['name one not at all', ([first, second, ...rest]) => [first, { ...second, id: undefined }, ...rest], [1]],
  ['hold an error', ([first, , ...rest]) => [first, { id: 1, error: { code: -32016, message: 'rate' } }, ...rest], [1]],
  ['hold no number', ([first, , ...rest]) => [first, { id: 1, result: 'much' }, ...rest], [1]],
])('behavior: where the answers of a batch %s, each read has its own', async (...[, change, again = []]) => {
  const { endpoint, sizes } = await open((response, sent) => reply(response, change(sent.map(wellTo))));
  expect(await askAll(endpoint)).toEqual(BALANCES);
  expect(sizes()).toEqual([4, ...again]);
  expect(await askAll(endpoint)).toEqual(BALANCES);
  expect(sizes()).toEqual([4, ...again, 4, ...again]);
});

test.each<[what: string, answer: object, reason: string, again: number[]]>([
  ['an error', { error: { code: -32000, message: 'no' } }, 'server_error', [1]],
  ['too long', { result: `0x${'00'.repeat(2 ** 20 + 1)}` }, 'bad_response', []],
])('error: an answer that is %s fails its own read alone', async (...[, answer, reason, again]) => {
  const oddTo = (sent: Sent) => (sent.params[0] === owner(2) ? { id: sent.id, ...answer } : wellTo(sent));
  const { endpoint, sizes } = await open((response, sent) => reply(response, sent.map(oddTo)), {
    alone: (response, [sent]) => reply(response, oddTo(sent as Sent)),
  });
  expect(await outcomes(endpoint)).toEqual([1n, reason, 3n, 4n]);
  expect(sizes()).toEqual([4, ...again]);
  expect(await askAll(endpoint, [3, 4])).toEqual([3n, 4n]);
  expect(sizes().at(-1)).toBe(2);
});

test('security: a read that takes too long fails alone, also where a batch waits for its slowest', async () => {
  const hang: Serve = (response, sent) => sent.some(({ params }) => params[0] === owner(2)) || well(response, sent);
  const { endpoint, sizes } = await open(hang, { alone: hang, limits: { timeoutMs: 500, deadlineMs: 20_000 } });
  expect(await outcomes(endpoint)).toEqual([1n, 'timeout', 3n, 4n]);
  expect(sizes()).toEqual([4, ...ALONE]);
  // Smaller batches are tried before none is.
  await outcomes(endpoint);
  await outcomes(endpoint);
  expect(sizes()).toEqual([4, ...ALONE, 4, ...ALONE, ...ALONE]);
});

test('error: a batch is given up when the time of all its reads is up', async () => {
  let isOpen = true;
  const hang: Serve = (response) => response.on('close', () => (isOpen = false));
  const { endpoint } = await open(hang, { limits: { timeoutMs: 60_000, deadlineMs: 300 } });
  expect(await outcomes(endpoint)).toEqual(NUMBERS.map(() => 'timeout'));
  await expect.poll(() => isOpen).toBe(false);
});

test.each([
  ['fails', 503, 'server_error'],
  ['is asked too often', 429, 'rate_limited'],
])('error: an endpoint that %s altogether is not asked everything alone', async (_how, code, reason) => {
  const { endpoint, sizes } = await open(status(code), { alone: status(code) });
  const many = Array.from({ length: 90 }, (_, number) => number);
  expect(new Set(await outcomes(endpoint, many))).toEqual(new Set([reason]));
  expect(sizes().filter((size) => size > 1)).toEqual([90, 10]);
  // Those that are under way when as many have failed as are asked at a time.
  expect(sizes().length).toBeLessThan(2 + 2 * 16);
});

test('security: no answer of a batch is believed when its connection ended before and the next one serves another chain', async () => {
  let chainId = 8453;
  const { endpoint, sizes } = await open(well, {
    chainId: () => chainId,
    alone: (response, sent) => well(response.setHeader('connection', 'close'), sent),
  });
  const asked = endpoint.run(async (rpc) => {
    const ask = (number: number) => rpc.quantity({ method: 'eth_getBalance', params: [owner(number), 'latest'] });
    await ask(1);
    chainId = 1;
    return await Promise.allSettled([ask(2), ask(3)]);
  });
  const fault = { retry: 'never', message: 'chain base: the endpoint serves chain id 1, expected 8453' };
  const failed = { status: 'rejected', reason: expect.objectContaining(fault) };
  expect(await asked).toEqual([failed, failed]);
  expect(sizes()).toEqual([1, 2]);
});

test('security: the key of the URL is in no fault of a batch', async () => {
  const error = { code: -32000, message: 'no batches for fake-key-for-tests-only' };
  const refuse: Serve = (response) => reply(response, { id: 1, error });
  const { endpoint } = await open(refuse, { alone: refuse, path: '/v2/fake-key-for-tests-only' });
  const thrown: unknown = await askAll(endpoint).catch((fault: unknown) => fault);
  expect(thrown).toMatchObject({ text: 'no batches for [endpoint]' });
  expect(JSON.stringify([thrown, String(thrown), String((thrown as Error).cause)])).not.toContain('fake-key');
});
