import { beforeAll, expect, test } from 'vitest';
import { createChainReader } from '../../src/chain/reader.ts';
import { anvilClients, startAnvil } from '../support/anvil.ts';
import type { Answer } from '../support/json-rpc.ts';
import { ANVIL } from '../support/payer.ts';
import { openProxy } from '../support/proxies.ts';
import type { PassingCall } from '../support/rpc-proxy.ts';

const SECOND = 1_000;
const CONFIRMATIONS = 3;

let anvil: Awaited<ReturnType<typeof startAnvil>>;
beforeAll(async () => {
  anvil = await startAnvil();
  return anvil.stop;
});

function reader(rpcUrl = anvil.url) {
  const limits = { timeoutMs: 5_000, retries: 0, deadlineMs: 10_000 };
  return createChainReader({ chain: { ...ANVIL, confirmations: CONFIRMATIONS }, rpcUrl, clock: Date.now, ...limits });
}

/** An endpoint that answers a question for a block, whose number is not one for the newest, as `answer` says. */
function readerBehind(answer: (block: number, call: PassingCall) => Promise<Answer | undefined> | Answer | undefined) {
  return openProxy(anvil.url, (call) =>
    call.method === 'eth_getBlockByNumber' ? answer(Number((call.params as unknown[])[0]), call) : undefined,
  ).then(({ url }) => reader(url));
}

/** The node's own answer with another part. */
async function forged({ forward }: PassingCall, change: object): Promise<Answer> {
  const answer = await forward();
  return 'result' in answer ? { result: { ...Object(answer.result), ...change } } : answer;
}

interface Mined {
  readonly number: bigint;
  readonly hash: string;
  readonly at: number;
}

/** All blocks, the oldest first. */
async function blocks(): Promise<Mined[]> {
  const { public: node } = anvilClients(anvil.url);
  const last = Number(await node.getBlockNumber());
  const found: Mined[] = [];
  for (let number = 0; number <= last; number += 1) {
    const { hash, timestamp } = await node.getBlock({ blockNumber: BigInt(number) });
    found.push({ number: BigInt(number), hash, at: Number(timestamp) * SECOND });
  }
  return found;
}

const mine = (count: number, interval: number) => anvilClients(anvil.url).test.mine({ blocks: count, interval });

test('behavior: the first block with a time or a later one is found in few steps, once it is deep enough', async () => {
  await mine(40, 12);
  // Blocks of rollups can share a second, and others are late.
  await mine(1, 300);
  await mine(9, 2);
  const all = await blocks();
  const settled = all.slice(0, 1 - CONFIRMATIONS);
  const proxy = await openProxy(anvil.url);
  for (const { at } of all.filter(({ number }) => number % 4n === 1n || number > 38n)) {
    for (const time of [at - 1, at, at + 1]) {
      const before = proxy.asked.length;
      const expected = settled.find((block) => block.at >= time) ?? null;
      expect({ time, block: await reader(proxy.url).firstBlockSince(time) }).toEqual({ time, block: expected });
      expect(proxy.asked.length - before).toBeLessThan(20);
    }
  }
  expect(await reader().firstBlockSince(0)).toEqual(all[0]);
});

test('security: a block that a reorganisation may still take away is not taken', async () => {
  const { test: node } = anvilClients(anvil.url);
  await mine(5, 10);
  const time = ((await blocks()).at(-1)?.at ?? 0) + SECOND;
  await mine(1, 10);
  const lost = (await blocks()).at(-1);
  expect(lost?.at).toBeGreaterThanOrEqual(time);
  expect(await reader().firstBlockSince(time)).toBeNull();
  await node.setCoinbase({ address: '0x00000000000000000000000000000000000000aa' });
  await node.request({ method: 'anvil_rollback', params: [1] } as never);
  await mine(4, 10);
  const kept = (await blocks()).find(({ at }) => at >= time);
  expect(kept?.hash).not.toBe(lost?.hash);
  expect(await reader().firstBlockSince(time)).toEqual(kept);
});

test('error: an endpoint whose blocks do not follow one another is not believed', async () => {
  const time = (await blocks())[20]?.at ?? 0;
  const other = `0x${'ab'.repeat(32)}`;
  const liar = await readerBehind((block, call) => (block === 19 ? forged(call, { hash: other }) : undefined));
  await expect(liar.firstBlockSince(time)).rejects.toMatchObject({
    retry: 'safe',
    reason: 'bad_response',
    message: 'chain anvil: block 20 does not follow block 19',
  });
  const forgetful = await readerBehind((block) => (block === 19 ? { result: null } : undefined));
  await expect(forgetful.firstBlockSince(time)).rejects.toMatchObject({ reason: 'bad_response' });
});

test('error: a block whose time is no date is not believed', async () => {
  const time = (await blocks())[20]?.at ?? 0;
  // The newest block has no number here, and is changed as well.
  const liar = await readerBehind((block, call) =>
    block < 20 ? undefined : forged(call, { timestamp: '0xffffffffffffffff' }),
  );
  await expect(liar.firstBlockSince(time)).rejects.toMatchObject({ retry: 'safe', reason: 'bad_response' });
});
