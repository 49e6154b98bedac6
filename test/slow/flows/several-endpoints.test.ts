import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AnvilProcess } from '../../../sandbox/anvil.ts';
import { createLocalChain } from '../../../sandbox/chain.ts';
import { person } from '../../../sandbox/people.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { createApiKey } from '../../../src/services/operators/api-keys.ts';
import { anvilClients, deployToken, freshAddress, fundToken, startAnvil, type TestToken } from '../../support/anvil.ts';
import { runBeside } from '../../support/command.ts';
import { lagBehind } from '../../support/lagging-node.ts';
import { type RpcProxyServer, serveRpcProxy } from '../../support/rpc-proxy.ts';
import { seedGig, seedToken } from '../../support/store.ts';
import { FAST, openWorld, type World } from '../../support/world.ts';

const PATIENCE_MS = 60_000;
const UNIT = 1_000_000n;
const MNEMONIC = 'test test test test test test test test test test test junk';
const ALICE = { platform: 'farcaster', platformUserId: String(person('alice').fid) } as const;
/** What every endpoint is asked before one is chosen. */
const SURVEY = new Set(['eth_chainId', 'eth_getBlockByNumber']);

let anvil: AnvilProcess;
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
  anvil = await startAnvil();
  await createLocalChain({ url: anvil.url, mnemonic: MNEMONIC }).deployPayer();
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
  const { store } = world.runtime;
  const { address, decimals, symbol } = token;
  const { id: tokenId } = await seedToken(store, { address, decimals, symbol, chainId: 31337 });
  const { gigAddress: walletAddress } = createWallets(MNEMONIC);
  const terms = { tokenId, rewardAmount: 100n * UNIT, feeAmount: 5n * UNIT, startTime: Date.now(), walletAddress };
  const gig = await seedGig(store, { ...terms, owners: [ALICE] });
  await fundToken(token, gig.walletAddress, 105n * UNIT, anvil.url);
  return gig;
}

async function start({ id }: Gig): Promise<number> {
  const { store } = world.runtime;
  const { key } = await createApiKey(
    { store, clock: Date.now, randomBytes, actor: COMMAND_LINE },
    { name: 'test', expiresAt: null, scopes: ['operator'] },
  );
  const body = JSON.stringify({ gig_id: id });
  const response = await fetch(`${world.url}/api/gigs/start`, { method: 'POST', headers: { 'x-api-key': key }, body });
  return response.status;
}

/** Has alice earn 40 of a gig, claims them by the bot, and waits until they and the gig's fee are paid. */
async function payAll(gig: Gig): Promise<void> {
  const { store } = world.runtime;
  const tips = [{ ...ALICE, gigId: gig.id, tokenId: gig.token.id, amount: 40n * UNIT, userAddress: null }];
  await store.transaction((tx) => tx.insertTips(tips, Date.now()));
  const cast = world.farcaster.post({ author: 'alice', text: `@gigclaim claim my rewards ${freshAddress()}` });
  expect(await world.farcaster.waitForReply(cast.id, PATIENCE_MS)).not.toBeNull();
  const states = async () =>
    (await store.paymentsOfGig(gig.id)).map(({ kind, state }) => `${kind} ${state}`).toSorted();
  await expect.poll(states, { timeout: PATIENCE_MS }).toEqual(['fee confirmed', 'payout confirmed']);
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
  // The shape is the one that the readiness tests hold.
  const body = (await (await fetch(`${world.url}/ready`)).json()) as {
    reasons: { kind: string; subject: string; text: string }[];
  };
  const passedOver = body.reasons.filter(({ kind }) => kind === 'endpoint_passed_over');
  return passedOver.map(({ subject, text }) => [subject, text]);
}

/** What doctor says of the chain and its endpoints. */
async function doctor() {
  const { out } = await admin('doctor', '--json');
  // Its own tests hold the shape.
  const { checks } = JSON.parse(out) as { checks: { name: string; mark: string; detail: string }[] };
  return checks.filter(({ name }) => name.startsWith('chain ')).map(({ name, mark, detail }) => [name, mark, detail]);
}

const BEHIND = /^its newest block, \d+, is 20 blocks and \d+ s behind that of another$/;
const because = (name: string | undefined, why: RegExp) =>
  expect.stringMatching(new RegExp(`^Anvil is not asked through ${RegExp.escape(name ?? '')}: ${why.source.slice(1)}`));
const OTHER = /^it serves chain id 1, expected 31337$/;
const DEAD = /^it could not be reached for eth_chainId$/;

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
  await expect.poll(ready, { timeout: PATIENCE_MS }).toEqual([
    ['anvil endpoint 2', because(names[1], BEHIND)],
    ['anvil endpoint 3', because(names[2], OTHER)],
  ]);
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
  await expect.poll(ready, { timeout: PATIENCE_MS }).toEqual([
    ['anvil endpoint 1', because(names[0], DEAD)],
    ['anvil endpoint 3', because(names[2], OTHER)],
  ]);
  await payAll(three);
  await stopMining();

  isDead = false;
  ahead = 60_000;
  await expect.poll(ready, { timeout: PATIENCE_MS }).toEqual([
    ['anvil endpoint 2', because(names[1], BEHIND)],
    ['anvil endpoint 3', because(names[2], OTHER)],
  ]);
  expect(new Set(proxies[2]?.asked)).toEqual(new Set(['eth_chainId']));
});

test('security: no secret of a URL is in what an operator reads of endpoints, and their places and hosts are', async () => {
  await expect.poll(ready, { timeout: PATIENCE_MS }).toHaveLength(2);
  isDead = true;
  const gig = await fundedGig();
  expect(await start(gig)).not.toBe(500);
  ahead = 60_000;
  await expect
    .poll(async () => (await ready()).map(([subject]) => subject), { timeout: PATIENCE_MS })
    .toContain('anvil endpoint 1');
  // The job that logs it looks at its own time.
  await expect.poll(() => world.lines.join(''), { timeout: PATIENCE_MS }).toContain('endpoint is passed over');
  const read = async (path: string) => (await fetch(`${world.url}${path}`)).text();
  const log = world.lines.join('');
  const told = [
    log,
    await read('/ready'),
    await read('/metrics'),
    JSON.stringify([
      await admin('doctor'),
      await admin('doctor', '--json'),
      await admin('reconcile'),
      await admin('payer', 'status'),
    ]),
  ].join('\n');
  for (const name of names) expect(told).toContain(name);
  expect(told).not.toMatch(/url-(user|password|path|query)/);
  expect(told).not.toContain(Buffer.from('url-user:url-password').toString('base64').replace(/=+$/, ''));
});
