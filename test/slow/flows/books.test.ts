import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWallets } from '../../../src/chain/wallets.ts';
import { runAdmin } from '../../../src/cli/program.ts';
import { checksummed } from '../../../src/domain/gigs/token.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { createApiKey } from '../../../src/services/operators/api-keys.ts';
import { anvilClients, deployToken, freshAddress, fundNative, fundToken } from '../../support/anvil.ts';
import { MIGRATIONS, seedFee, seedGig, seedTips, seedToken } from '../../support/store.ts';
import { openWorld, type World } from '../../support/world.ts';

const PATIENCE_MS = 20_000;
const UNIT = 1_000_000n;
const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;

let world: World;
let wallets: ReturnType<typeof createWallets>;
beforeEach(async () => {
  const mnemonic = generateMnemonic(wordlist);
  wallets = createWallets(mnemonic);
  world = await openWorld({ env: { GIG_WALLET_MNEMONIC: mnemonic, TREASURY_ADDRESS: freshAddress() } });
});
afterEach(() => world.close());

async function admin(...args: string[]): Promise<{ code: number; out: string }> {
  let out = '';
  const write = (text: string) => {
    out += text;
  };
  const options = { args, env: world.env, migrationsFolder: MIGRATIONS, clock: Date.now };
  return { code: await runAdmin({ ...options, stdout: write, stderr: write }), out };
}

test('behavior: a gig that was started and has paid a claim and its fee adds up, while the service runs', async () => {
  const { store } = world.runtime;
  const token = await deployToken({ decimals: 6, symbol: 'USDC' });
  await fundNative(wallets.gasTankAddress(), 10n ** 18n);
  const { id: tokenId } = await seedToken(store, { ...token, chainId: 31337 });
  const terms = { tokenId, rewardAmount: 100n * UNIT, feeAmount: 5n * UNIT, walletAddress: wallets.gigAddress };
  const gig = await seedGig(store, { ...terms, startTime: Date.now() - 1_000 });
  await fundToken(token, gig.walletAddress, 105n * UNIT);
  const randomBytes = (size: number) => Buffer.alloc(size, 'fake');
  const { key } = await createApiKey(
    { store, clock: Date.now, randomBytes, actor: COMMAND_LINE },
    { name: 'test', expiresAt: null, scopes: ['operator'] },
  );
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const body = JSON.stringify({ gig_id: gig.id });
  const started = await fetch(`${world.url}/api/gigs/start`, { method: 'POST', headers, body });
  expect(started.status).toBe(200);
  await seedTips(store, gig, [{ ...ALICE, amount: 7n * UNIT }]);
  const cast = world.farcaster.post({ author: 'alice', text: `claim my rewards ${freshAddress()}` });
  await fetch(`${world.url}/api/claim`, { method: 'POST', body: JSON.stringify({ url: cast.url }) });
  const left = async () => (await store.paymentDepths()).confirmed;
  // The claim and the fee.
  await expect.poll(left, { timeout: PATIENCE_MS }).toBe(2);
  const { code, out } = await admin('reconcile', '--json');
  expect(JSON.parse(out)).toMatchObject([{ gig_id: gig.id, adds_up: true, held: '93', problems: [], notes: [] }]);
  expect(code).toBe(0);
  const all = JSON.parse((await admin('payment', 'list', '--json')).out) as { kind: string }[];
  expect(all.map(({ kind }) => kind).toSorted()).toEqual(['fee', 'payout']);
});

test('behavior: the running service sees its gas tank and says when it is low', async () => {
  const tank = wallets.gasTankAddress();
  const ready = async () => {
    const response = await fetch(`${world.url}/ready`);
    return (await response.json()) as { gas_tank: { address: string; balances: object[] } };
  };
  const balance = async () => (await ready()).gas_tank.balances;
  await expect
    .poll(balance, { timeout: PATIENCE_MS })
    .toEqual([{ chain: 'anvil', balance: '0', low: true, top_ups_held: false }]);
  expect((await ready()).gas_tank.address).toBe(checksummed(tank));
  await fundNative(tank, 10n ** 18n);
  await world.stop();
  await world.start();
  await expect
    .poll(balance, { timeout: PATIENCE_MS })
    .toEqual([{ chain: 'anvil', balance: '1', low: false, top_ups_held: false }]);
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  expect(metrics).toContain('gigclaim_gas_tank_wei{chain="anvil"} 1000000000000000000');
});

test('behavior: a tank that turns out to be empty is shown as low at once, and as filled as soon as payments go on', async () => {
  const tank = wallets.gasTankAddress();
  await fundNative(tank, 10n ** 18n);
  await world.stop();
  await world.start();
  const balances = async () => {
    const body = (await (await fetch(`${world.url}/ready`)).json()) as { gas_tank: { balances: object[] } };
    return body.gas_tank.balances;
  };
  await expect
    .poll(balances, { timeout: PATIENCE_MS })
    .toEqual([{ chain: 'anvil', balance: '1', low: false, top_ups_held: false }]);
  await anvilClients().test.setBalance({ address: tank, value: 0n });
  const token = await deployToken({ decimals: 6, symbol: 'USDC' });
  const { id: tokenId } = await seedToken(world.runtime.store, { ...token, chainId: 31337 });
  const gig = await seedGig(world.runtime.store, {
    tokenId,
    rewardAmount: 100n * UNIT,
    feeAmount: 5n * UNIT,
    walletAddress: wallets.gigAddress,
    live: true,
  });
  await fundToken(token, gig.walletAddress, 105n * UNIT);
  await seedFee(world.runtime.store, gig, { amount: 5n * UNIT, recipient: freshAddress() });
  await expect
    .poll(balances, { timeout: PATIENCE_MS })
    .toEqual([{ chain: 'anvil', balance: '0', low: true, top_ups_held: false }]);
  // Without payments that wait for it, the tank is looked at once a minute.
  await fundNative(tank, 10n ** 18n);
  await expect.poll(async () => (await balances())[0], { timeout: PATIENCE_MS }).toMatchObject({ low: false });
});
