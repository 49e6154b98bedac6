import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { freshAddress, tokenBalance } from '../../support/anvil.ts';
import { answerTo, ask, createApiClient, newApiKey, readReady } from '../../support/clients.ts';
import { runBeside } from '../../support/command.ts';
import { sampleAccount } from '../../support/earning.ts';
import type { JsonRpcServer } from '../../support/json-rpc.ts';
import { openPayingWorld, type PayingWorld, UNIT } from '../../support/paying-world.ts';
import { serveRpcProxy } from '../../support/rpc-proxy.ts';
import { seedTips } from '../../support/store.ts';
import { FAST, type WorldOptions } from '../../support/world.ts';

const PATIENCE_MS = 20_000;
const ALICE = sampleAccount(1001);

let world: PayingWorld['world'];
let paying: PayingWorld;

async function open(env: Record<string, string>, options: WorldOptions = {}): Promise<void> {
  paying = await openPayingWorld({ ...options, env });
  ({ world } = paying);
}
afterEach(() => world.close());

/** A gig of alice's for 100 and a fee of 5, whose wallet holds both and which nobody has started. */
async function fundedGig(): Promise<Gig> {
  return (await paying.fundedGig({ feeAmount: 5n * UNIT, owners: [ALICE] })).gig;
}

async function startByApi({ id }: Gig): Promise<void> {
  const call = createApiClient(() => world.url, await newApiKey(world.runtime.store));
  expect((await call('POST', '/api/gigs/start', { gig_id: id })).status).toBe(200);
}

const held = (owner: string) => tokenBalance(paying.token, owner);

test('behavior: after a start, by the API or by the bot, the fee moves to the treasury and the reward stays', async () => {
  const treasury = freshAddress();
  await open({ TREASURY_ADDRESS: treasury });
  const [one, two] = [await fundedGig(), await fundedGig()];
  await startByApi(one);
  expect(await ask(world.farcaster, 'alice', `start gig ${two.id}`)).toMatch(/ is live until /);
  await expect.poll(() => held(treasury)).toBe(10n * UNIT);
  expect([await held(one.walletAddress), await held(two.walletAddress)]).toEqual([100n * UNIT, 100n * UNIT]);
  const { store } = world.runtime;
  const fees = async () =>
    (await store.payments({ limit: 9, kind: 'fee' })).map(({ gigId, amount, state }) => [gigId, amount, state]);
  await expect.poll(fees).toEqual([
    [two.id, 5n * UNIT, 'confirmed'],
    [one.id, 5n * UNIT, 'confirmed'],
  ]);
});

test('behavior: without a treasury nothing moves, and a claim that a restart interrupts is answered and paid once', async () => {
  await open({ TREASURY_ADDRESS: '' });
  const gig = await fundedGig();
  await startByApi(gig);
  await seedTips(world.runtime.store, gig, [{ ...ALICE, amount: 40n * UNIT }]);
  const recipient = freshAddress();
  const cast = world.farcaster.post({ author: 'alice', text: `@gigclaim claim my rewards ${recipient}` });
  const opened = async () => (await world.runtime.store.claims({ limit: 9 })).length;
  await expect.poll(opened, { timeout: PATIENCE_MS, interval: 5 }).toBe(1);
  await world.stop();
  await world.start();
  expect(await answerTo(world.farcaster, cast)).toMatch(/^Paid to 0x[0-9a-fA-F]{40}: 40 USDC \(tx 0x[0-9a-f]{64}\)\.$/);
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
    await startByApi(await fundedGig());
  }

  const payments = () => world.runtime.store.payments({ limit: 9 });

  const reasons = async () => (await readReady(world)).reasons;

  /** What doctor says of payments. */
  async function doctor(): Promise<unknown> {
    const { out } = await runBeside(world, { args: ['doctor', '--json'], clock });
    const { checks } = JSON.parse(out) as { checks: { name: string; ok: boolean; detail: string }[] };
    return checks.find(({ name }) => name === 'payments');
  }

  test.each([[[TIP]], [[TIP, 'eth_feeHistory']], [[TIP, 'eth_feeHistory', 'eth_gasPrice']]])(
    'behavior: without %s pays',
    async (methods) => {
      await startedGig(...methods);
      await expect.poll(payments).toMatchObject([{ state: 'confirmed', reason: null }]);
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
    await expect.poll(later).toMatchObject([{ state, reason }]);
    const text = `1 payment waits on anvil, because of its endpoint: ${reason}`;
    const remedy = 'Set RPC_URL_31337 to another JSON-RPC endpoint of Anvil, and see payment list.';
    expect(await reasons()).toEqual([{ kind: 'payments_blocked', subject: 'anvil', text, remedy }]);
    expect(await doctor()).toMatchObject({ ok: false, detail: text, remedy });
    lacking = new Set();
    // It is asked again when its pauses are over.
    most = 120_000;
    await expect.poll(later).toMatchObject([{ state: 'confirmed', reason: null }]);
    expect(await reasons()).toEqual([]);
    expect(await doctor()).toMatchObject({ ok: true });
  });
});
