import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { readReady } from '../../support/clients.ts';
import type { JsonRpcServer } from '../../support/json-rpc.ts';
import { serveRpcProxy } from '../../support/rpc-proxy.ts';
import { openWorld, type World } from '../../support/world.ts';

/** Shorter than the minute after which a chain that answers is asked again. */

let world: World;
let proxy: JsonRpcServer;
let chainId = '0x1';
let offset = 0;
beforeEach(async () => {
  proxy = await serveRpcProxy(inject('anvilUrl'), ({ method }) =>
    method === 'eth_chainId' ? Promise.resolve({ result: chainId }) : undefined,
  );
  world = await openWorld({ env: { RPC_URL_31337: proxy.url }, clock: () => Date.now() + offset });
});
afterEach(async () => {
  await world.close();
  await proxy.close();
});

test('behavior: /ready is well as soon as an endpoint of another chain is one of the right chain', async () => {
  const ready = () => readReady(world);
  await expect.poll(() => world.lines.join('')).toContain('chain does not answer');
  offset = 200_000;
  expect(await ready()).toMatchObject({
    status: 'degraded',
    reasons: [{ kind: 'chain_unreachable', subject: 'anvil' }],
    chains: [{ chain: 'anvil', last_success: null }],
  });
  chainId = '0x7a69';
  await expect.poll(ready).toMatchObject({
    status: 'ok',
    reasons: [],
    chains: [{ chain: 'anvil', last_success: expect.any(String) }],
  });
});
