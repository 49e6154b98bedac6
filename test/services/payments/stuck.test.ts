import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { AnvilProcess } from '../../../sandbox/anvil.ts';
import type { ClaimStatus } from '../../../src/domain/claim.ts';
import {
  anvilClients,
  deployToken,
  freshAddress,
  fundNative,
  startAnvil,
  type TestToken,
} from '../../support/anvil.ts';
import { stepPayments } from '../../support/steps.ts';
import { seedTips } from '../../support/store.ts';
import { ALICE, BOB, type Cashier, openCashier, REBROADCAST_MS, REPLACE_MS } from '../cashier.ts';

const ETHER = 10n ** 18n;
const GWEI = 10n ** 9n;

let anvil: AnvilProcess;
beforeEach(async () => {
  anvil = await startAnvil();
  return () => anvil.stop();
});

interface Stuck {
  readonly cashier: Cashier;
  readonly asset: TestToken;
  readonly recipient: `0x${string}`;
  readonly wallet: `0x${string}`;
  readonly claimed: ClaimStatus;
}

/** A claim of 5 whose wallet has gas, on a node of its own that mines nothing by itself any more. */
async function stuck(options: Parameters<typeof openCashier>[0] = {}, gas = ETHER): Promise<Stuck> {
  const cashier = await openCashier({ ...options, url: anvil.url });
  onTestFinished(cashier.close);
  const asset = await deployToken({ decimals: 6 }, anvil.url);
  const { walletAddress } = await cashier.gig({ asset, tips: [{ account: ALICE, amount: 5n }] });
  await cashier.fundTank(ETHER);
  if (gas > 0n) await fundNative(walletAddress, gas, anvil.url);
  await cashier.node.mine({ blocks: options.confirmations ?? 1 });
  await cashier.node.setAutomine(false);
  const recipient = freshAddress();
  const claimed = await cashier.claim(cashier.post(ALICE, `claim my rewards ${recipient}`));
  return { cashier, asset, recipient, wallet: walletAddress, claimed };
}

async function transferOf({ cashier, claimed }: Stuck) {
  const transfer = (await cashier.status(claimed)).transfers.at(-1);
  if (transfer === undefined) throw new Error('nothing was planned');
  return transfer;
}

async function attemptOf(world: Stuck, index: number) {
  const attempt = (await transferOf(world)).attempts[index];
  if (attempt === undefined) throw new Error(`there is no attempt ${index}`);
  return attempt;
}

/** The hashes that wait in the node's pool. */
async function waiting(): Promise<string[]> {
  const { pending, queued } = await anvilClients(anvil.url).test.getTxpoolContent();
  return [pending, queued].flatMap((pool) =>
    Object.values(pool).flatMap((byNonce) => Object.values(byNonce).map(({ hash }) => hash as string)),
  );
}

/** Lets time go by and looks once. */
async function later({ cashier }: Stuck, ms: number): Promise<void> {
  cashier.advance(ms);
  await stepPayments(cashier.paying);
}

test('behavior: bytes that the node lost are offered again after a while, unchanged', async () => {
  const world = await stuck();
  await world.cashier.look();
  const attempt = await attemptOf(world, 0);
  expect(await waiting()).toEqual([attempt.hash]);
  await world.cashier.node.dropTransaction({ hash: attempt.hash });
  await later(world, REBROADCAST_MS - 1);
  expect(await waiting()).toEqual([]);
  await later(world, 1);
  expect(await waiting()).toEqual([attempt.hash]);
  await world.cashier.node.mine({ blocks: 1 });
  await world.cashier.settle();
  expect(await transferOf(world)).toMatchObject({ state: 'confirmed', hash: attempt.hash, attempts: [attempt] });
  expect(await world.cashier.held(world.asset, world.recipient)).toBe(5n);
});

test.each(['first', 'second'] as const)(
  'behavior: after longer it is replaced under its nonce with a higher fee, and the %s attempt may land',
  async (which) => {
    const world = await stuck();
    const { cashier } = world;
    await cashier.look();
    await later(world, REPLACE_MS);
    const [first, second] = [await attemptOf(world, 0), await attemptOf(world, 1)];
    expect(await waiting()).toEqual([second.hash]);
    expect(second.maxFeePerGas).toBe((first.maxFeePerGas * 125n) / 100n + 1n);
    expect(second.maxPriorityFeePerGas).toBe((first.maxPriorityFeePerGas * 125n) / 100n + 1n);
    if (which === 'first') {
      await cashier.node.dropTransaction({ hash: second.hash });
      await cashier.writer.broadcast(first.raw);
    }
    await cashier.node.mine({ blocks: 1 });
    await cashier.settle();
    const { hash } = which === 'first' ? first : second;
    expect(await transferOf(world)).toMatchObject({ state: 'confirmed', nonce: 0, hash });
    expect(await cashier.held(world.asset, world.recipient)).toBe(5n);
    expect(await cashier.writer.spentNonces(world.wallet)).toEqual({ latest: 1, final: 1 });
  },
);

test('behavior: fees rise to the cap and no further, however long it takes', async () => {
  const world = await stuck({ maxFeePerGas: 4n * GWEI });
  await world.cashier.look();
  for (let rounds = 0; rounds < 12; rounds += 1) await later(world, REPLACE_MS);
  const { attempts } = await transferOf(world);
  expect(attempts.length).toBeGreaterThan(1);
  expect(attempts.length).toBeLessThan(5);
  for (const { maxFeePerGas } of attempts) expect(maxFeePerGas).toBeLessThanOrEqual(4n * GWEI);
  await world.cashier.node.mine({ blocks: 1 });
  await world.cashier.settle();
  expect(await world.cashier.held(world.asset, world.recipient)).toBe(5n);
});

test('behavior: a chain dearer than the cap is waited for', async () => {
  const world = await stuck({ maxFeePerGas: 4n * GWEI });
  const { cashier } = world;
  await cashier.node.setNextBlockBaseFeePerGas({ baseFeePerGas: 50n * GWEI });
  await cashier.node.mine({ blocks: 1 });
  for (let rounds = 0; rounds < 4; rounds += 1) await later(world, REPLACE_MS);
  expect(await transferOf(world)).toMatchObject({ state: 'broadcast', nonce: 0 });
  await cashier.node.setNextBlockBaseFeePerGas({ baseFeePerGas: GWEI });
  await cashier.node.mine({ blocks: 1 });
  await cashier.node.setAutomine(true);
  await later(world, REBROADCAST_MS);
  await cashier.settle();
  expect((await transferOf(world)).attempts[0]?.maxFeePerGas).toBe(4n * GWEI);
  expect(await cashier.held(world.asset, world.recipient)).toBe(5n);
});

test('error: a wallet that lost its gas after signing gets some, and the same bytes land', async () => {
  const world = await stuck();
  const { cashier, wallet } = world;
  await cashier.look();
  const attempt = await attemptOf(world, 0);
  await cashier.node.dropTransaction({ hash: attempt.hash });
  await cashier.node.setBalance({ address: wallet, value: 1n });
  await cashier.node.setAutomine(true);
  await later(world, REBROADCAST_MS);
  while ((await cashier.transfers('gas'))[0]?.state !== 'confirmed') await later(world, 0);
  await later(world, REBROADCAST_MS);
  await cashier.settle();
  expect(await transferOf(world)).toMatchObject({ state: 'confirmed', hash: attempt.hash });
  expect(await cashier.transfers('gas')).toHaveLength(1);
});

test('behavior: what a reorganisation takes back counts only when it is final again', async () => {
  const world = await stuck({ confirmations: 3 });
  const { cashier } = world;
  const id = await cashier.node.snapshot();
  await cashier.look();
  const attempt = await attemptOf(world, 0);
  await cashier.node.mine({ blocks: 2 });
  await later(world, 0);
  expect(await transferOf(world)).toMatchObject({ state: 'broadcast', hash: null });
  await cashier.node.revert({ id });
  await later(world, REBROADCAST_MS);
  expect(await waiting()).toEqual([attempt.hash]);
  await cashier.node.mine({ blocks: 2 });
  await later(world, REBROADCAST_MS);
  expect(await transferOf(world)).toMatchObject({ state: 'broadcast' });
  await cashier.node.mine({ blocks: 1 });
  await cashier.settle();
  expect(await transferOf(world)).toMatchObject({ state: 'confirmed', hash: attempt.hash, attempts: [attempt] });
  expect(await cashier.held(world.asset, world.recipient)).toBe(5n);
});

/** Somebody with the key of the gig's wallet spends a nonce on a transfer of nothing to themselves. */
async function intrude({ cashier, wallet }: Stuck, nonce: number): Promise<void> {
  const native = { address: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee', isNative: true } as const;
  const fees = { maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: 10n * GWEI };
  const call = { from: wallet, token: native, to: wallet, amount: 0n, nonce, gas: 21_000n, ...fees };
  await cashier.writer.broadcast((await cashier.writer.sign(1, call)).raw);
}

test('security: a nonce spent by somebody else counts when it is final, stops the gig, and the payment is made once', async () => {
  const world = await stuck({ confirmations: 3 });
  const { cashier } = world;
  await cashier.look();
  const lost = await attemptOf(world, 0);
  await intrude(world, 0);
  await cashier.node.mine({ blocks: 2 });
  for (let rounds = 0; rounds < 3; rounds += 1) await later(world, REPLACE_MS);
  expect((await cashier.status(world.claimed)).transfers).toMatchObject([{ state: 'broadcast', attempts: [lost] }]);
  await cashier.node.mine({ blocks: 1 });
  await later(world, 0);
  // One look may have been at a node that lags behind.
  expect((await cashier.status(world.claimed)).transfers).toMatchObject([{ state: 'broadcast' }]);
  await later(world, REBROADCAST_MS);
  await cashier.look();
  expect((await cashier.status(world.claimed)).transfers).toMatchObject([
    { state: 'replaced', nonce: 0, reason: 'its nonce was spent by a transaction that is not ours' },
    { state: 'planned', nonce: null, amount: 5n },
  ]);
  expect(await cashier.store.gigFreeze(1)).toMatch(
    /^nonce 0 of its wallet was spent by transaction 0x[0-9a-f]{64}, which this database does not know$/,
  );
  await cashier.store.transaction((tx) => tx.freezeGig(1, { reason: null, now: cashier.clock() }));
  await cashier.look();
  await cashier.node.mine({ blocks: 3 });
  await cashier.settle();
  expect(await transferOf(world)).toMatchObject({ state: 'confirmed', nonce: 1 });
  expect(await cashier.held(world.asset, world.recipient)).toBe(5n);
  expect(await cashier.writer.spentNonces(world.wallet)).toEqual({ latest: 2, final: 2 });
});

test('security: an endpoint that has lost its receipts is no reason to pay again', async () => {
  let isBlind = true;
  const world = await stuck({
    wrap: (writer) => ({ ...writer, inclusion: async (query) => (isBlind ? null : await writer.inclusion(query)) }),
  });
  const { cashier } = world;
  await cashier.look();
  await cashier.node.mine({ blocks: 3 });
  for (let rounds = 0; rounds < 20; rounds += 1) await later(world, REPLACE_MS);
  expect((await cashier.status(world.claimed)).transfers).toMatchObject([
    { state: 'broadcast', nonce: 0, reason: 'its nonce is spent, and the chain does not show yet by what' },
  ]);
  expect(await waiting()).toEqual([]);
  isBlind = false;
  await later(world, 0);
  expect((await cashier.status(world.claimed)).transfers).toMatchObject([{ state: 'confirmed', nonce: 0 }]);
  expect(await cashier.held(world.asset, world.recipient)).toBe(5n);
});

test('error: what a deep reorganisation takes back after it was settled lands again, before anything else', async () => {
  const world = await stuck();
  const { cashier } = world;
  const id = await cashier.node.snapshot();
  await cashier.look();
  const first = await attemptOf(world, 0);
  await cashier.node.mine({ blocks: 1 });
  await cashier.settle();
  expect(await transferOf(world)).toMatchObject({ state: 'confirmed', nonce: 0 });
  await cashier.node.revert({ id });
  expect(await cashier.held(world.asset, world.recipient)).toBe(0n);
  const [gig] = await cashier.store.gigs({ phase: 'all', now: cashier.clock(), limit: 1 });
  if (gig === undefined) throw new TypeError('there is a gig');
  await seedTips(cashier.store, gig, [{ ...BOB, amount: 7n }]);
  const bobs = freshAddress();
  const later1 = await cashier.claim(cashier.post(BOB, `claim my rewards ${bobs}`));
  await cashier.look();
  expect(await waiting()).toEqual([first.hash]);
  expect((await cashier.status(later1)).transfers).toMatchObject([
    {
      state: 'planned',
      nonce: null,
      reason: 'an earlier transaction of its wallet, which the chain has lost, has to land again',
    },
  ]);
  await cashier.node.mine({ blocks: 1 });
  await cashier.look();
  await cashier.node.mine({ blocks: 1 });
  await cashier.settle();
  expect(await cashier.held(world.asset, world.recipient)).toBe(5n);
  expect(await cashier.held(world.asset, bobs)).toBe(7n);
  expect((await cashier.status(later1)).transfers).toMatchObject([{ state: 'confirmed', nonce: 1 }]);
});

test('error: and so it does when the next one was signed already', async () => {
  const world = await stuck();
  const { cashier } = world;
  const [gig] = await cashier.store.gigs({ phase: 'all', now: cashier.clock(), limit: 1 });
  if (gig === undefined) throw new TypeError('there is a gig');
  await seedTips(cashier.store, gig, [{ ...BOB, amount: 7n }]);
  const bobs = freshAddress();
  const id = await cashier.node.snapshot();
  await cashier.look();
  const first = await attemptOf(world, 0);
  await cashier.node.mine({ blocks: 1 });
  await cashier.settle();
  const next = await cashier.claim(cashier.post(BOB, `claim my rewards ${bobs}`));
  await cashier.look();
  await cashier.node.revert({ id });
  await later(world, REBROADCAST_MS);
  expect((await waiting()).toSorted()).toContain(first.hash);
  await cashier.node.mine({ blocks: 1 });
  await cashier.node.mine({ blocks: 1 });
  await later(world, REBROADCAST_MS);
  await cashier.node.mine({ blocks: 1 });
  await cashier.settle();
  expect((await cashier.status(next)).transfers).toMatchObject([{ state: 'confirmed', nonce: 1 }]);
  expect([await cashier.held(world.asset, world.recipient), await cashier.held(world.asset, bobs)]).toEqual([5n, 7n]);
});

test('security: a foreign transaction that is landing is let land and accepted before anything is signed', async () => {
  const world = await stuck({ confirmations: 2 });
  const { cashier } = world;
  await intrude(world, 0);
  await cashier.node.mine({ blocks: 1 });
  await cashier.look();
  expect(await transferOf(world)).toMatchObject({
    state: 'planned',
    nonce: null,
    reason: 'another transaction of its wallet is landing',
  });
  await cashier.node.mine({ blocks: 1 });
  await cashier.look();
  const reason =
    'the chain knows transactions of its wallet that this database does not (nonce 0); it may be an older backup';
  expect(await transferOf(world)).toMatchObject({
    state: 'planned',
    nonce: null,
    reason: `the gig is frozen: ${reason}`,
  });
  await cashier.store.transaction(async (tx) => {
    await tx.acknowledgeActivity(1, { kind: 'nonce', nonce: 0 }, cashier.clock());
    await tx.freezeGig(1, { reason: null, now: cashier.clock() });
  });
  await cashier.look();
  await cashier.node.mine({ blocks: 2 });
  await cashier.settle();
  expect(await transferOf(world)).toMatchObject({ state: 'confirmed', nonce: 1 });
  expect(await cashier.held(world.asset, world.recipient)).toBe(5n);
});

test('behavior: what was signed and never sent, because the process died, is sent as it was signed', async () => {
  let dead = true;
  const world = await stuck({
    wrap: (writer) => ({
      ...writer,
      broadcast: (raw) => (dead ? Promise.reject(new Error('the process died')) : writer.broadcast(raw)),
    }),
  });
  const { cashier } = world;
  await cashier.look();
  const attempt = await attemptOf(world, 0);
  expect(await transferOf(world)).toMatchObject({ state: 'signed', nonce: 0 });
  dead = false;
  await cashier.look();
  expect(await waiting()).toEqual([attempt.hash]);
  await cashier.node.mine({ blocks: 1 });
  await cashier.settle();
  expect(await transferOf(world)).toMatchObject({ state: 'confirmed', attempts: [attempt] });
  expect(await cashier.held(world.asset, world.recipient)).toBe(5n);
});

test('behavior: a payment that lands between two looks is settled at once, and nobody is told of a stolen nonce', async () => {
  const world = await stuck({
    wrap: (writer) => ({
      ...writer,
      spentNonces: async (sender) => {
        await anvilClients(anvil.url).test.mine({ blocks: 1 });
        return await writer.spentNonces(sender);
      },
    }),
  });
  await world.cashier.look();
  await later(world, 1);
  const { state, reason } = await transferOf(world);
  expect({ state, reason }).toEqual({ state: 'confirmed', reason: null });
  expect(JSON.stringify(world.cashier.lines)).not.toContain('transfer waits');
});
