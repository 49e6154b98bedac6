import { encodeFunctionData, erc20Abi } from 'viem';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { createAuditors } from '../../src/chain/registry.ts';
import type { Address } from '../../src/domain/token.ts';
import {
  anvilClients,
  deployToken,
  freshAccount,
  freshAddress,
  fundNative,
  fundToken,
  mined,
} from '../support/anvil.ts';
import { type Answer, serveJsonRpc } from '../support/json-rpc.ts';
import { deployOdd, setting } from '../support/odd-tokens.ts';
import { ANVIL, createPayer, NATIVE, type Payer } from '../support/payer.ts';
import { serveRpcProxy } from '../support/rpc-proxy.ts';

const UNIT = 1_000_000n;

function auditor(options: { url?: string; confirmations?: number } = {}) {
  const { url = inject('anvilUrl'), confirmations = 1 } = options;
  const endpoints = [{ chain: { ...ANVIL, confirmations }, rpcUrl: url }];
  return createAuditors({ endpoints, clock: () => 1_700_000_000_000, retries: 0 }).auditor(31337);
}

/** A wallet with gas and 10 units of a new token, and the block from which on it is audited. */
async function openWallet() {
  const payer = createPayer();
  const token = await deployToken({ decimals: 6 });
  await fundNative(payer.gig, 10n ** 18n);
  const after = await fundToken(token, payer.gig, 10n * UNIT);
  return { payer, token, after };
}

async function pay(payer: Payer, token: Address, terms: { amount: bigint; nonce: number }): Promise<`0x${string}`> {
  const { amount, nonce } = terms;
  const call = { from: payer.gig, token: { address: token, isNative: false }, to: freshAddress(), amount };
  const signed = await payer.signed(call, { nonce });
  await payer.land(signed);
  return signed.hash;
}

/** Has a stranger move nothing from a wallet, which every ERC-20 allows and notes as a transfer. */
async function pretend(token: Address, owner: Address): Promise<void> {
  const account = await freshAccount();
  const args = [owner, account.address, 0n] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args });
  await mined(await anvilClients().wallet.sendTransaction({ account, to: token, data }));
}

describe('what left wallets', () => {
  test('behavior: is each transaction that took tokens, oldest first, with what it took', async () => {
    const { payer, token, after } = await openWallet();
    const first = await pay(payer, token.address, { amount: 3n, nonce: 0 });
    const second = await pay(payer, token.address, { amount: UNIT, nonce: 1 });
    const until = await auditor().block(after);
    const query = { tokens: [token.address], owners: [payer.gig], after, until };
    expect(await auditor().tokensSent(query)).toMatchObject([
      { token: token.address, owner: payer.gig, hash: first, amount: 3n },
      { token: token.address, owner: payer.gig, hash: second, amount: UNIT },
    ]);
  });

  test('behavior: is asked of several wallets and tokens at once, and of those blocks only', async () => {
    const [one, two] = [await openWallet(), await openWallet()];
    const early = await pay(one.payer, one.token.address, { amount: 1n, nonce: 0 });
    const between = await auditor().block(0n);
    const late = await pay(two.payer, two.token.address, { amount: 2n, nonce: 0 });
    const wallets = { tokens: [one.token.address, two.token.address], owners: [one.payer.gig, two.payer.gig] };
    const hashes = async (after: bigint, until: bigint) =>
      (await auditor().tokensSent({ ...wallets, after, until })).map(({ hash }) => hash);
    const now = await auditor().block(between);
    expect(await hashes(one.after, now)).toEqual([early, late]);
    expect(await hashes(one.after, between)).toEqual([early]);
    expect(await hashes(between, now)).toEqual([late]);
    expect(await hashes(now, now)).toEqual([]);
  });

  test('security: a stranger cannot make it look as if something had left', async () => {
    const { payer, token, after } = await openWallet();
    await pretend(token.address, payer.gig);
    const until = await auditor().block(after);
    expect(await auditor().tokensSent({ tokens: [token.address], owners: [payer.gig], after, until })).toEqual([]);
  });

  test('behavior: the parts that a token keeps count as well', async () => {
    const payer = createPayer();
    const token = await deployOdd('FeeToken');
    await fundNative(payer.gig, 10n ** 18n);
    const after = await fundToken(token, payer.gig, 100n);
    await token.change(setting.charging);
    await pay(payer, token.address, { amount: 100n, nonce: 0 });
    const until = await auditor().block(after);
    const sent = await auditor().tokensSent({ tokens: [token.address], owners: [payer.gig], after, until });
    expect(sent.map(({ amount }) => amount)).toEqual([100n]);
  });
});

describe('an endpoint that lists events of few blocks at once', () => {
  /** Refuses questions of more than so many blocks. */
  async function narrow(blocks: bigint, refusal: Answer) {
    const ranges: bigint[] = [];
    const proxy = await serveRpcProxy(inject('anvilUrl'), (call) => {
      if (call.method !== 'eth_getLogs') return undefined;
      const [filter] = call.params as [{ fromBlock: string; toBlock: string }];
      const range = BigInt(filter.toBlock) - BigInt(filter.fromBlock) + 1n;
      ranges.push(range);
      return range > blocks ? Promise.resolve(refusal) : undefined;
    });
    onTestFinished(proxy.close);
    return { url: proxy.url, ranges };
  }

  test.each([
    { code: -32005, message: 'query returned more than 10000 results' },
    {
      code: -32602,
      message: 'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range',
    },
    { code: -32000, message: 'exceed maximum block range: 200' },
  ])('behavior: is asked in smaller ranges when it says $message', async (error) => {
    const { payer, token, after } = await openWallet();
    const first = await pay(payer, token.address, { amount: 1n, nonce: 0 });
    await anvilClients().test.mine({ blocks: 500 });
    const last = await pay(payer, token.address, { amount: 2n, nonce: 1 });
    const { url, ranges } = await narrow(200n, { error });
    const until = await auditor().block(after);
    const sent = await auditor({ url }).tokensSent({ tokens: [token.address], owners: [payer.gig], after, until });
    expect(sent.map(({ hash }) => hash)).toEqual([first, last]);
    const answered = ranges.filter((range) => range <= 200n);
    expect(answered.reduce((sum, range) => sum + range, 0n)).toBe(until - after);
  });

  test('error: is not asked for ever when it allows next to nothing', async () => {
    const { payer, token, after } = await openWallet();
    await anvilClients().test.mine({ blocks: 100 });
    const { url, ranges } = await narrow(10n, { error: { code: -32600, message: 'up to a 10 block range' } });
    const until = await auditor().block(after);
    const asking = auditor({ url }).tokensSent({ tokens: [token.address], owners: [payer.gig], after, until });
    await expect(asking).rejects.toMatchObject({ name: 'AdapterError', retry: 'never', reason: 'rejected' });
    expect(ranges.length).toBeLessThan(10);
  });

  test('error: a rate limit is no reason to ask for less', async () => {
    const { payer, token, after } = await openWallet();
    await anvilClients().test.mine({ blocks: 500 });
    const { url, ranges } = await narrow(0n, { error: { code: -32005, message: 'request rate exceeded' } });
    const until = await auditor().block(after);
    const asking = auditor({ url }).tokensSent({ tokens: [token.address], owners: [payer.gig], after, until });
    await expect(asking).rejects.toMatchObject({ retry: 'safe', reason: 'rate_limited' });
    expect(ranges).toHaveLength(1);
  });
});

describe('an endpoint that answers nonsense', () => {
  const OWNER = '0x00000000000000000000000000000000000000cc';
  const TOKEN = '0x00000000000000000000000000000000000000aa';
  const event = {
    address: TOKEN,
    topics: [
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      `0x${'cc'.padStart(64, '0')}`,
      `0x${'bb'.padStart(64, '0')}`,
    ],
    data: `0x${'3c'.padStart(64, '0')}`,
    blockNumber: '0x5',
    transactionHash: `0x${'12'.repeat(32)}`,
    removed: false,
  };

  async function told(result: unknown) {
    const server = await serveJsonRpc((method) => ({ result: method === 'eth_chainId' ? '0x7a69' : result }));
    onTestFinished(server.close);
    const query = { tokens: [TOKEN], owners: [OWNER], after: 1n, until: 9n } as const;
    return await auditor({ url: server.url }).tokensSent(query);
  }

  test('behavior: events that were asked for are taken', async () => {
    expect(await told([event])).toEqual([
      { token: TOKEN, owner: OWNER, hash: event.transactionHash, blockNumber: 5n, amount: 60n },
    ]);
  });

  test.each([
    ['no list', null],
    ['another token', [{ ...event, address: OWNER }]],
    ['another event', [{ ...event, topics: [`0x${'11'.repeat(32)}`, ...event.topics.slice(1)] }]],
    ['another wallet', [{ ...event, topics: [event.topics[0], event.topics[2], event.topics[1]] }]],
    ['a block before', [{ ...event, blockNumber: '0x1' }]],
    ['a block behind', [{ ...event, blockNumber: '0xa' }]],
    ['an event that was taken back', [{ ...event, removed: true }]],
    ['an event without an amount', [{ ...event, data: '0x' }]],
  ])('error: %s is not an answer', async (_, result) => {
    await expect(told(result)).rejects.toMatchObject({ name: 'AdapterError', reason: 'bad_response' });
  });
});

describe('a wallet', () => {
  test('behavior: is read after a named block, with what it held and had spent then', async () => {
    const { payer, token, after } = await openWallet();
    await pay(payer, token.address, { amount: 4n * UNIT, nonce: 0 });
    const erc20 = { address: token.address, isNative: false };
    const blockNumber = await auditor().block(after);
    const owner = payer.gig;
    expect(await auditor().wallet({ token: erc20, owner, blockNumber: after })).toEqual({
      held: 10n * UNIT,
      spentNonces: 0,
    });
    expect(await auditor().wallet({ token: erc20, owner, blockNumber })).toEqual({ held: 6n * UNIT, spentNonces: 1 });
    expect(await auditor().wallet({ token: NATIVE, owner, blockNumber: after })).toMatchObject({ held: 10n ** 18n });
    expect(await auditor().spentNonces({ address: owner, blockNumber: after })).toBe(0);
    expect(await auditor().spentNonces({ address: owner, blockNumber })).toBe(1);
  });

  test('behavior: the block to audit is one that is deep enough, but none before the start', async () => {
    const head = await fundNative(freshAddress(), 1n);
    await anvilClients().test.mine({ blocks: 10 });
    const shallow = await auditor({ confirmations: 1 }).block(0n);
    expect(shallow).toBeGreaterThanOrEqual(head + 10n);
    const deep = await auditor({ confirmations: 5 }).block(0n);
    expect(deep).toBeGreaterThanOrEqual(shallow - 4n);
    expect(await auditor({ confirmations: 1_000_000 }).block(head)).toBe(head);
  });

  test('error: an endpoint that stands before the start knows nothing of the gig', async () => {
    await expect(auditor().block(10n ** 12n)).rejects.toMatchObject({ retry: 'safe', reason: 'bad_response' });
  });
});
