import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnvilProcess, startAnvil } from '../../../sandbox/anvil.ts';
import { createFarcasterRelay, type FarcasterRelay } from '../../../sandbox/networks/farcaster-relay.ts';
import { placeRegistries } from '../../../sandbox/owners/registries.ts';
import { doctor, useDoctor } from './setup.ts';

useDoctor();

let optimism: AnvilProcess;
let relay: FarcasterRelay;
beforeAll(async () => {
  optimism = await startAnvil({ chainId: 10 });
  await placeRegistries(optimism.url);
  relay = createFarcasterRelay();
  await relay.start(0);
});
afterAll(async () => {
  await relay.stop();
  await optimism.stop();
});

async function signInChecks(env: Record<string, string>) {
  const { report } = await doctor(env);
  const found = report.checks.filter(({ name }) => name.startsWith('sign in') || name === 'settings');
  return found.map(({ name, ok, detail }) => [name, ok, detail]);
}

test('behavior: doctor asks the relay and the registries, where owners may sign in with Farcaster', async () => {
  const env = { SIGN_IN: 'farcaster,wallet', FARCASTER_RELAY_URL: relay.url, RPC_URL_10: optimism.url };
  expect(await signInChecks(env)).toEqual([
    ['sign in relay', true, 'The Farcaster relay answers'],
    ['sign in registries', true, 'Farcaster’s registries on chain 10 answer'],
    ['sign in wallet', true, 'Owners can sign in with a wallet'],
  ]);
  expect(await signInChecks({ ...env, SIGN_IN: '' })).toEqual([
    ['settings', true, 'RPC_URL_10 is not used, because optimism is not in CHAINS'],
  ]);
});

test('error: doctor says which of them does not answer', async () => {
  const env = { SIGN_IN: 'farcaster', FARCASTER_RELAY_URL: optimism.url, RPC_URL_10: relay.url };
  const found = await signInChecks(env);
  expect(found.map(([name, ok]) => [name, ok])).toEqual([
    ['sign in relay', false],
    ['sign in registries', false],
  ]);
  expect(JSON.stringify(found)).not.toContain(relay.url);
});
