import { createServer } from 'node:http';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { encodeAbiParameters } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { person } from '../../sandbox/people.ts';
import { createWallets } from '../../src/chain/wallets.ts';
import { type Address, checksummed } from '../../src/domain/gigs/token.ts';
import { anvilClients, deployToken, freshAddress, fundNative, fundToken, type TestToken } from '../support/anvil.ts';
import { listen } from '../support/listen.ts';
import { BASE_COIN, startNames, type TestNames } from '../support/names.ts';
import { seedGig, seedTips } from '../support/store.ts';
import { openWorld, type World } from '../support/world.ts';
import { ask, seedUsdc } from './posts.ts';

const ALICE = { platform: 'farcaster', platformUserId: '1001' } as const;
const BOB_ON_X = { platform: 'twitter', platformUserId: person('bob').xUserId } as const;
const UNIT = 1_000_000n;

let node: TestNames;
let world: World;
let token: TestToken;
let names = 0;

beforeAll(async () => {
  node = await startNames();
});
afterAll(() => node.stop());

beforeEach(async () => {
  const mnemonic = generateMnemonic(wordlist);
  world = await openWorld({
    env: { GIG_WALLET_MNEMONIC: mnemonic, RPC_URL_1: node.url, WEBHOOK_ALLOW_PRIVATE: 'true' },
  });
  token = await deployToken({ decimals: 6, symbol: 'USDC' });
  await fundNative(createWallets(mnemonic).gasTankAddress(), 10n ** 18n);
});
afterEach(() => world.close());

/** A name of its own for each test: the node of names is shared. */
const fresh = (end = 'eth') => `flow${++names}.${end}`;

/** A live gig that is funded, of which these accounts have earned a token each. */
async function earn(...accounts: (typeof ALICE | typeof BOB_ON_X)[]): Promise<void> {
  const { store } = world.runtime;
  const { tokenId } = await seedUsdc(store, token);
  const gig = await seedGig(store, {
    tokenId,
    rewardAmount: 100n * UNIT,
    feeAmount: 0n,
    startTime: Date.now() - 60_000,
    live: true,
    walletAddress: createWallets(world.config.gigWalletMnemonic ?? '').gigAddress,
  });
  await fundToken(token, gig.walletAddress, 100n * UNIT);
  const tips = accounts.map((account) => ({ ...account, amount: UNIT }));
  await seedTips(store, gig, tips);
}

async function balanceOf(owner: Address): Promise<bigint> {
  const data = `0x70a08231${owner.slice(2).padStart(64, '0')}` as const;
  return BigInt((await anvilClients().public.call({ to: token.address, data })).data ?? '0x0');
}

const alice = (text: string) => ask(world.farcaster, 'alice', `@gigclaim ${text}`);
const bob = (text: string) => ask(world.x, 'bob', `@gigclaim ${text}`);
const confirming = (name: string, address: Address) => `post "claim my rewards ${name} ${address.slice(0, 6)}"`;

describe('a claim to a name by mention', () => {
  test.each([
    ['Farcaster', ALICE, alice],
    ['X', BOB_ON_X, bob],
  ] as const)(
    'behavior: on %s it is told the address, confirms it, and is paid; after a restart the name is still known',
    async (_, account, say) => {
      const [name, home] = [fresh(), freshAddress()];
      await node.set(name, home);
      await earn(account);
      const told = await say(`claim my rewards ${name}`);
      expect(told).toContain(checksummed(home));
      expect(told).toContain(confirming(name, home));
      expect(await say(`claim my rewards ${name} ${home.slice(0, 6)}`)).toContain(
        `Paid to ${checksummed(home)}: 1 USDC`,
      );
      expect(await balanceOf(home)).toBe(UNIT);
      await world.stop();
      await world.start();
      await earn(account);
      expect(await say(`claim my rewards ${name}`)).toContain(`Paid to ${checksummed(home)}: 1 USDC`);
      expect(await balanceOf(home)).toBe(2n * UNIT);
    },
  );

  test('behavior: a Basename is paid at its address of Base', async () => {
    const [name, home] = [fresh('base.eth'), freshAddress()];
    await node.keep(name, freshAddress());
    await node.set(name, home, BASE_COIN);
    await earn(ALICE);
    expect(await alice(`claim my rewards ${name}`)).toContain(confirming(name, home));
    await alice(`claim my rewards ${name} ${home.slice(0, 6)}`);
    expect(await balanceOf(home)).toBe(UNIT);
  });

  test('security: a name that moves before the confirmation is not paid, and the author is told where it leads', async () => {
    const [name, home, moved] = [fresh(), freshAddress(), freshAddress()];
    await node.set(name, home);
    await earn(ALICE);
    await alice(`claim my rewards ${name}`);
    await node.set(name, moved);
    const told = await alice(`claim my rewards ${name} ${home.slice(0, 6)}`);
    expect(told).toContain('leads elsewhere now, so I paid nothing');
    expect(told).toContain(confirming(name, moved));
    expect([await balanceOf(home), await balanceOf(moved)]).toEqual([0n, 0n]);
    await alice(`claim my rewards ${name} ${moved.slice(0, 6)}`);
    expect([await balanceOf(home), await balanceOf(moved)]).toEqual([0n, UNIT]);
  });

  test('security: an address that is not settled yet is not told', async () => {
    const [name, home] = [fresh(), freshAddress()];
    await node.keep(name, home);
    await earn(ALICE);
    expect(await alice(`claim my rewards ${name}`)).toContain('has no address');
    await node.settle();
    expect(await alice(`claim my rewards ${name}`)).toContain(confirming(name, home));
  });

  test('security: a server at a private address is never asked for a name, also where webhooks may be at one', async () => {
    let requests = 0;
    const server = await listen(
      createServer((_, response) => {
        requests += 1;
        response.end(JSON.stringify({ data: encodeAbiParameters([{ type: 'address' }], [freshAddress()]) }));
      }),
    );
    await earn(ALICE);
    for (const way of ['offchain', 'batched'] as const) {
      const name = fresh();
      await node.answer(name, way, [`${server.url}/{data}`, `https://127.0.0.1:${server.port}/`, 'https://localhost/']);
      expect(await alice(`claim my rewards ${name}`)).toContain(`The server that keeps ${name} does not answer.`);
    }
    expect(requests).toBe(0);
    await server.close();
  });

  test('behavior: a mention that is delivered again and again is answered once, and pays once', async () => {
    const [name, home] = [fresh(), freshAddress()];
    await node.set(name, home);
    await earn(ALICE);
    const posts = [`claim my rewards ${name}`, `claim my rewards ${name} ${home.slice(0, 6)}`];
    for (const text of posts) {
      const post = world.farcaster.post({ author: 'alice', text: `@gigclaim ${text}` });
      await world.farcaster.waitForReply(post.id, 20_000);
      await world.farcaster.redeliver(post.id, 20);
      expect(world.farcaster.repliesTo(post.id)).toHaveLength(1);
    }
    expect(await balanceOf(home)).toBe(UNIT);
    expect(await world.runtime.store.claims({ limit: 9 })).toHaveLength(1);
  });
});
