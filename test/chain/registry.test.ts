import { expect, inject, test } from 'vitest';
import { createChains, createPayerChains } from '../../src/chain/registry.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { CHAINS } from '../../src/domain/chains/chain.ts';
import { NATIVE_TOKEN_ADDRESS } from '../../src/domain/gigs/token.ts';
import { freshAddress } from '../support/anvil.ts';
import { ANVIL } from '../support/payer.ts';
import { answersTo, openProxy } from '../support/proxies.ts';

const WALLETS = createWallets('test test test test test test test test test test test junk');
const NATIVE = { address: NATIVE_TOKEN_ADDRESS, isNative: true };
const NOT_ENABLED = expect.objectContaining({ name: 'AdapterError', retry: 'never', reason: 'unreachable' });

function endpointsOf(keys: readonly string[]) {
  const enabled = CHAINS.filter((chain) => keys.includes(chain.key));
  return enabled.map((chain) => ({ chain, rpcUrls: [inject('anvilUrl')] as const }));
}

const chains = (keys: readonly string[]) => createChains({ endpoints: endpointsOf(keys), clock: () => 0 });

test('behavior: lists the enabled chains and reads each by its id', () => {
  const enabled = chains(['base', 'anvil']);
  expect(enabled.list().map((reader) => reader.chain.key)).toEqual(['base', 'anvil']);
  expect(enabled.reader(8453).chain.name).toBe('Base');
  expect(enabled.reader(31337).chain.name).toBe('Anvil');
});

test('error: a chain that is not enabled cannot be read', () => {
  expect(() => chains(['base']).reader(31337)).toThrow(NOT_ENABLED);
});

test('security: an endpoint of another chain is refused before any balance is read', async () => {
  const base = chains(['base']).reader(8453);
  await expect(base.balance({ token: NATIVE, owner: freshAddress() })).rejects.toMatchObject({
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
  const absence = { error: { code: -32601, message: 'the method is not available' } };
  const lacking = await openProxy(inject('anvilUrl'), answersTo('eth_getBalance', absence));
  const endpoints = [{ chain: ANVIL, rpcUrls: [lacking.url, inject('anvilUrl')] }] as const;
  const anvil = createChains({ endpoints, clock: Date.now }).reader(31337);
  expect(await anvil.balance({ token: NATIVE, owner: freshAddress() })).toMatchObject({ amount: 0n });
  expect(lacking.asked).toContain('eth_getBalance');
});

test('behavior: pays on each enabled chain', () => {
  const payers = createPayerChains({ endpoints: endpointsOf(['base', 'anvil']), wallets: WALLETS, clock: () => 0 });
  expect(payers.payer(8453).chain).toMatchObject({ key: 'base', confirmations: 5 });
  expect(payers.payer(31337).chain).toMatchObject({ key: 'anvil', confirmations: 1 });
  expect(() => payers.payer(10)).toThrow(NOT_ENABLED);
});

test('behavior: while events are listed it says how many of the blocks were looked through', async () => {
  const { url } = await openProxy(inject('anvilUrl'), answersTo('eth_getLogs', { result: [] }));
  const told: [string, number, number][] = [];
  const payers = createPayerChains({
    endpoints: [{ chain: ANVIL, rpcUrls: [url] }],
    wallets: WALLETS,
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
