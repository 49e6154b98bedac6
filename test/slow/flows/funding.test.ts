import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { anvilClients, freshAddress, fundToken } from '../../support/anvil.ts';
import { createApiClient, newApiKey, readReady } from '../../support/clients.ts';
import { runBeside } from '../../support/command.ts';
import { sampleAccount } from '../../support/earning.ts';
import { openPayingWorld, type PayingWorld, UNIT } from '../../support/paying-world.ts';
import { startPayingAnvil } from '../../support/setup-anvil.ts';
import { seedTips } from '../../support/store.ts';

const WAITS = 'its gig was funded a moment ago, and the chain may still take that back';

let anvil: Awaited<ReturnType<typeof startPayingAnvil>>;
let node: ReturnType<typeof anvilClients>['test'];
let paying: PayingWorld;
let world: PayingWorld['world'];
let gig: Gig;
/** The chain before the gig was funded. */
let before: `0x${string}`;

beforeEach(async () => {
  anvil = await startPayingAnvil();
  node = anvilClients(anvil.url).test;
  paying = await openPayingWorld({ url: anvil.url, confirmations: 3 });
  ({ world } = paying);
  await node.mine({ blocks: 5 });
  before = await node.snapshot();
  ({ gig } = await paying.fundedGig());
});
afterEach(async () => {
  await world.close();
  await anvil.stop();
});

/** Starts the gig by the API, which answers at once, and lets alice claim a tip of it. */
async function startAndClaim(): Promise<void> {
  const { store } = world.runtime;
  const call = createApiClient(() => world.url, await newApiKey(store));
  const started = await call('POST', '/api/gigs/start', { gig_id: gig.id });
  expect(started.body).toEqual({ data: { message: 'Gig started successfully', gig_id: gig.id } });
  expect((await store.fundingsToCheck(31337)).map(({ gigId }) => gigId)).toEqual([gig.id]);
  await seedTips(store, gig, [{ ...sampleAccount(1001), amount: 7n * UNIT }]);
  world.farcaster.post({ author: 'alice', text: `@gigclaim claim my rewards ${freshAddress()}` });
  await expect.poll(payouts).toEqual([['planned', WAITS]]);
}

async function payouts() {
  const found = await world.runtime.store.payments({ limit: 9, kind: 'payout' });
  return found.map(({ state, reason }) => [state, reason]);
}

/** Reads after one more block. */
async function mineOn<T>(read: () => Promise<T>): Promise<T> {
  await node.mine({ blocks: 1 });
  return await read();
}

/** Takes the funding back from the chain, while the service does not run. */
async function reorganise(): Promise<void> {
  await world.stop();
  await node.revert({ id: before });
  await node.mine({ blocks: 6 });
  await world.start();
}

test('behavior: a start is answered at once, and pays once its funding has the chain’s confirmations', async () => {
  await startAndClaim();
  await node.mine({ blocks: 2 });
  await expect.poll(() => world.runtime.store.fundingsToCheck(31337)).toEqual([]);
  expect(await world.runtime.store.gigFreeze(gig.id)).toBeNull();
  await expect.poll(() => mineOn(payouts)).toEqual([['confirmed', null]]);
}, 90_000);

test('behavior: funding that a reorganisation only moved to a later block is paid from', async () => {
  await startAndClaim();
  await reorganise();
  const { store } = world.runtime;
  const missing = () => world.lines.filter((line) => line.includes('"gig funding is missing; checking again later"'));
  await expect.poll(missing).toHaveLength(1);
  // Its nonce is asked of the chain: what it spent before was taken back.
  const { token } = paying;
  const holder = { ...token.holder, nonceManager: undefined };
  await fundToken({ ...token, holder }, gig.walletAddress, 100n * UNIT, anvil.url);
  await expect.poll(() => mineOn(payouts)).toEqual([['confirmed', null]]);
  expect(await store.gigFreeze(gig.id)).toBeNull();
  expect(await store.fundingsToCheck(31337)).toEqual([]);
}, 90_000);

test('security: funding that a reorganisation took back stops the gig with an alert, also after a restart', async () => {
  await startAndClaim();
  await reorganise();
  const { store } = world.runtime;
  const reason = 'its funding is gone from the chain since its start: 100 USDC are missing';
  await expect.poll(() => mineOn(() => store.gigFreeze(gig.id))).toBe(reason);
  expect(await store.fundingsToCheck(31337)).toEqual([]);
  await expect.poll(payouts).toEqual([['planned', `the gig is frozen: ${reason}`]]);
  const alert = world.lines.find((line) => line.includes('"gig frozen"'));
  expect(JSON.parse(alert ?? '{}')).toMatchObject({ level: 'error', gigId: gig.id, reason });
  expect(await readReady(world)).toMatchObject({ gigs: { frozen: 1 } });
  expect(await (await fetch(`${world.url}/metrics`)).text()).toMatch(/^gigclaim_gigs_frozen 1$/m);
  const doctor = await runBeside(world, { args: ['doctor'], clock: Date.now });
  expect(doctor).toMatchObject({ code: 1, out: expect.stringContaining(`Gig ${gig.id} is frozen, because ${reason}`) });
}, 90_000);
