import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type AnvilProcess, startAnvil } from '../../../sandbox/anvil.ts';
import { notificationEnvironment, serviceEnvironment } from '../../../sandbox/environment.ts';
import { createFarcasterNetwork } from '../../../sandbox/networks/farcaster.ts';
import { placeRegistries } from '../../../sandbox/owners/registries.ts';
import { NETWORK_CREDENTIALS } from '../../../sandbox/people.ts';
import { freePort } from '../../../sandbox/port.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../../src/node-flags.ts';
import { awardTips } from '../../../src/services/gigs/tips/award-tips.ts';
import type { Store } from '../../../src/store/port/index.ts';
import { openPostgresStore } from '../../../src/store/postgres/store.ts';
import { readCard, textsOf } from '../../http/pages/snap/shapes.ts';
import { deployToken, freshAddress, fundNative, fundToken, type TestToken, tokenBalance } from '../../support/anvil.ts';
import { openTestDatabase, POSTGRES_MIGRATIONS, type TestDatabase } from '../../support/postgres.ts';
import { type Running, run } from '../../support/process.ts';
import { seedGig, seedToken, temporaryFolder } from '../../support/store.ts';
import { createAppKey, signTap } from '../../support/taps.ts';

// Two processes of the service behind one address, with one database.

const DAY_MS = 86_400_000;
const FID = 1001;
const REWARD = 1_000_000n;
const PUBLIC_URL = 'http://127.0.0.1:1';

interface Instance {
  readonly running: Running;
  readonly url: string;
}

const app = createAppKey();
const verified = freshAddress();
const farcaster = createFarcasterNetwork(NETWORK_CREDENTIALS.farcaster);
const folder = temporaryFolder();
let registries: AnvilProcess;
let database: TestDatabase;
let store: Store;
let token: TestToken;
let gig: Gig;
let env: Record<string, string>;
let instances: readonly [Instance, Instance];
let taps = 0;

async function startInstance(): Promise<Instance> {
  const port = await freePort(0);
  const all = { ...NODE_ENVIRONMENT, ...env, PORT: String(port) };
  const running = run('dist/main.js', { env: all, flags: NODE_FLAGS, cwd: folder.path });
  await running.seen(/"listening"/);
  return { running, url: `http://127.0.0.1:${port}` };
}

/** As a crash or the kernel would. */
async function kill({ running }: Instance): Promise<void> {
  running.child.kill('SIGKILL');
  await running.ended;
}

beforeAll(async () => {
  [registries, database, token] = await Promise.all([
    startAnvil({ chainId: 10 }),
    openTestDatabase(),
    deployToken({ decimals: 6, symbol: 'USDC' }),
  ]);
  await (await placeRegistries(registries.url)).addKey(app.key, FID);
  const network = await farcaster.start();
  farcaster.addUser({ id: String(FID), username: 'alice', verifiedAddresses: [verified] });
  const mnemonic = generateMnemonic(wordlist);
  const wallets = createWallets(mnemonic);
  await fundNative(wallets.gasTankAddress(), 10n ** 18n);
  store = await openPostgresStore({ url: database.url, migrationsFolder: POSTGRES_MIGRATIONS });
  const { address, symbol, decimals } = token;
  const { id: tokenId } = await seedToken(store, { chainId: 31337, address, symbol, decimals });
  const window = { startTime: Date.now() - DAY_MS, duration: 7 * DAY_MS };
  const terms = { live: true, tokenId, rewardAmount: REWARD, feeAmount: 0n, walletAddress: wallets.gigAddress };
  gig = await seedGig(store, { ...window, ...terms });
  await fundToken(token, gig.walletAddress, REWARD);
  const signIn = { relay: 'http://127.0.0.1:1', registries: registries.url };
  const places = { service: PUBLIC_URL, farcaster: network, x: network, chain: inject('anvilUrl'), signIn };
  env = {
    ...serviceEnvironment(places, database.url),
    ...notificationEnvironment(places),
    GIG_WALLET_MNEMONIC: mnemonic,
  };
  instances = await Promise.all([startInstance(), startInstance()]);
});

afterAll(async () => {
  await Promise.all(instances.map(kill));
  await Promise.all([store.close(), farcaster.stop(), registries.stop()]);
  await database.close();
  folder.remove();
});

async function award(value: string, fids = [String(FID)]): Promise<void> {
  const deed = { actor: COMMAND_LINE, now: Date.now() };
  const tips = fids.map((platformUserId) => {
    return { platform: 'farcaster', platformUserId, value, username: null, userAddress: null };
  });
  await store.transaction((tx) => awardTips(tx, { gigId: gig.id, tips }, deed));
}

/** A tap of alice's like no other. */
function newTap(): string {
  taps += 1;
  return signTap(app, { fid: FID, audience: PUBLIC_URL, at: Date.now(), payload: { inputs: { taps } } });
}

/** What the card says that answers a tap. */
async function claim({ url }: Instance, tap: string): Promise<string[]> {
  const response = await fetch(`${url}/tap/claim`, { method: 'POST', body: tap });
  expect(response.status).toBe(200);
  return textsOf(readCard(await response.text()));
}

const claims = async () => (await store.claims({ limit: 99 })).length;
const paid = () => tokenBalance(token, verified);

/** What the claim of a tap has paid, in the same words at every instance. */
async function untilPaid(tap: string, amount: string): Promise<void> {
  for (const instance of instances) {
    await expect.poll(() => claim(instance, tap)).toEqual(expect.arrayContaining(['Paid', `Paid: ${amount} USDC`]));
  }
  const [one, other] = await Promise.all(instances.map((instance) => claim(instance, tap)));
  expect(other).toEqual(one);
}

test('security: one tap that both get ten times at once is one claim and one payment, and both answer the same', async () => {
  await award('0.04');
  const tap = newTap();
  const sent = instances.flatMap((instance) => Array.from({ length: 10 }, () => claim(instance, tap)));
  const answers = await Promise.all(sent);
  expect(answers.map(([title]) => title).filter((title) => title !== 'Paid' && title !== 'On its way')).toEqual([]);
  await untilPaid(tap, '0.04');
  expect([await claims(), await paid()]).toEqual([1, 40_000n]);
});

test('security: of twenty different taps of an account, half of them at each, one pays', async () => {
  const [claimed, held] = [await claims(), await paid()];
  await award('0.05');
  const tapped = async (instance: Instance, tap = newTap()) => ({ tap, texts: await claim(instance, tap) });
  const sent = instances.flatMap((instance) => Array.from({ length: 10 }, () => tapped(instance)));
  const answers = await Promise.all(sent);
  const [won, ...more] = answers.filter(({ texts: [title] }) => title === 'Paid' || title === 'On its way');
  expect(more).toEqual([]);
  await untilPaid(won?.tap ?? '', '0.05');
  expect([await claims(), await paid()]).toEqual([claimed + 1, held + 50_000n]);
});

test('security: of two that get a tap, one is killed once the claim is stored: it is paid once, and the next process says so', async () => {
  for (const victim of [0, 1]) {
    const [claimed, held] = [await claims(), await paid()];
    await award('0.06');
    const tap = newTap();
    const sent = instances.map((instance) => claim(instance, tap).catch(() => 'it was killed'));
    await expect.poll(claims, { interval: 1 }).toBe(claimed + 1);
    await kill(instances[victim] ?? instances[0]);
    await Promise.all(sent);
    // The other one pays, whoever made the claim.
    await expect.poll(paid).toBe(held + 60_000n);
    const started = await startInstance();
    instances = victim === 0 ? [started, instances[1]] : [instances[0], started];
    await untilPaid(tap, '0.06');
    expect([await claims(), await paid()]).toEqual([claimed + 1, held + 60_000n]);
  }
});

test('security: both together notify each person once, also when one of them is killed meanwhile', async () => {
  const people = Array.from({ length: 8 }, (_, index) => String(2_001 + index));
  for (const id of people) farcaster.addUser({ id, username: `user${id}` });
  await award('0.01', people);
  const shown = () => farcaster.notifications.shown().filter(({ fid }) => people.includes(fid));
  await expect.poll(() => shown().length, { interval: 10 }).toBeGreaterThan(1);
  await kill(instances[0]);
  const states = async () => {
    const sql = 'select state from notifications where platform_user_id = any($1)';
    const { rows } = await database.client.query<{ state: string }>(sql, [people]);
    return rows.map(({ state }) => state);
  };
  await expect.poll(states).toEqual(people.map(() => 'sent'));
  expect(
    shown()
      .map(({ fid, title }) => `${fid} ${title}`)
      .toSorted(),
  ).toEqual(people.map((id) => `${id} You earned 0.01 USDC`));
});
