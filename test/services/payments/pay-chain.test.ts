import { beforeEach, expect, test } from 'vitest';
import { AdapterError } from '../../../src/domain/errors.ts';
import type { PayerChain } from '../../../src/domain/payments/payer-chain.ts';
import { findBlocked, findHeldUp } from '../../../src/services/payments/held-up.ts';
import { createChainPayments } from '../../../src/services/payments/pay-chain.ts';
import { perCase } from '../../support/per-case.ts';
import { ALICE } from './sender/bank.ts';
import { openWorld, paidTo, planOne, reload, standings } from './sender/world.ts';

const world = perCase(openWorld);
let payer: PayerChain;
let isReady: boolean;
let pay: ReturnType<typeof createChainPayments>;
beforeEach(() => {
  isReady = true;
  payer = { ...world.model.view(world.faults), isReady: async () => isReady };
  pay = createChainPayments(world.bank.deps, payer);
});

/** Steps every five seconds for so long. */
async function stepFor(seconds: number, step = pay): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    while ((await step()) === true);
    world.advance(5_000);
  }
}

/** Steps until nothing moves at once; what the last one says. */
async function payOn(): Promise<number | false> {
  for (;;) {
    const next = await pay();
    if (next !== true) return next;
  }
}

test('behavior: steps follow one another at once while something moves, and end when nothing is left', async () => {
  const { bank, model, advance } = world;
  expect(await pay()).toBe(false);
  const { gig } = await planOne(world);
  expect(await pay()).toBe(true);
  expect(await payOn()).toBe(50);
  for (let block = 0; block < 9; block += 1) {
    advance(2_000);
    model.mine();
  }
  expect(await payOn()).toBe(false);
  expect(await standings(bank)).toEqual(['payout confirmed']);
  expect(paidTo(model, gig)).toEqual([10n]);
});

test('behavior: the wait grows with the time that was waited, up to five seconds, and begins anew after progress', async () => {
  const { model, advance } = world;
  await planOne(world);
  expect(await payOn()).toBe(50);
  advance(2_000);
  expect(await payOn()).toBe(500);
  advance(4_000);
  expect(await payOn()).toBe(1_500);
  advance(1_000_000);
  world.faults.isDown = true;
  expect(await payOn()).toBe(5_000);
  world.faults.isDown = false;
  // The clock was set back.
  advance(-2_000_000);
  expect(await payOn()).toBe(50);
  advance(2_000);
  model.mine(10);
  expect(await payOn()).toBe(false);
  await planOne(world);
  expect(await payOn()).toBe(50);
});

test('behavior: while nothing is left the chain is asked once a minute, and what is planned anew is seen at once', async () => {
  const { advance } = world;
  expect(await pay()).toBe(false);
  world.faults.isDown = true;
  advance(59_000);
  expect(await pay()).toBe(false);
  advance(1_000);
  expect(await pay()).toBe(50);
  world.faults.isDown = false;
  expect(await pay()).toBe(false);
  await planOne(world);
  expect(await pay()).toBe(true);
});

test('error: a chain that does not answer is logged, and asked again', async () => {
  const { bank, faults } = world;
  await planOne(world);
  faults.isDown = true;
  expect(await pay()).toBe(50);
  payer = {
    ...payer,
    isReady: () => Promise.reject(new AdapterError({ retry: 'safe', reason: 'bad_response', message: 'no answer' })),
  };
  expect(await createChainPayments(bank.deps, payer)()).toBe(50);
  expect(bank.lines.map(({ msg }) => msg)).toEqual(Array(2).fill('payments wait: chain does not answer'));
  expect(await standings(bank)).toEqual(['payout planned']);
});

test('error: what stops the steps of a chain is the reason of its payments within a minute, and blocks them, until it is over', async () => {
  const { bank, model, faults } = world;
  const { gig, payment: sent } = await planOne(world);
  expect(await payOn()).toBe(50);
  const planned = await bank.awardAndClaim(gig, ALICE, 20n);
  const chainIds = [payer.chain.id];
  const fees = () =>
    Promise.reject(new AdapterError({ retry: 'safe', reason: 'bad_response', message: 'not supported' }));
  const lacking = createChainPayments(bank.deps, { ...payer, fees });
  faults.isDown = true;
  for (let seconds = 0; seconds < 55; seconds += 5) {
    expect(await lacking()).toBeGreaterThan(0);
    world.advance(5_000);
  }
  const down = 'no payment of its chain can be made now: the node is down';
  expect(await reload(bank, sent)).toMatchObject({ state: 'sent', reason: down });
  expect(await reload(bank, planned)).toMatchObject({ state: 'planned', reason: down });
  faults.isDown = false;
  model.mine(5);
  // Now the chain answers, and lacks what a payment needs.
  await stepFor(55, lacking);
  expect(await reload(bank, sent)).toMatchObject({ state: 'confirmed', reason: null });
  const reason = 'no payment of its chain can be made now: not supported';
  expect(await reload(bank, planned)).toMatchObject({ state: 'planned', reason });
  expect(await findBlocked(bank.deps, { chainIds })).toEqual([
    { chainId: payer.chain.id, payments: 1, reasons: [reason] },
  ]);
  expect(await findHeldUp(bank.deps, { chainIds })).toMatchObject([{ holdUp: 'endpoint_refuses', payments: 1 }]);
  expect(await payOn()).toBeGreaterThan(0);
  expect(await reload(bank, planned)).toMatchObject({ state: 'sent', reason: null });
  expect(await findBlocked(bank.deps, { chainIds })).toEqual([]);
});

test('error: what an earlier process has told of a chain is taken back by the first step that succeeds', async () => {
  const { bank, faults, model } = world;
  const { payment: sent } = await planOne(world);
  await payOn();
  model.mine();
  faults.isDown = true;
  await stepFor(25);
  faults.isDown = false;
  expect((await reload(bank, sent)).reason).toMatch(/^no payment of its chain can be made now/);
  await createChainPayments(bank.deps, payer)();
  // Its block is not deep enough yet.
  expect(await reload(bank, sent)).toMatchObject({ state: 'sent', reason: null });
});

test('error: an endpoint that is behind the block on which the ledger counts is the reason of what waits, also for contracts that it has not yet', async () => {
  const { bank, model, faults } = world;
  const { gig } = await planOne(world);
  await payOn();
  model.mine(9);
  await payOn();
  const anchor = await bank.store.chainAnchor(payer.chain.id);
  const planned = await bank.awardAndClaim(gig, ALICE, 20n);
  faults.lag = 1_000;
  const reason = `no payment of its chain can be made now: chain anvil: the endpoint is behind block ${anchor?.number}, on which the ledger counts`;
  for (const ready of [true, false]) {
    isReady = ready;
    await stepFor(55);
    expect(await reload(bank, planned)).toMatchObject({ state: 'planned', reason });
  }
  faults.lag = 0;
  isReady = true;
  await payOn();
  expect(await reload(bank, planned)).toMatchObject({ state: 'sent', reason: null });
});

test('behavior: payments of the last five minutes are not held up, older ones are, and those of an hour are late', async () => {
  const { bank, advance } = world;
  const { gig, payment } = await planOne(world);
  const heldUp = () => findHeldUp(bank.deps, { chainIds: [payment.chainId] });
  advance(299_999);
  expect(await heldUp()).toEqual([]);
  advance(1);
  const held = { chainId: payment.chainId, payments: 1, gigIds: [gig.id] };
  expect(await heldUp()).toEqual([{ holdUp: 'late', ...held }]);
  await bank.store.transaction((tx) => tx.freezeByOperator(gig.id, 'it looks odd'));
  expect(await heldUp()).toEqual([{ holdUp: 'gig_frozen', ...held }]);
  expect(await findHeldUp(bank.deps, { chainIds: [8453] })).toEqual([]);
  advance(3_300_000);
  expect(await heldUp()).toEqual([]);
});

test('error: one lost answer is no reason, and twenty seconds without an answer are, after each success anew', async () => {
  const { bank, faults } = world;
  const { payment } = await planOne(world);
  const reasonAfter = async (seconds: number) => {
    await stepFor(seconds);
    return (await reload(bank, payment)).reason;
  };
  await pay();
  faults.isDown = true;
  expect(await reasonAfter(20)).toBeNull();
  faults.isDown = false;
  await pay();
  faults.isDown = true;
  expect(await reasonAfter(20)).toBeNull();
  expect(await reasonAfter(5)).toMatch(/^no payment of its chain can be made now/);
  expect(bank.lines.at(-1)).toMatchObject({ level: 'warn', msg: 'payments wait: chain does not answer' });
});

test.each([
  'the endpoint does not report the outcome of its transaction: no marks',
  'the endpoint takes its transaction, and no block does: it was signed more than 5 minutes ago',
])('error: what a sent payment waits for says more than that the steps fail: %s', async (reason) => {
  const { bank, faults, clock } = world;
  const { payment } = await planOne(world);
  await payOn();
  await bank.store.transaction((tx) => tx.noteSent(payment.id, { reason, now: clock() }));
  faults.isDown = true;
  await stepFor(40);
  expect((await reload(bank, payment)).reason).toBe(reason);
});

test('error: a defect that stops the steps of a chain is in the log, and is the reason of its payments', async () => {
  const { bank } = world;
  const { payment } = await planOne(world);
  const broken = { ...payer, fees: () => Promise.reject(new TypeError('odd')) };
  await stepFor(30, createChainPayments(bank.deps, broken));
  const reason = 'no payment of its chain can be made now: the service has a defect; its log says which';
  const { state, dueAt, updatedAt, ...row } = await reload(bank, payment);
  expect([state, row.reason, dueAt - updatedAt]).toEqual(['planned', reason, 5_000]);
  expect(bank.lines).toContainEqual(expect.objectContaining({ level: 'error', msg: 'payments of a chain fail' }));
  expect(bank.lines).toContainEqual(expect.objectContaining({ level: 'warn', msg: 'payment waits', reason }));
});

test('behavior: while the steps of a chain fail the ledger is not written again for what it says already', async () => {
  const { bank, faults } = world;
  await planOne(world);
  await payOn();
  faults.isDown = true;
  await stepFor(30);
  // Nothing can be committed from here on, and a step that succeeds reads once what is under way.
  bank.killAt({ commits: 1, when: 'before' });
  await stepFor(30);
  expect(bank.lines.at(-1)).toMatchObject({ level: 'warn', msg: 'payments wait: chain does not answer' });
  bank.killAt(null);
  faults.isDown = false;
  await pay();
  const { openTankTransactions } = bank.store;
  let reads = 0;
  const store = new Proxy(bank.deps.store, {
    get: (target, key, receiver) => {
      if (key === 'openTankTransactions') reads += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  const step = createChainPayments({ ...bank.deps, store }, payer);
  for (let steps = 0; steps < 3; steps += 1) await step();
  expect([reads, (await openTankTransactions(payer.chain.id)).length]).toEqual([4, 1]);
});

test('error: without the contracts payments wait with what to do, and are paid once they are deployed', async () => {
  const { bank, advance } = world;
  isReady = false;
  const { payment } = await planOne(world);
  expect(await pay()).toBe(50);
  const { key, name } = payer.chain;
  expect(await reload(bank, payment)).toMatchObject({
    state: 'planned',
    reason: `the payer contracts are not deployed on ${name}; run npm run admin -- payer deploy ${key}`,
  });
  isReady = true;
  advance(5_000);
  expect(await payOn()).toBeGreaterThan(0);
  expect(await reload(bank, payment)).toMatchObject({ state: 'sent' });
});
