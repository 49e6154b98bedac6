import { randomBytes } from 'node:crypto';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { person } from '../../../sandbox/people.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { createApiKey } from '../../../src/services/operators/api-keys.ts';
import { openDesk } from '../../cli/admin.ts';
import { anvilClients, deployToken, freshAddress, fundNative, fundToken, type TestToken } from '../../support/anvil.ts';
import type { JsonRpcServer } from '../../support/json-rpc.ts';
import { serveRpcProxy } from '../../support/rpc-proxy.ts';
import { seedGig, seedToken } from '../../support/store.ts';
import { FAST, openWorld, type World } from '../../support/world.ts';

const PATIENCE_MS = 20_000;
const UNIT = 1_000_000n;
const ALICE = { platform: 'farcaster', platformUserId: String(person('alice').fid) } as const;

let world: World;
let token: TestToken;

async function open(
  env: Record<string, string>,
  options: Omit<NonNullable<Parameters<typeof openWorld>[0]>, 'env'> = {},
): Promise<void> {
  const mnemonic = generateMnemonic(wordlist);
  // Before the service looks at it: an empty tank is a condition for as long as a look lasts.
  await fundNative(createWallets(mnemonic).gasTankAddress(), 10n ** 18n);
  world = await openWorld({ ...options, env: { ...env, GIG_WALLET_MNEMONIC: mnemonic } });
}

beforeEach(async () => {
  token = await deployToken({ decimals: 6, symbol: 'USDC' });
});
afterEach(() => world.close());

/** A gig of alice's for 100 and a fee of 5, whose wallet holds both and which nobody has started. */
async function fundedGig(): Promise<Gig> {
  const { store } = world.runtime;
  const { address, decimals, symbol } = token;
  const { id: tokenId } = await seedToken(store, { address, decimals, symbol, chainId: 31337 });
  const walletAddress = createWallets(world.config.gigWalletMnemonic ?? '').gigAddress;
  const terms = { tokenId, rewardAmount: 100n * UNIT, feeAmount: 5n * UNIT, startTime: Date.now(), walletAddress };
  const gig = await seedGig(store, { ...terms, owners: [ALICE] });
  await fundToken(token, gig.walletAddress, 105n * UNIT);
  return gig;
}

async function startByApi({ id }: Gig): Promise<number> {
  const { store } = world.runtime;
  const { key } = await createApiKey(
    { store, clock: Date.now, randomBytes, actor: COMMAND_LINE },
    { name: 'test', expiresAt: null, scopes: ['operator'] },
  );
  const response = await fetch(`${world.url}/api/gigs/start`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: JSON.stringify({ gig_id: id }),
  });
  return response.status;
}

async function held(owner: string): Promise<bigint> {
  const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}` as const;
  const answer = await anvilClients().public.call({ to: token.address, data });
  return BigInt(answer.data ?? '0x0');
}

test('behavior: after a start, by the API or by the bot, the fee moves to the treasury and the reward stays', async () => {
  const treasury = freshAddress();
  await open({ TREASURY_ADDRESS: treasury });
  const [one, two] = [await fundedGig(), await fundedGig()];
  expect(await startByApi(one)).toBe(200);
  const cast = world.farcaster.post({ author: 'alice', text: `@gigclaim start gig ${two.id}` });
  expect((await world.farcaster.waitForReply(cast.id, PATIENCE_MS))?.text).toMatch(/ is live until /);
  await expect.poll(() => held(treasury), { timeout: PATIENCE_MS }).toBe(10n * UNIT);
  expect([await held(one.walletAddress), await held(two.walletAddress)]).toEqual([100n * UNIT, 100n * UNIT]);
  const { store } = world.runtime;
  const fees = async () =>
    (await store.payments({ limit: 9, kind: 'fee' })).map(({ gigId, amount, state }) => [gigId, amount, state]);
  await expect.poll(fees, { timeout: PATIENCE_MS }).toEqual([
    [two.id, 5n * UNIT, 'confirmed'],
    [one.id, 5n * UNIT, 'confirmed'],
  ]);
});

test('behavior: without a treasury nothing moves, and a claim that a restart interrupts is answered and paid once', async () => {
  await open({ TREASURY_ADDRESS: '' });
  const gig = await fundedGig();
  expect(await startByApi(gig)).toBe(200);
  const tips = [{ ...ALICE, gigId: gig.id, tokenId: gig.token.id, amount: 40n * UNIT, userAddress: null }];
  await world.runtime.store.transaction((tx) => tx.insertTips(tips, Date.now()));
  const recipient = freshAddress();
  const cast = world.farcaster.post({ author: 'alice', text: `@gigclaim claim my rewards ${recipient}` });
  const opened = async () => (await world.runtime.store.claims({ limit: 9 })).length;
  await expect.poll(opened, { timeout: PATIENCE_MS, interval: 5 }).toBe(1);
  await world.stop();
  await world.start();
  const reply = await world.farcaster.waitForReply(cast.id, PATIENCE_MS);
  expect(reply?.text).toMatch(/^Paid to 0x[0-9a-fA-F]{40}: 40 USDC \(tx 0x[0-9a-f]{64}\)\.$/);
  expect(world.farcaster.repliesTo(cast.id)).toHaveLength(1);
  expect([await held(recipient), await held(gig.walletAddress)]).toEqual([40n * UNIT, 65n * UNIT]);
  expect(await world.runtime.store.payments({ limit: 9, kind: 'fee' })).toEqual([]);
});

describe('an endpoint', () => {
  const TIP = 'eth_maxPriorityFeePerGas';
  const NOT_SUPPORTED = { error: { code: -32_000, message: 'not supported' } };

  let proxy: JsonRpcServer;
  /** The methods that it lacks. */
  let lacking: ReadonlySet<string>;
  let offset = 0;
  const clock = () => Date.now() + offset;
  beforeEach(async () => {
    offset = 0;
    proxy = await serveRpcProxy(inject('anvilUrl'), ({ method }) =>
      lacking.has(method) ? Promise.resolve(NOT_SUPPORTED) : undefined,
    );
  });
  afterEach(() => proxy.close());

  /** A gig that was started, so that its fee is to be paid. */
  async function startedGig(...methods: readonly string[]): Promise<void> {
    lacking = new Set(methods);
    const env = { RPC_URL_31337: proxy.url, TREASURY_ADDRESS: freshAddress() };
    await open(env, { clock, timing: { ...FAST, payment: {} } });
    expect(await startByApi(await fundedGig())).toBe(200);
  }

  const payments = () => world.runtime.store.payments({ limit: 9 });

  async function reasons(): Promise<unknown> {
    const ready = await fetch(`${world.url}/ready`);
    return ((await ready.json()) as { reasons: unknown }).reasons;
  }

  /** What doctor says of payments. */
  async function doctor(): Promise<unknown> {
    const desk = await openDesk();
    const { out } = await desk.admin(['doctor', '--json'], { env: world.env, clock });
    await desk.close();
    const { checks } = JSON.parse(out) as { checks: { name: string; ok: boolean; detail: string }[] };
    return checks.find(({ name }) => name === 'payments');
  }

  test.each([[[TIP]], [[TIP, 'eth_feeHistory']], [[TIP, 'eth_feeHistory', 'eth_gasPrice']]])(
    'behavior: without %s pays',
    async (methods) => {
      await startedGig(...methods);
      await expect.poll(payments, { timeout: PATIENCE_MS }).toMatchObject([{ state: 'confirmed', reason: null }]);
      expect(methods.every((method) => proxy.asked.includes(method))).toBe(true);
    },
  );

  test.each([
    {
      what: 'sends nothing',
      methods: [TIP, 'eth_feeHistory', 'eth_sendRawTransaction'],
      state: 'sent',
      reason: 'the endpoint refuses its transaction: not supported',
    },
    {
      what: 'counts no transactions',
      methods: [TIP, 'eth_feeHistory', 'eth_getTransactionCount'],
      state: 'planned',
      reason:
        'no payment of its chain can be made now: chain anvil: the endpoint answered eth_getTransactionCount with error -32000; it answered: not supported',
    },
  ])('error: that $what is the reason of its payments, of /ready and of doctor, until it does', async (each) => {
    await startedGig(...each.methods);
    let most = 60_000;
    // The steps of a chain have to fail for 20 seconds.
    const later = () => {
      offset = Math.min(offset + 1_000, most);
      return payments();
    };
    const { state, reason } = each;
    await expect.poll(later, { timeout: PATIENCE_MS }).toMatchObject([{ state, reason }]);
    const text = `1 payment waits on anvil, because of its endpoint: ${reason}`;
    const remedy = 'Set RPC_URL_31337 to another JSON-RPC endpoint of Anvil, and see payment list.';
    expect(await reasons()).toEqual([{ kind: 'payments_blocked', subject: 'anvil', text, remedy }]);
    expect(await doctor()).toMatchObject({ ok: false, detail: text, remedy });
    lacking = new Set();
    // It is asked again when its pauses are over.
    most = 120_000;
    await expect.poll(later, { timeout: PATIENCE_MS }).toMatchObject([{ state: 'confirmed', reason: null }]);
    expect(await reasons()).toEqual([]);
    expect(await doctor()).toMatchObject({ ok: true });
  });
});
