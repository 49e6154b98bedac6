import { afterEach, beforeEach, expect, test } from 'vitest';
import { checksummed } from '../../../src/domain/gigs/token.ts';
import { anvilClients, freshAddress } from '../../support/anvil.ts';
import { createApiClient, newApiKey, readReady } from '../../support/clients.ts';
import { runBeside } from '../../support/command.ts';
import { sampleAccount } from '../../support/earning.ts';
import { openPayingWorld, type PayingWorld, UNIT } from '../../support/paying-world.ts';
import { seedFee, seedTips } from '../../support/store.ts';

const FILLED = [{ chain: 'anvil', balance: '1', low: false, top_ups_held: false }];
const EMPTY = [{ chain: 'anvil', balance: '0', low: true, top_ups_held: false }];

let paying: PayingWorld;
let world: PayingWorld['world'];
beforeEach(async () => {
  paying = await openPayingWorld({ env: { TREASURY_ADDRESS: freshAddress() } });
  ({ world } = paying);
});
afterEach(() => world.close());

/** Sets what the gas tank holds, for a service that starts anew. */
async function restartWithTank(value: bigint): Promise<void> {
  await world.stop();
  await setTank(value);
  await world.start();
}

const setTank = (value: bigint) => anvilClients().test.setBalance({ address: paying.wallets.gasTankAddress(), value });
const tankBalances = async () => (await readReady(world)).gas_tank.balances;

test('behavior: a gig that was started and has paid a claim and its fee adds up, while the service runs', async () => {
  const { store } = world.runtime;
  const { gig } = await paying.fundedGig({ feeAmount: 5n * UNIT });
  const call = createApiClient(() => world.url, await newApiKey(store));
  expect((await call('POST', '/api/gigs/start', { gig_id: gig.id })).status).toBe(200);
  await seedTips(store, gig, [{ ...sampleAccount(1001), amount: 7n * UNIT }]);
  const cast = world.farcaster.post({ author: 'alice', text: `claim my rewards ${freshAddress()}` });
  await call('POST', '/api/claim', { url: cast.url });
  const left = async () => (await store.paymentDepths()).confirmed;
  // The claim and the fee.
  await expect.poll(left).toBe(2);
  const admin = (...args: string[]) => runBeside(world, { args: [...args, '--json'], clock: Date.now });
  const { code, out } = await admin('reconcile');
  expect(JSON.parse(out)).toMatchObject([{ gig_id: gig.id, adds_up: true, held: '93', problems: [], notes: [] }]);
  expect(code).toBe(0);
  const all = JSON.parse((await admin('payment', 'list')).out) as { kind: string }[];
  expect(all.map(({ kind }) => kind).toSorted()).toEqual(['fee', 'payout']);
});

test('behavior: the running service sees its gas tank and says when it is low', async () => {
  await restartWithTank(0n);
  await expect.poll(tankBalances).toEqual(EMPTY);
  expect((await readReady(world)).gas_tank.address).toBe(checksummed(paying.wallets.gasTankAddress()));
  await restartWithTank(10n ** 18n);
  await expect.poll(tankBalances).toEqual(FILLED);
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  expect(metrics).toContain('gigclaim_gas_tank_wei{chain="anvil"} 1000000000000000000');
});

test('behavior: a tank that turns out to be empty is shown as low at once, and as filled as soon as payments go on', async () => {
  await expect.poll(tankBalances).toEqual(FILLED);
  await setTank(0n);
  const { gig } = await paying.fundedGig({ feeAmount: 5n * UNIT, live: true });
  await seedFee(world.runtime.store, gig, { amount: 5n * UNIT, recipient: freshAddress() });
  await expect.poll(tankBalances).toEqual(EMPTY);
  // Without payments that wait for it, the tank is looked at once a minute.
  await setTank(10n ** 18n);
  await expect.poll(async () => (await tankBalances())[0]).toMatchObject({ low: false });
});
