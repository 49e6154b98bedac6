import { beforeAll, describe, expect, inject, test } from 'vitest';
import { createEndpoint, type ReadQuestion, toData, toQuantity } from '../../../src/chain/rpc/endpoint.ts';
import { RpcFault } from '../../../src/chain/rpc/fault.ts';
import { createManyReads } from '../../../src/chain/rpc/many-reads.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import { anvilClients, freshAddress } from '../../support/anvil.ts';
import type { Answer } from '../../support/json-rpc.ts';
import { ANVIL } from '../../support/payer.ts';
import { type Interception, openProxy } from '../../support/proxies.ts';

/** Each hundredth one holds its place in wei. */
const owners: Address[] = Array.from({ length: 250 }, freshAddress);
const held = owners.map((_, place) => (place % 100 === 7 ? BigInt(place) : 0n));
/** Code that reverts. */
const REVERTING = '0x60006000fd';
let reverting: Address;

beforeAll(async () => {
  const { test: node } = anvilClients();
  for (const [place, address] of owners.entries()) {
    const value = held[place] ?? 0n;
    if (value > 0n) await node.setBalance({ address, value });
  }
  reverting = freshAddress();
  await node.setCode({ address: reverting, bytecode: REVERTING });
});

function balanceOf(address: Address): ReadQuestion<bigint> {
  return { read: { method: 'eth_getBalance', params: [address, 'latest'] }, accept: toQuantity };
}

/** Reads through a proxy, and of how many questions each request consisted, without that for the chain id. */
async function through(intercept?: Interception, timeoutMs = 5_000) {
  const proxy = await openProxy(inject('anvilUrl'), intercept);
  const limits = { clock: Date.now, timeoutMs, retries: 0, deadlineMs: 20_000 };
  const endpoint = createEndpoint({ chain: ANVIL, rpcUrl: proxy.url, ...limits });
  await endpoint.run((rpc) => rpc.quantity({ method: 'eth_blockNumber' }));
  const before = proxy.sizes.length;
  return { readMany: createManyReads(endpoint), sizes: () => proxy.sizes.slice(before) };
}

/** What an endpoint answers to a whole batch: an object, where a list is expected. */
function refusal(error: object, status = 200): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
  };
}

describe('many questions', () => {
  test('behavior: share a request by the hundred, and are answered in their order', async () => {
    const { readMany, sizes } = await through();
    expect(await readMany(owners.map(balanceOf))).toEqual(held);
    expect(sizes()).toEqual([100, 100, 50]);
    expect(await readMany([])).toEqual([]);
  });

  test.each([
    ['a JSON-RPC error', refusal({ code: -32014, message: 'too many RPC calls in batch request' })],
    ['an HTTP status', refusal({ code: -32600, message: 'batch too large' }, 413)],
    ['a rate limit', refusal({ code: -32005, message: 'rate limited' }, 429)],
    ['no JSON', (response) => void response.end('<html>')],
    ['a result of its own', (response) => void response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}')],
    ['an error for each', { error: { code: 31, message: 'batch of more than 3 requests is not allowed' } }],
  ] satisfies [string, Answer][])('behavior: go by tens where a hundred are refused with %s', async (_how, answer) => {
    const { readMany, sizes } = await through(({ together }) => (together > 10 ? answer : undefined));
    expect(await readMany(owners.map(balanceOf))).toEqual(held);
    expect(sizes()).toEqual([100, ...Array.from({ length: 25 }, () => 10)]);
    const before = sizes().length;
    expect(await readMany(owners.slice(0, 20).map(balanceOf))).toEqual(held.slice(0, 20));
    expect(sizes().slice(before)).toEqual([10, 10]);
  });

  test('behavior: go one by one where batches are refused, and no batch is tried again', async () => {
    const refused = refusal({ code: -32600, message: 'batches are not supported' });
    const { readMany, sizes } = await through(({ together }) => (together > 1 ? refused : undefined));
    expect(await readMany(owners.slice(0, 30).map(balanceOf))).toEqual(held.slice(0, 30));
    expect(sizes().filter((size) => size > 1)).toEqual([30, 10]);
    const before = sizes().length;
    expect(await readMany(owners.slice(0, 30).map(balanceOf))).toEqual(held.slice(0, 30));
    expect(new Set(sizes().slice(before))).toEqual(new Set([1]));
  });

  test('behavior: go one by one where connections end at batches', async () => {
    const { readMany, sizes } = await through(({ together }) =>
      together > 1 ? (response) => void response.destroy() : undefined,
    );
    for (let time = 0; time < 2; time += 1) {
      expect(await readMany(owners.slice(0, 30).map(balanceOf))).toEqual(held.slice(0, 30));
    }
    expect(sizes().filter((size) => size > 1)).toEqual([30, 10]);
  });

  test('behavior: batches that were refused are tried again after a hundred uses', async () => {
    let refuses = true;
    const { readMany, sizes } = await through(({ together }) =>
      refuses && together > 1 ? refusal({}, 413) : undefined,
    );
    const two = owners.slice(0, 2).map(balanceOf);
    await readMany(two);
    refuses = false;
    for (let use = 2; use < 100; use += 1) await readMany(two);
    expect(sizes().slice(-2)).toEqual([1, 1]);
    await readMany(two);
    await readMany(two);
    expect(sizes().slice(-2)).toEqual([2, 2]);
  });

  test('behavior: one that fails in a batch is asked again alone', async () => {
    const { readMany, sizes } = await through(({ method, together, times }) =>
      method === 'eth_getBalance' && together > 1 && times === 7
        ? { error: { code: -32016, message: 'over rate limit' } }
        : undefined,
    );
    expect(await readMany(owners.slice(0, 20).map(balanceOf))).toEqual(held.slice(0, 20));
    expect(sizes()).toEqual([20, 1]);
  });

  test('behavior: a call that reverts is answered by its fault, and not asked again', async () => {
    const { readMany, sizes } = await through();
    const callOf = (to: Address): ReadQuestion<string> => {
      return { read: { method: 'eth_call', params: [{ to }, 'latest'] }, accept: toData };
    };
    const called = callOf(reverting);
    const [first, second] = await readMany([called, callOf(freshAddress())]);
    expect(first).toBeInstanceOf(RpcFault);
    expect(first).toMatchObject({ reverted: true });
    expect(second).toBe('0x');
    expect(await readMany([called])).toEqual([expect.any(RpcFault)]);
    expect(sizes()).toEqual([2, 1]);
  });

  test.each([[{ result: 'much' }], [{ result: null }], [{ error: { code: -32000, message: 'header not found' } }]])(
    'error: an answer that is %j is an AdapterError, and no number',
    async (answer) => {
      const [, odd] = owners;
      const { readMany } = await through(({ method, params }) =>
        method === 'eth_getBalance' && (params as [string])[0] === odd ? answer : undefined,
      );
      await expect(readMany(owners.map(balanceOf))).rejects.toMatchObject({ name: 'AdapterError' });
    },
  );

  test('error: an answer that cannot be read is an AdapterError, alone and among others', async () => {
    const { readMany } = await through();
    const failing: ReadQuestion<bigint> = {
      read: { method: 'eth_blockNumber' },
      accept: () => {
        throw new RangeError('too much');
      },
    };
    for (const questions of [[failing], [failing, ...owners.slice(0, 2).map(balanceOf)]]) {
      await expect(readMany(questions)).rejects.toMatchObject({ name: 'AdapterError', reason: 'bad_response' });
    }
  });

  test.each<[what: string, answer: Answer, reason: string, tried: number[]]>([
    // A smaller batch may be answered.
    ['gone', (response) => response.destroy(), 'unreachable', [100, 10]],
    ['silent', () => undefined, 'timeout', [100]],
  ])('error: an endpoint that is %s is no endpoint without batches', async (_what, answer, reason, tried) => {
    let isWell = false;
    const { readMany, sizes } = await through(
      ({ method }) => (isWell || method !== 'eth_getBalance' ? undefined : answer),
      3_000,
    );
    await expect(readMany(owners.map(balanceOf))).rejects.toMatchObject({ reason });
    expect(sizes().filter((size) => size > 1)).toEqual(tried);
    isWell = true;
    const before = sizes().length;
    expect(await readMany(owners.map(balanceOf))).toEqual(held);
    expect(sizes().slice(before)).toContain(100);
  });
});
