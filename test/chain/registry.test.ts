import { expect, inject, onTestFinished, test } from 'vitest';
import { createChains, createPayerChains } from '../../src/chain/registry.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { CHAINS } from '../../src/domain/chains/chain.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../src/domain/gigs/token.ts';
import { freshAddress } from '../support/anvil.ts';
import { serveRpcProxy } from '../support/rpc-proxy.ts';

function chains(keys: readonly string[]) {
  const enabled = CHAINS.filter((chain) => keys.includes(chain.key));
  return createChains({
    endpoints: enabled.map((chain) => ({ chain, rpcUrls: [inject('anvilUrl')] })),
    clock: () => 0,
  });
}

test('behavior: lists the enabled chains and reads each by its id', () => {
  const enabled = chains(['base', 'anvil']);
  expect(enabled.list().map((reader) => reader.chain.key)).toEqual(['base', 'anvil']);
  expect(enabled.reader(8453).chain.name).toBe('Base');
  expect(enabled.reader(31337).chain.name).toBe('Anvil');
});

test('error: a chain that is not enabled cannot be read', () => {
  expect(() => chains(['base']).reader(31337)).toThrow(
    expect.objectContaining({ name: 'AdapterError', retry: 'never', reason: 'unreachable' }),
  );
});

test('security: an endpoint of another chain is refused before any balance is read', async () => {
  const base = chains(['base']).reader(8453);
  const token = { address: NATIVE_TOKEN_ADDRESS, isNative: true };
  await expect(base.balance({ token, owner: freshAddress() })).rejects.toMatchObject({
    name: 'AdapterError',
    retry: 'never',
    reason: 'bad_response',
    message: 'chain base: the endpoint serves chain id 31337, expected 8453',
  });
  await expect(base.tokenMetadata(freshAddress())).rejects.toMatchObject({ reason: 'bad_response' });
  await expect(base.ping()).rejects.toMatchObject({ retry: 'never', reason: 'bad_response' });
  expect(base.lastSuccess()).toBeNull();
});

test('behavior: a method that one endpoint does not have is asked of the next', async () => {
  const lacking = await serveRpcProxy(inject('anvilUrl'), ({ method }) =>
    method === 'eth_getBalance'
      ? Promise.resolve({ error: { code: -32601, message: 'the method is not available' } })
      : undefined,
  );
  onTestFinished(lacking.close);
  const endpoints = CHAINS.filter(({ key }) => key === 'anvil').map((chain) => ({
    chain,
    rpcUrls: [lacking.url, inject('anvilUrl')] as const,
  }));
  const anvil = createChains({ endpoints, clock: Date.now }).reader(31337);
  const token = { address: NATIVE_TOKEN_ADDRESS, isNative: true };
  expect(await anvil.balance({ token, owner: freshAddress() })).toMatchObject({ amount: 0n });
  expect(lacking.asked).toContain('eth_getBalance');
});

test('behavior: pays on each enabled chain', () => {
  const enabled = CHAINS.filter(({ key }) => key === 'base' || key === 'anvil');
  const payers = createPayerChains({
    endpoints: enabled.map((chain) => ({ chain, rpcUrls: [inject('anvilUrl')] })),
    wallets: createWallets('test test test test test test test test test test test junk'),
    clock: () => 0,
  });
  expect([payers.payer(8453).chain.key, payers.payer(8453).chain.confirmations]).toEqual(['base', 5]);
  expect([payers.payer(31337).chain.key, payers.payer(31337).chain.confirmations]).toEqual(['anvil', 1]);
  expect(() => payers.payer(10)).toThrow(
    expect.objectContaining({ name: 'AdapterError', retry: 'never', reason: 'unreachable' }),
  );
});

test('behavior: while events are listed it says how many of the blocks were looked through', async () => {
  const proxy = await serveRpcProxy(inject('anvilUrl'), ({ method }) =>
    method === 'eth_getLogs' ? Promise.resolve({ result: [] }) : undefined,
  );
  onTestFinished(proxy.close);
  const told: [string, number, number][] = [];
  const payers = createPayerChains({
    endpoints: CHAINS.filter(({ key }) => key === 'anvil').map((chain) => ({ chain, rpcUrls: [proxy.url] })),
    wallets: createWallets('test test test test test test test test test test test junk'),
    clock: () => 0,
    onBlocksOf:
      ({ key }) =>
      (done, total) =>
        void told.push([key, done, total]),
  });
  const wallets = Array.from({ length: 101 }, freshAddress);
  expect(await payers.payer(31337).paidEvents({ wallets, from: 1n, to: 15_000n })).toEqual([]);
  const done = [0, 10_000, 15_000, 25_000, 30_000, 30_000];
  expect(told).toEqual(done.map((blocks) => ['anvil', blocks, 30_000]));
});
