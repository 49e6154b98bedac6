import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnvilProcess, startAnvil } from '../../../sandbox/anvil.ts';
import { createFarcasterNetwork, type FarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import { placeRegistries, type Registries } from '../../../sandbox/owners/registries.ts';
import { NETWORK_CREDENTIALS } from '../../../sandbox/people.ts';
import { useDesk } from '../admin.ts';
import { checkOf } from './setup.ts';

const { apiKey, signerUuid, webhookSecrets, botFid, botUsername } = NETWORK_CREDENTIALS.farcaster;
/** Of the signer on the network of tests. */
const KEY = `0x${'0'.repeat(64)}` as const;
let anvil: AnvilProcess;
let registries: Registries;
let network: FarcasterNetwork;
let neynar = '';
beforeAll(async () => {
  anvil = await startAnvil({ chainId: 10 });
  registries = await placeRegistries(anvil.url);
  network = createFarcasterNetwork(NETWORK_CREDENTIALS.farcaster);
  neynar = await network.start();
});
afterAll(() => Promise.all([anvil.stop(), network.stop()]));

useDesk(() => ({
  NEYNAR_API_KEY: apiKey,
  NEYNAR_SIGNER_UUID: signerUuid,
  NEYNAR_WEBHOOK_SECRETS: webhookSecrets.join(','),
  NEYNAR_BASE_URL: neynar,
  FARCASTER_BOT_FID: String(botFid),
  FARCASTER_BOT_USERNAME: botUsername,
}));

const check = (rpcUrl: string) => checkOf('cards', { SNAPS: 'true', RPC_URL_10: rpcUrl });

test('behavior: doctor says whether there are cards, and asks the registry for the key of the bot', async () => {
  expect(await checkOf('cards', {})).toMatchObject({ mark: 'off' });
  expect(await check(anvil.url)).toMatchObject({
    mark: 'failed',
    detail: 'The registry on chain 10 does not know the key of the bot',
  });
  await registries.addKey(KEY, botFid);
  expect(await check(anvil.url)).toMatchObject({ mark: 'passed' });
});

test('error: doctor says that nobody can claim where the registry does not answer', async () => {
  expect(await check('http://127.0.0.1:9')).toMatchObject({
    mark: 'failed',
    detail: 'Nobody can claim by a tap: chain optimism: Farcaster’s registries do not answer',
  });
});
