import { randomBytes } from 'node:crypto';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AnvilProcess } from '../../../sandbox/anvil.ts';
import { createLocalChain } from '../../../sandbox/chain.ts';
import { MNEMONIC } from '../../../sandbox/people.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import { runAdmin } from '../../../src/cli/program.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { createApiKey } from '../../../src/services/operators/api-keys.ts';
import {
  anvilClients,
  deployToken,
  freshAddress,
  fundNative,
  fundToken,
  startAnvil,
  type TestToken,
} from '../../support/anvil.ts';
import { MIGRATIONS, seedGig, seedTips, seedToken } from '../../support/store.ts';
import { openWorld, type World } from '../../support/world.ts';

const PATIENCE_MS = 20_000;
const UNIT = 1_000_000n;
const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const WAITS = 'its gig was funded a moment ago, and the chain may still take that back';

let anvil: AnvilProcess;
let world: World;
let gig: Gig;
let token: TestToken;
/** The chain before the gig was funded. */
let before: `0x${string}`;

beforeEach(async () => {
  anvil = await startAnvil();
  await createLocalChain({ url: anvil.url, mnemonic: MNEMONIC }).deployPayer();
  const mnemonic = generateMnemonic(wordlist);
  const wallets = createWallets(mnemonic);
  const env = { GIG_WALLET_MNEMONIC: mnemonic, TREASURY_ADDRESS: '', RPC_URL_31337: anvil.url };
  world = await openWorld({ confirmations: 3, env });
  await fundNative(wallets.gasTankAddress(), 10n ** 18n, anvil.url);
  token = await deployToken({ decimals: 6, symbol: 'USDC' }, anvil.url);
  await anvilClients(anvil.url).test.mine({ blocks: 5 });
  const { store } = world.runtime;
  const { id: tokenId } = await seedToken(store, { ...token, chainId: 31337 });
  const terms = { tokenId, rewardAmount: 100n * UNIT, feeAmount: 0n, walletAddress: wallets.gigAddress };
  gig = await seedGig(store, { ...terms, startTime: Date.now() - 1_000 });
  before = await anvilClients(anvil.url).test.snapshot();
  await fundToken(token, gig.walletAddress, 100n * UNIT, anvil.url);
});
afterEach(async () => {
  await world.close();
  await anvil.stop();
});

/** Starts the gig by the API, which answers at once, and lets alice claim a tip of it. */
async function startAndClaim(): Promise<void> {
  const { store } = world.runtime;
  const { key } = await createApiKey(
    { store, clock: Date.now, randomBytes, actor: COMMAND_LINE },
    { name: 'test', expiresAt: null, scopes: ['operator'] },
  );
  const request = { method: 'POST', headers: { 'x-api-key': key }, body: JSON.stringify({ gig_id: gig.id }) };
  const started = await fetch(`${world.url}/api/gigs/start`, request);
  expect(await started.json()).toEqual({ data: { message: 'Gig started successfully', gig_id: gig.id } });
  expect((await store.fundingsToCheck(31337)).map(({ gigId }) => gigId)).toEqual([gig.id]);
  await seedTips(store, gig, [{ ...ALICE, amount: 7n * UNIT }]);
  world.farcaster.post({ author: 'alice', text: `@gigclaim claim my rewards ${freshAddress()}` });
  await expect.poll(payouts, { timeout: PATIENCE_MS }).toEqual([['planned', WAITS]]);
}

async function payouts() {
  const found = await world.runtime.store.payments({ limit: 9, kind: 'payout' });
  return found.map(({ state, reason }) => [state, reason]);
}

test('behavior: a start is answered at once, and pays once its funding has the chain’s confirmations', async () => {
  await startAndClaim();
  const node = anvilClients(anvil.url).test;
  await node.mine({ blocks: 2 });
  await expect.poll(() => world.runtime.store.fundingsToCheck(31337), { timeout: PATIENCE_MS }).toEqual([]);
  expect(await world.runtime.store.gigFreeze(gig.id)).toBeNull();
  const mineOn = async () => {
    await node.mine({ blocks: 1 });
    return await payouts();
  };
  await expect.poll(mineOn, { timeout: PATIENCE_MS * 2 }).toEqual([['confirmed', null]]);
}, 90_000);

test('behavior: funding that a reorganisation only moved to a later block is paid from', async () => {
  await startAndClaim();
  const node = anvilClients(anvil.url).test;
  await world.stop();
  await node.revert({ id: before });
  await node.mine({ blocks: 6 });
  await world.start();
  const { store } = world.runtime;
  const missing = () => world.lines.filter((line) => line.includes('"gig funding is missing; checking again later"'));
  await expect.poll(missing, { timeout: PATIENCE_MS }).toHaveLength(1);
  // Its nonce is asked of the chain: what it spent before was taken back.
  const holder = { ...token.holder, nonceManager: undefined };
  await fundToken({ ...token, holder }, gig.walletAddress, 100n * UNIT, anvil.url);
  const mineOn = async () => {
    await node.mine({ blocks: 1 });
    return await payouts();
  };
  await expect.poll(mineOn, { timeout: PATIENCE_MS * 2 }).toEqual([['confirmed', null]]);
  expect(await store.gigFreeze(gig.id)).toBeNull();
  expect(await store.fundingsToCheck(31337)).toEqual([]);
}, 90_000);

test('security: funding that a reorganisation took back stops the gig with an alert, also after a restart', async () => {
  await startAndClaim();
  await world.stop();
  const node = anvilClients(anvil.url).test;
  await node.revert({ id: before });
  await node.mine({ blocks: 6 });
  await world.start();
  const { store } = world.runtime;
  const reason = 'its funding is gone from the chain since its start: 100 USDC are missing';
  const mineOn = async () => {
    await node.mine({ blocks: 1 });
    return await store.gigFreeze(gig.id);
  };
  await expect.poll(mineOn, { timeout: PATIENCE_MS }).toBe(reason);
  expect(await store.fundingsToCheck(31337)).toEqual([]);
  await expect.poll(payouts, { timeout: PATIENCE_MS }).toEqual([['planned', `the gig is frozen: ${reason}`]]);
  const alert = world.lines.find((line) => line.includes('"gig frozen"'));
  expect(JSON.parse(alert ?? '{}')).toMatchObject({ level: 'error', gigId: gig.id, reason });
  expect(await (await fetch(`${world.url}/ready`)).json()).toMatchObject({ gigs: { frozen: 1 } });
  expect(await (await fetch(`${world.url}/metrics`)).text()).toMatch(/^gigclaim_gigs_frozen 1$/m);
  let out = '';
  const write = (text: string) => {
    out += text;
  };
  const options = { env: world.env, migrationsFolder: MIGRATIONS, clock: Date.now, stdout: write, stderr: write };
  expect(await runAdmin({ ...options, args: ['doctor'] })).toBe(1);
  expect(out).toContain(`Gig ${gig.id} is frozen, because ${reason}`);
}, 90_000);
