import { expect, inject, onTestFinished, test } from 'vitest';
import { deployToken, freshAddress } from '../../support/anvil.ts';
import { createApiClient, newApiKey } from '../../support/clients.ts';
import { sampleAccount } from '../../support/earning.ts';
import { openPayingWorld } from '../../support/paying-world.ts';
import { serveRpcProxy } from '../../support/rpc-proxy.ts';
import { seedTips } from '../../support/store.ts';
import { FAST } from '../../support/world.ts';

/** What a gateway answers when its node does not, with a code that other nodes have for a revert. */
const TIMED_OUT = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32015, message: 'gateway timeout' } });

test('behavior: while a gateway times out no gig is created and no payout fails; both go on when it is well', async () => {
  let isWell = true;
  /** Moves the service's time on. */
  let ahead = 0;
  const gateway = await serveRpcProxy(inject('anvilUrl'), ({ method }) =>
    !isWell && (method === 'eth_call' || method === 'eth_estimateGas')
      ? Promise.resolve((response) => response.writeHead(504, { 'content-type': 'application/json' }).end(TIMED_OUT))
      : undefined,
  );
  onTestFinished(gateway.close);
  const { world, fundedGig } = await openPayingWorld({
    env: { RPC_URL_31337: gateway.url },
    clock: () => Date.now() + ahead,
    timing: { ...FAST, look: { chainMs: 300 } },
  });
  onTestFinished(world.close);
  const { store } = world.runtime;
  const { gig } = await fundedGig({ rewardAmount: 50n, live: true });
  await seedTips(store, gig, [{ ...sampleAccount(1001), amount: 50n }]);
  const call = createApiClient(() => world.url, await newApiKey(store));
  const other = await deployToken({ decimals: 6, symbol: 'NEW' });
  const create = async () => {
    const owners = [{ platform: 'farcaster', platform_user_id: '1001', username: 'alice' }];
    const post = { gig_type: 'like', platform: 'x', url: 'https://x.com/alice/status/1541815603606036480', owners };
    const asset = { chain: 'anvil', token_address: other.address, amount: 10 };
    const start_time = new Date().toISOString();
    return (await call('POST', '/api/gigs/create', { ...asset, ...post, start_time, duration: '1week' })).status;
  };
  const states = async () => (await store.paymentsOfGig(gig.id)).map(({ state }) => state);
  const simulations = () => gateway.asked.filter((method) => method === 'eth_estimateGas').length;

  isWell = false;
  world.farcaster.post({ author: 'alice', text: `@gigclaim claim my rewards ${freshAddress()}` });
  await expect.poll(states).toEqual(['planned']);
  expect(await create()).toBe(503);
  // Longer than a payment is tried again that a contract refuses.
  for (let tries = 0; tries < 3; tries += 1) {
    const before = simulations();
    await expect.poll(simulations).toBeGreaterThan(before);
    ahead += 31_000;
  }
  expect(await states()).toEqual(['planned']);
  isWell = true;
  await expect.poll(states).toEqual(['confirmed']);
  expect(await create()).toBe(201);
});
