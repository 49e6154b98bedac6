import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MNEMONIC } from '../../../sandbox/people.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { anvilClients, deployToken, freshAddress, type TestToken } from '../../support/anvil.ts';
import { ask, createApiClient, newApiKey, readReady } from '../../support/clients.ts';
import { runBeside } from '../../support/command.ts';
import { sampleAccount } from '../../support/earning.ts';
import { lagBehind } from '../../support/lagging-node.ts';
import { seedFundedGig, UNIT } from '../../support/paying-world.ts';
import { type RpcProxyServer, serveRpcProxy } from '../../support/rpc-proxy.ts';
import { startPayingAnvil } from '../../support/setup-anvil.ts';
import { seedTips } from '../../support/store.ts';
import { FAST, openWorld, type World } from '../../support/world.ts';

const PATIENCE_MS = 60_000;
const ALICE = sampleAccount(1001);
/** What every endpoint is asked before one is chosen. */
const SURVEY = new Set(['eth_chainId', 'eth_getBlockByNumber']);

let anvil: Awaited<ReturnType<typeof startPayingAnvil>>;
let proxies: RpcProxyServer[];
let names: string[];
let world: World;
let token: TestToken;
let isDead: boolean;
/** Moves the service's time on, so that what it knows of its endpoints is too old. */
let ahead: number;
let stopMining: () => Promise<void>;

beforeEach(async () => {
  isDead = false;
  ahead = 0;
  stopMining = () => Promise.resolve();
  anvil = await startPayingAnvil();
  await anvilClients(anvil.url).test.mine({ blocks: 25 });
  token = await deployToken({ decimals: 6, symbol: 'USDC' }, anvil.url);
  const lag = lagBehind(20n);
  proxies = await Promise.all([
    serveRpcProxy(anvil.url, () => (isDead ? Promise.resolve((response) => response.destroy()) : undefined)),
    serveRpcProxy(anvil.url, lag),
    serveRpcProxy(anvil.url, ({ method }) =>
      method === 'eth_chainId' ? Promise.resolve({ result: '0x1' }) : undefined,
    ),
  ]);
  names = proxies.map(({ url }, index) => `endpoint ${index + 1} (${new URL(url).host})`);
  const urls = proxies.map(({ url }) => `${url.replace('//', '//url-user:url-password@')}/url-path?key=url-query`);
  world = await openWorld({
    env: { RPC_URL_31337: urls.join(', '), GIG_WALLET_MNEMONIC: MNEMONIC, TREASURY_ADDRESS: freshAddress() },
    clock: () => Date.now() + ahead,
    timing: { ...FAST, look: { chainMs: 300 } },
  });
});
afterEach(async () => {
  await stopMining();
  await world.close();
  await Promise.all(proxies.map((proxy) => proxy.close()));
  await anvil.stop();
});

/** A gig of alice's for 100 and a fee of 5, whose wallet holds both. */
async function fundedGig(): Promise<Gig> {
  const walletAddress = createWallets(MNEMONIC).gigAddress;
  const seed = { token, url: anvil.url, walletAddress, feeAmount: 5n * UNIT, owners: [ALICE] };
  return (await seedFundedGig(world.runtime.store, seed)).gig;
}

async function start({ id }: Gig): Promise<number> {
  const call = createApiClient(() => world.url, await newApiKey(world.runtime.store));
  return (await call('POST', '/api/gigs/start', { gig_id: id })).status;
}

/** Has alice earn 40 of a gig, claims them by the bot, and waits until they and the gig's fee are paid. */
async function payAll(gig: Gig): Promise<void> {
  const { store } = world.runtime;
  await seedTips(store, gig, [{ ...ALICE, amount: 40n * UNIT }]);
  await ask(world.farcaster, 'alice', `claim my rewards ${freshAddress()}`);
  const states = async () =>
    (await store.paymentsOfGig(gig.id)).map(({ kind, state }) => `${kind} ${state}`).toSorted();
  await expect.poll(states).toEqual(['fee confirmed', 'payout confirmed']);
}

/** Makes blocks until it is stopped. */
function mineOn(): () => Promise<void> {
  let isOver = false;
  const mining = (async () => {
    while (!isOver) {
      await anvilClients(anvil.url).test.mine({ blocks: 10 });
      await wait(100);
    }
  })();
  return async () => {
    isOver = true;
    await mining;
  };
}

const admin = (...args: string[]) => runBeside(world, { args, clock: Date.now });

async function ready() {
  const passedOver = (await readReady(world)).reasons.filter(({ kind }) => kind === 'endpoint_passed_over');
  return passedOver.map(({ subject, text }) => [subject, text]);
}

/** What doctor says of the chain and its endpoints. */
async function doctor() {
  const { out } = await admin('doctor', '--json');
  // Its own tests hold the shape.
  const { checks } = JSON.parse(out) as { checks: { name: string; mark: string; detail: string }[] };
  return checks.filter(({ name }) => name.startsWith('chain ')).map(({ name, mark, detail }) => [name, mark, detail]);
}

const BEHIND = /^its newest block, \d+, is 20 blocks and \d+ s behind another endpoint$/;
const because = (name: string | undefined, why: RegExp) =>
  expect.stringMatching(new RegExp(`^Anvil is not asked through ${RegExp.escape(name ?? '')}: ${why.source.slice(1)}`));
const OTHER = /^it serves chain id 1, expected 31337$/;
const DEAD = /^it could not be reached for eth_chainId$/;

/** Waits until /ready names these endpoints and no others, each with its reason. */
async function expectPassedOver(...endpoints: readonly (readonly [place: number, why: RegExp])[]): Promise<void> {
  const told = endpoints.map(([place, why]) => [`anvil endpoint ${place}`, because(names[place - 1], why)]);
  await expect.poll(ready).toEqual(told);
}

test('behavior: of three endpoints one dies, one lags and one is of another chain: starts, payments and audits go on', async () => {
  const one = await fundedGig();
  expect(await start(one)).toBe(200);
  await payAll(one);
  expect(await admin('reconcile')).toMatchObject({ code: 0, err: '' });
  expect(await doctor()).toEqual([
    [
      'chain anvil',
      'passed',
      expect.stringMatching(/^Chain id 31337, newest block \d+; 1 of 3 endpoints can be asked$/),
    ],
    [
      'chain anvil endpoint 1',
      'passed',
      expect.stringMatching(new RegExp(`^Newest block \\d+ at ${RegExp.escape(names[0] ?? '')}$`)),
    ],
    ['chain anvil endpoint 2', 'warning', because(names[1], BEHIND)],
    ['chain anvil endpoint 3', 'failed', because(names[2], OTHER)],
  ]);
  await expectPassedOver([2, BEHIND], [3, OTHER]);
  expect(new Set(proxies[1]?.asked)).toEqual(SURVEY);

  isDead = true;
  const two = await fundedGig();
  // What is in the newest block is in a block of the endpoint that lags a while later.
  stopMining = mineOn();
  await expect.poll(() => start(two), { timeout: PATIENCE_MS, interval: 500 }).toBe(200);
  await payAll(two);
  expect(await admin('reconcile')).toMatchObject({ code: 0, err: '' });
  expect(await doctor()).toEqual([
    ['chain anvil', 'passed', expect.stringMatching(/; 1 of 3 endpoints can be asked$/)],
    ['chain anvil endpoint 1', 'warning', because(names[0], DEAD)],
    ['chain anvil endpoint 2', 'passed', expect.stringContaining(names[1] ?? '')],
    ['chain anvil endpoint 3', 'failed', because(names[2], OTHER)],
  ]);
  await world.stop();
  await world.start();
  const three = await fundedGig();
  await expect.poll(() => start(three), { timeout: PATIENCE_MS, interval: 500 }).toBe(200);
  await expectPassedOver([1, DEAD], [3, OTHER]);
  await payAll(three);
  await stopMining();

  isDead = false;
  ahead = 60_000;
  await expectPassedOver([2, BEHIND], [3, OTHER]);
  expect(new Set(proxies[2]?.asked)).toEqual(new Set(['eth_chainId']));
});

test('security: no secret of a URL is in what an operator reads of endpoints, and their places and hosts are', async () => {
  await expect.poll(ready).toHaveLength(2);
  isDead = true;
  const gig = await fundedGig();
  expect(await start(gig)).not.toBe(500);
  ahead = 60_000;
  await expect.poll(async () => (await ready()).map(([subject]) => subject)).toContain('anvil endpoint 1');
  // The job that logs it looks at its own time.
  await expect.poll(() => world.lines.join('')).toContain('endpoint is passed over');
  const read = async (path: string) => (await fetch(`${world.url}${path}`)).text();
  const log = world.lines.join('');
  const commands = [['doctor'], ['doctor', '--json'], ['reconcile'], ['payer', 'status']];
  const said: unknown[] = [];
  for (const command of commands) said.push(await admin(...command));
  const told = [log, await read('/ready'), await read('/metrics'), JSON.stringify(said)].join('\n');
  for (const name of names) expect(told).toContain(name);
  expect(told).not.toMatch(/url-(user|password|path|query)/);
  expect(told).not.toContain(Buffer.from('url-user:url-password').toString('base64').replace(/=+$/, ''));
});
