import { describe, expect, inject, test } from 'vitest';
import { createChains } from '../../src/chain/registry.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../src/domain/gigs/token.ts';
import {
  anvilClients,
  deployToken,
  freshAddress,
  fundNative,
  fundToken,
  mined,
  placeCode,
  type TestToken,
} from '../support/anvil.ts';
import { ANVIL } from '../support/payer.ts';
import { changes, type Interception, openEndpoint, openProxy } from '../support/proxies.ts';
import { answeringWord, oldToken, REVERTING, SILENT } from '../support/token.ts';
import { BASE } from './endpoints.ts';

const NATIVE = { address: NATIVE_TOKEN_ADDRESS, isNative: true };
const NOW = 1_700_000_000_000;
const NO_TOKEN = { name: 'AdapterError', retry: 'never', reason: 'bad_response' };

function reader() {
  return createChains({ endpoints: [{ chain: ANVIL, rpcUrls: [inject('anvilUrl')] }], clock: () => NOW }).reader(31337);
}

const revert = (receipt: object) => ({ ...receipt, status: '0x0' });
const forget: Interception = ({ method }) => (method.startsWith('eth_getTransaction') ? { result: null } : undefined);

function erc20(token: Pick<TestToken, 'address'>) {
  return { address: token.address, isNative: false };
}

describe('balances', () => {
  test('behavior: are those of many wallets in their order; null where a token cannot tell', async () => {
    const token = await deployToken({ decimals: 6 });
    const [rich, poor] = [freshAddress(), freshAddress()];
    await fundToken(token, rich, 1_500_001n);
    await fundNative(poor, 7n);
    const queries = [
      { wallet: rich, token: token.address },
      { wallet: poor, token: token.address },
      { wallet: poor, token: NATIVE_TOKEN_ADDRESS },
      { wallet: rich, token: freshAddress() },
    ];
    expect(await reader().balances(queries)).toEqual([1_500_001n, 0n, 7n, null]);
    expect(await reader().balances([])).toEqual([]);
  });
});

describe('balance', () => {
  test.each([
    { decimals: 18, amount: 105_000_000_000_000_000_000n, text: 'exactly 105 tokens of 18 decimals' },
    { decimals: 18, amount: 104_999_999_999_999_999_999n, text: 'one base unit less' },
    { decimals: 18, amount: 105_000_000_000_000_000_001n, text: 'one base unit more' },
    { decimals: 6, amount: 1_500_001n, text: 'a token of 6 decimals' },
    { decimals: 0, amount: 7n, text: 'a token of 0 decimals' },
    { decimals: 18, amount: 9_007_199_254_740_993n, text: 'the first integer no float holds, 2^53 + 1' },
    { decimals: 18, amount: 2n ** 255n - 1n, text: 'more than any token has' },
  ])('behavior: reads $text to the base unit', async ({ decimals, amount }) => {
    const token = await deployToken({ decimals });
    const owner = freshAddress();
    await fundToken(token, owner, amount);
    expect(await reader().balance({ token: erc20(token), owner })).toMatchObject({ amount });
  });

  test('behavior: reads the native asset to the wei', async () => {
    const owner = freshAddress();
    await fundNative(owner, 1_000_000_000_000_000_001n);
    expect((await reader().balance({ token: NATIVE, owner })).amount).toBe(1_000_000_000_000_000_001n);
  });

  test('behavior: an address that holds nothing has a balance of zero', async () => {
    const token = await deployToken({ decimals: 18 });
    const owner = freshAddress();
    expect((await reader().balance({ token: erc20(token), owner })).amount).toBe(0n);
    expect((await reader().balance({ token: NATIVE, owner })).amount).toBe(0n);
  });

  test('behavior: names a block in which the balance was so', async () => {
    const token = await deployToken({ decimals: 18 });
    const owner = freshAddress();
    const firstBlock = await fundToken(token, owner, 40n);
    const before = await reader().balance({ token: erc20(token), owner });
    const secondBlock = await fundToken(token, owner, 2n);
    const after = await reader().balance({ token: erc20(token), owner });
    expect([before.amount, after.amount]).toEqual([40n, 42n]);
    expect(before.blockNumber).toBeGreaterThanOrEqual(firstBlock);
    expect(before.blockNumber).toBeLessThan(secondBlock);
    expect(after.blockNumber).toBeGreaterThanOrEqual(secondBlock);
    expect((await anvilClients().public.getBlock({ blockNumber: after.blockNumber })).number).toBe(after.blockNumber);
  });

  test.each([
    { text: 'an address without code', code: '0x' },
    { text: 'a contract that answers nothing', code: SILENT },
    { text: 'a contract that reverts', code: REVERTING },
    { text: 'a contract whose answer is shorter than a word', code: '0x601f5ff3' },
  ] as const)('error: $text is never a balance of zero', async ({ code }) => {
    const address = await placeCode(code);
    const reading = reader().balance({ token: { address, isNative: false }, owner: freshAddress() });
    await expect(reading).rejects.toMatchObject(NO_TOKEN);
  });

  test('security: a precompiled contract, which echoes the question, is no token', async () => {
    const identity = { address: '0x0000000000000000000000000000000000000004', isNative: false } as const;
    const reading = reader().balance({ token: identity, owner: freshAddress() });
    await expect(reading).rejects.toMatchObject(NO_TOKEN);
  });
});

describe('token metadata', () => {
  test.each([18, 6, 0, 255])('behavior: reads name, symbol and %d decimals', async (decimals) => {
    const token = await deployToken({ decimals, name: 'Degen ✨', symbol: 'DEGEN' });
    expect(await reader().tokenMetadata(token.address)).toEqual({ name: 'Degen ✨', symbol: 'DEGEN', decimals });
  });

  test('behavior: reads the padded words of tokens older than the standard', async () => {
    // "MKR"
    const address = await placeCode(oldToken({ text: '0x4d4b52', decimals: 18n }));
    expect(await reader().tokenMetadata(address)).toEqual({ name: 'MKR', symbol: 'MKR', decimals: 18 });
  });

  test('behavior: hands over hostile text as it is', async () => {
    const hostile = { name: '@alice\u0000 http://evil.example', symbol: '\u202eTSRIF', decimals: 18 };
    const token = await deployToken(hostile);
    expect(await reader().tokenMetadata(token.address)).toEqual(hostile);
  });

  test('error: an address without code is not found', async () => {
    const reading = reader().tokenMetadata(freshAddress());
    await expect(reading).rejects.toMatchObject({ name: 'AdapterError', retry: 'never', reason: 'not_found' });
  });

  test.each([
    { text: 'a contract that reverts', code: REVERTING },
    { text: 'a contract that answers nothing', code: SILENT },
    { text: 'a token of 256 decimals', code: oldToken({ text: '0x4d4b52', decimals: 256n }) },
    { text: 'a token of 2^256 - 1 decimals', code: answeringWord(`0x${'f'.repeat(64)}`) },
  ])('error: $text has no metadata', async ({ code }) => {
    const reading = reader().tokenMetadata(await placeCode(code));
    await expect(reading).rejects.toMatchObject(NO_TOKEN);
  });
});

test('behavior: a ping answers the newest block and counts as a success', async () => {
  const chain = reader();
  expect(chain.lastSuccess()).toBeNull();
  const block = await fundNative(freshAddress(), 1n);
  expect((await chain.ping()).blockNumber).toBeGreaterThanOrEqual(block);
  expect(chain.lastSuccess()).toBe(1_700_000_000_000);
});

test('error: an endpoint without a block but the first does not answer well, until it has one', async () => {
  let newest = '0x0';
  const { url } = await openEndpoint((method) => ({ result: method === 'eth_chainId' ? '0x2105' : newest }));
  const endpoints = [{ chain: BASE, rpcUrls: [url] }] as const;
  const reader = createChains({ endpoints, clock: () => NOW, retries: 0 }).reader(BASE.id);
  await expect(reader.ping()).rejects.toMatchObject({
    name: 'AdapterError',
    message: 'chain base: the endpoint has no blocks: its newest one is 0',
  });
  // As one that was never reached: a condition after three minutes, and failed by doctor at once.
  expect(reader.lastSuccess()).toBeNull();
  newest = '0x1';
  expect(await reader.ping()).toEqual({ blockNumber: 1n });
  expect(reader.lastSuccess()).toBe(NOW);
});

test.each([
  {
    text: 'says that a transaction was reverted',
    intercept: changes('eth_getTransactionReceipt', revert),
    state: 'reverted',
  },
  { text: 'knows no transaction', intercept: forget, state: 'unknown' },
])(
  'security: an endpoint that $text is believed only while no other one has it confirmed',
  async ({ intercept, state }) => {
    const { holder } = await deployToken({ decimals: 6 });
    const hash = await anvilClients().wallet.sendTransaction({ account: holder, to: freshAddress(), value: 1n });
    const { blockNumber } = await mined(hash);
    const proxy = await openProxy(inject('anvilUrl'), intercept);
    const standing = (...rpcUrls: [string, ...string[]]) =>
      createChains({ endpoints: [{ chain: ANVIL, rpcUrls }], clock: () => NOW })
        .reader(31337)
        .standingOf(hash);
    expect((await standing(proxy.url)).state).toBe(state);
    expect(await standing(proxy.url, inject('anvilUrl'))).toEqual({ state: 'confirmed', blockNumber });
  },
);
