import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createChains, createEndpointPools, createPayerChains } from '../../../src/chain/registry.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { FEE_NUMBER } from '../../../src/domain/payments/payment.ts';
import { startGig } from '../../../src/services/gigs/start-gig.ts';
import { createAudits, payElsewhere } from '../../services/audits/auditing.ts';
import { ALICE, type Cashier, openCashier } from '../../services/cashier.ts';
import { deployToken, freshAddress, fundToken, type TestToken } from '../../support/anvil.ts';
import { ANVIL } from '../../support/payer.ts';
import { type RpcProxyServer, serveRpcProxy } from '../../support/rpc-proxy.ts';
import { startPayingAnvil } from '../../support/setup-anvil.ts';
import { stepPayments } from '../../support/steps.ts';
import { seedGig, seedToken } from '../../support/store.ts';

/** A question of a decision, and the place of the endpoint that answered it. */
interface Answered {
  readonly place: number;
  readonly method: string;
}

const BROADCAST = 'eth_sendRawTransaction';

let anvil: Awaited<ReturnType<typeof startPayingAnvil>>;
let proxies: readonly [RpcProxyServer, RpcProxyServer];
let answered: Answered[];
/** How many questions the first endpoint still answers before it dies. */
let left: number;
let isDead: boolean;
/** What the first endpoint does not serve. */
let lacking: string | null;
let cashier: Cashier;
let token: TestToken;

/**
 * An endpoint of a node of its own: endpoints that saw blocks by others come would be compared. The chain's id and the newest block, which every endpoint is asked for before it is chosen,
 * are no questions here.
 */
function serve(place: number): Promise<RpcProxyServer> {
  return serveRpcProxy(anvil.url, ({ method, params }) => {
    const isQuestion =
      method !== 'eth_chainId' && !(method === 'eth_getBlockByNumber' && `${params}` === 'latest,false');
    if (place === 1) {
      if (isQuestion && left === 0) isDead = true;
      if (isDead) return Promise.resolve((response) => response.destroy());
      if (method === lacking) return Promise.resolve({ error: { code: -32_601, message: 'no such method' } });
      if (isQuestion) left -= 1;
    }
    if (isQuestion) answered.push({ place, method });
    return undefined;
  });
}

/** Opens the two endpoints, of which nothing is known; the first one dies after so many questions. */
function openBoth(lives = Number.POSITIVE_INFINITY) {
  const [one, two] = proxies;
  const given = { endpoints: [{ chain: ANVIL, rpcUrls: [one.url, two.url] as const }], clock: Date.now, retries: 0 };
  const options = { ...given, pools: createEndpointPools(given) };
  left = lives;
  isDead = false;
  answered = [];
  const payers = createPayerChains({ ...options, wallets: cashier.wallets });
  return { chains: createChains(options), payers, payer: payers.payer(ANVIL.id) };
}

beforeAll(async () => {
  anvil = await startPayingAnvil();
});
afterAll(() => anvil.stop());
beforeEach(async () => {
  lacking = null;
  proxies = await Promise.all([serve(1), serve(2)]);
  cashier = await openCashier({ wallets: createWallets(generateMnemonic(wordlist)), url: anvil.url });
  await cashier.fundTank(10n ** 18n);
  token = await deployToken({ decimals: 6, symbol: 'USDC' }, anvil.url);
});
afterEach(async () => {
  await cashier.close();
  await Promise.all(proxies.map((proxy) => proxy.close()));
});

function methodsAt(place: number): string[] {
  return answered.filter((each) => each.place === place).map(({ method }) => method);
}

/** Requires that after so many questions to the first endpoint all of these were asked of the second one, and no other. */
function expectAnew(all: readonly string[], before: number): void {
  expect(answered.map(({ place }) => place)).toEqual([...Array(before).fill(1), ...Array(all.length).fill(2)]);
  expect(methodsAt(2).toSorted()).toEqual(all.toSorted());
}

test('security: an audit whose endpoint dies, at whatever question, asks everything anew at another one', async () => {
  const gig = await createAudits(cashier).gig({ asset: token, tips: [{ account: ALICE, amount: 10n }], reward: 100n });
  await payElsewhere(cashier, gig, { to: freshAddress(), amount: 30n, numbers: [2n ** 40n] });
  await createAudits(cashier).only();
  const audit = async (lives?: number) => (await createAudits(cashier, { payer: openBoth(lives).payer }).only()).audit;

  const well = await audit();
  expect(well).toMatchObject({ held: 70n, expected: 70n, problems: [] });
  const all = methodsAt(1);
  expect(new Set(all)).toEqual(
    new Set([
      'eth_blockNumber',
      'eth_getBalance',
      'eth_getTransactionCount',
      'eth_getBlockByNumber',
      'eth_getStorageAt',
      'eth_call',
    ]),
  );
  for (let lives = 0; lives < all.length; lives += 1) {
    expect(await audit(lives)).toMatchObject({ held: 70n, expected: 70n, problems: [] });
    expectAnew(all, lives);
  }
});

test('security: a start whose endpoint dies, at whatever question, asks everything anew at another one', async () => {
  const { address, decimals, name, symbol } = token;
  const { store, wallets, clock } = cashier;
  const { id: tokenId } = await seedToken(store, { address, decimals, name, symbol, chainId: ANVIL.id });
  const seeded = async () => {
    const gig = await seedGig(store, { tokenId, rewardAmount: 100n, feeAmount: 5n, walletAddress: wallets.gigAddress });
    await fundToken(token, gig.walletAddress, 105n, anvil.url);
    // As before an older backup was put back, so that payments and balance make up its funding together.
    await payElsewhere(cashier, gig, { to: freshAddress(), amount: 5n, numbers: [FEE_NUMBER] });
    return gig;
  };
  const start = async (lives?: number) => {
    const { id: gigId } = await seeded();
    const source = openBoth(lives);
    const deps = { store, clock, treasury: null, randomBytes, ...source };
    return await startGig(deps, { gigId, holder: 'once', actor: COMMAND_LINE });
  };

  expect((await start()).status).toBe('live');
  const all = methodsAt(1);
  // The balance, whether the wallet has paid, what it has paid, and the balance in a settled block.
  expect(all.filter((method) => method !== 'eth_getCode')).toEqual([
    'eth_blockNumber',
    'eth_call',
    'eth_getLogs',
    'eth_call',
  ]);
  for (let lives = 0; lives < all.length; lives += 1) {
    expect((await start(lives)).status).toBe('live');
    expectAnew(all, lives);
  }
  lacking = 'eth_getLogs';
  expect((await start()).status).toBe('live');
  expectAnew(all, all.indexOf('eth_getLogs'));
});

test('security: a payment whose endpoint dies, wherever it is, is made once through another one', async () => {
  const { deps } = cashier.paying;
  /** Pays a tip. @returns what its recipient has got */
  async function pay(lives?: number): Promise<bigint> {
    const { payer } = openBoth(lives);
    await cashier.gig({ asset: token, tips: [{ account: ALICE, amount: 10n }], reward: 100n });
    const recipient = freshAddress();
    await cashier.claim(cashier.post(ALICE, `claim my rewards ${recipient}`));
    for (let rounds = 0; (await cashier.store.chainsWithPayments()).length > 0; rounds += 1) {
      if (rounds > 500) throw new Error('not settled');
      const before = answered.length;
      const hasMoved = await stepPayments({ deps, payer });
      // Only signed bytes are offered in the middle of a step; all else begins with what the gas tank holds, once it is known
      // that the contracts are there.
      const asked = answered.slice(before).filter(({ place }) => place === 2);
      const [first] = asked.filter(({ method }) => method !== BROADCAST && method !== 'eth_getCode');
      expect(first?.method ?? 'eth_blockNumber').toBe('eth_blockNumber');
      if (hasMoved) continue;
      // What could not be signed waits for a moment.
      cashier.advance(1_000);
      await wait(10);
    }
    return await cashier.held(token, recipient);
  }

  expect(await pay()).toBe(10n);
  const all = methodsAt(1);
  expect(all).toContain(BROADCAST);
  for (let lives = 0; lives < all.length; lives += 3) {
    expect(await pay(lives)).toBe(10n);
    // The first endpoint is never asked again, so no step goes on with what it had said.
    expect(methodsAt(1)).toHaveLength(lives);
    expect(answered.slice(0, lives).every(({ place }) => place === 1)).toBe(true);
  }
  expect((await cashier.payments('payout')).every(({ state }) => state === 'confirmed')).toBe(true);
});
