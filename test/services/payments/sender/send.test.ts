import { describe, expect, test } from 'vitest';
import { AdapterError } from '../../../../src/domain/errors.ts';
import type { PayerChain } from '../../../../src/domain/payments/payer-chain.ts';
import { FEE_NUMBER, TANK_IS_LOW } from '../../../../src/domain/payments/payment.ts';
import { pulse } from '../../../../src/services/payments/sender/pulse.ts';
import { firstOf } from '../../../support/first-of.ts';
import { perCase, reopen } from '../../../support/per-case.ts';
import { ALICE, addressOf, BOB, TREASURY } from './bank.ts';
import {
  DEGEN,
  finish,
  HOSTILE,
  openWorld,
  paidTo,
  planBoth,
  planOne,
  reload,
  standings,
  told,
  USDC,
} from './world.ts';

const world = perCase(() => openWorld({ countsOn: true }));

describe('a payment', () => {
  test('behavior: is sent, waits to be settled, and is confirmed with its hash and its gas', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    const payment = await bank.awardAndClaim(gig, ALICE, 10n, 20n);
    expect(await bank.run()).toBe('waiting');
    expect(await reload(bank, payment)).toMatchObject({ state: 'sent', gasReserved: 100_000n, gasUsed: 100_000n });
    await world.pass(1);
    expect(await reload(bank, payment)).toMatchObject({ state: 'sent' });
    await finish(world);
    expect(await bank.pulse()).toBe('done');
    const { hash, blockNumber } = firstOf(model.receipts());
    const confirmed = { state: 'confirmed', hash, blockNumber, gasUsed: 80_000n, gasReserved: 0n };
    expect(await reload(bank, payment)).toMatchObject(confirmed);
    const claimed = { status: 'claimed', txHash: hash, userAddress: addressOf(ALICE) };
    expect(await bank.store.tipsOfPayment(payment.id)).toMatchObject([claimed, claimed]);
    expect(model.paid()).toMatchObject([{ to: addressOf(ALICE), amount: 30n, numbers: [0n, 1n] }]);
  });

  test('behavior: payments of many gigs, claims and kinds share a transaction', async () => {
    const { bank, model } = world;
    const gigs = [await bank.gig({ token: DEGEN, fee: 5n }), await bank.gig({ token: USDC }), await bank.gig()];
    for (const gig of gigs) {
      await bank.award(gig, ALICE, 10n);
      await bank.award(gig, BOB, 20n);
    }
    await bank.claim(ALICE);
    await bank.claim(BOB);
    await finish(world);
    expect(model.receipts()).toHaveLength(1);
    expect(gigs.map((gig) => paidTo(model, gig))).toEqual([
      [5n, 10n, 20n],
      [10n, 20n],
      [10n, 20n],
    ]);
    expect(firstOf(model.paid())).toMatchObject({ to: TREASURY, numbers: [FEE_NUMBER] });
    expect(new Set(await standings(bank))).toEqual(new Set(['fee confirmed', 'payout confirmed']));
  });

  test('behavior: tips of several words are one payment with a transfer for each', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    await bank.award(gig, BOB, ...Array.from({ length: 255 }, () => 1n));
    await bank.award(gig, ALICE, 3n, 4n);
    const payment = firstOf(await bank.claim(ALICE));
    await finish(world);
    expect(model.paid().map(({ amount, numbers }) => [amount, numbers])).toEqual([
      [3n, [255n]],
      [4n, [256n]],
    ]);
    expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed' });
  });

  test('behavior: throughput does not wait for confirmations, only for the block of the one in flight', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    const first = await bank.awardAndClaim(gig, ALICE, 1n);
    await bank.run();
    const second = await bank.awardAndClaim(gig, ALICE, 2n);
    await bank.run();
    expect(await reload(bank, second)).toMatchObject({ state: 'planned' });
    await world.pass(1);
    expect([await reload(bank, first), await reload(bank, second)]).toMatchObject([
      { state: 'sent' },
      { state: 'sent' },
    ]);
    await finish(world);
    expect(model.receipts()).toHaveLength(2);
  });

  test('behavior: what does not fit into a transaction goes into the next', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    await bank.claimByMany(gig, 130, (each) => BigInt(each + 1));
    await finish(world);
    expect(model.receipts().map(({ paid }) => paid.length)).toEqual([100, 30]);
    expect(paidTo(model, gig)).toHaveLength(130);
  });

  test('behavior: of many wallets as many as the chain’s gas allows go at a time', async () => {
    await reopen(world, () => openWorld({ policy: { payments: 300 } }));
    const { bank, model } = world;
    const most = Number(model.chain.batchGas / 100_000n);
    for (const gig of await bank.gigs(most + 20, { token: DEGEN })) await bank.award(gig, ALICE, BigInt(gig.id));
    await bank.claim(ALICE);
    const whole = model.view(world.faults);
    let tries = 0;
    const simulate: typeof whole.simulate = (call) => {
      tries += 1;
      return whole.simulate(call);
    };
    expect(await pulse(bank.deps, { ...whole, simulate })).toBe('moved');
    // The last turn is a short one: no more are tried than fill a transaction.
    expect(tries).toBe(8 * Math.ceil(most / 8));
    await finish(world);
    expect(model.receipts().map(({ paid }) => paid.length)).toEqual([most, 20]);
  });
});

describe('the gas tank', () => {
  // The second pays for a plain transfer, and for no payment.
  test.each([500n, 600_000n])(
    'behavior: when it holds %i wei payments wait, until five seconds after it is filled',
    async (balance) => {
      const { bank, model } = world;
      const { payment } = await planOne(world);
      model.tank.balance = balance;
      expect(await bank.pulse()).toBe('waiting');
      await world.pass(3);
      const { dueAt, updatedAt, ...row } = await reload(bank, payment);
      expect([row, dueAt - updatedAt]).toMatchObject([{ state: 'planned', reason: TANK_IS_LOW }, 4_000]);
      expect(bank.lack).toEqual([model.chain.id]);
      expect(bank.lines).toMatchObject([{ level: 'warn', msg: 'payment waits', reason: TANK_IS_LOW }]);
      model.tank.balance = 10n ** 18n;
      world.advance(5_000);
      await bank.run();
      expect(await reload(bank, payment)).toMatchObject({ state: 'sent', reason: null });
    },
  );

  test('behavior: when it holds little, it pays for fewer payments', async () => {
    const { bank, model } = world;
    const gigs = [await bank.gig({ token: DEGEN }), await bank.gig({ token: USDC }), await bank.gig()];
    for (const gig of gigs) await bank.award(gig, ALICE, BigInt(gig.id));
    await bank.claim(ALICE);
    model.tank.balance = 2n * 100_000n * 10n;
    await bank.run();
    await world.pass(1);
    expect(model.paid().map(({ amount }) => amount)).toHaveLength(1);
    model.tank.balance = 10n ** 18n;
    await finish(world);
    expect(model.paid()).toHaveLength(3);
  });

  test('behavior: a spike of fees passes: what was sent is replaced, and the rest is sent at the new price', async () => {
    const { bank, model } = world;
    const { gig } = await planOne(world);
    await bank.run();
    model.tank.minFee = 1_000n;
    model.tank.maxFeePerGas = 2_000n;
    await bank.awardAndClaim(gig, BOB, 20n);
    await finish(world);
    expect(model.receipts()).toHaveLength(2);
    expect(await standings(bank)).toEqual(['payout confirmed', 'payout confirmed']);
  });
});

describe('what may not be paid', () => {
  test('security: a frozen gig waits, and another does not', async () => {
    const { bank, model } = world;
    const { good, bad: frozen, payment: held } = await planBoth(world, DEGEN);
    await bank.store.transaction((tx) => tx.freezeByOperator(frozen.id, 'it looks odd'));
    await world.pass(10);
    expect([paidTo(model, good), paidTo(model, frozen)]).toEqual([[10n], []]);
    expect((await reload(bank, held)).reason).toBe('the gig is frozen: it looks odd');
    await bank.store.transaction((tx) => tx.freezeByOperator(frozen.id, null));
    await finish(world);
    expect(paidTo(model, frozen)).toEqual([20n]);
  });

  test('behavior: nobody is looked for behind a page that is not full', async () => {
    const { bank } = world;
    const frozen = await bank.gig({ token: DEGEN });
    await bank.claimByMany(frozen, 6);
    await bank.store.transaction((tx) => tx.freezeByOperator(frozen.id, 'it looks odd'));
    // A second commit would end the process.
    bank.killAt({ commits: 2, when: 'before' });
    expect(await bank.pulse()).toBe('waiting');
    expect(bank.lines.map(({ level, msg }) => [level, msg])).toEqual(Array(6).fill(['warn', 'payment waits']));
  });

  test('behavior: what waits keeps the rest of its transaction back, and the rest is sent at once without it', async () => {
    await reopen(world, () => openWorld({ policy: { clientGasPerDay: 110_000n } }));
    const { bank, model, faults } = world;
    for (const gig of [await bank.gig({ client: 'mallory' }), await bank.gig()]) await bank.award(gig, ALICE, 10n);
    await bank.claim(ALICE);
    // Known of signed bytes alone, and more than the client may spend.
    const payer = { ...model.view(faults), publishingCost: async () => 1_000_000n };
    expect(await pulse(bank.deps, payer)).toBe('moved');
    expect(await standings(bank)).toEqual(['payout planned', 'payout planned']);
    expect(await pulse(bank.deps, payer)).toBe('moved');
    expect(await standings(bank)).toEqual(['payout planned', 'payout sent']);
    expect(await pulse(bank.deps, payer)).toBe('waiting');
  });

  test('behavior: a payment that is tried alone and costs too much for now waits, and says so', async () => {
    const { bank, model, faults } = world;
    const gig = await bank.gig();
    model.ways.set(addressOf(BOB), 'refused');
    await bank.awardAndClaim(gig, BOB, 5n);
    const dear = await bank.awardAndClaim(gig, ALICE, 10n);
    await pulse(bank.deps, { ...model.view(faults), transferCost: async () => 1n });
    expect(await reload(bank, dear)).toMatchObject({
      state: 'planned',
      reason: expect.stringContaining('plain transfers'),
    });
  });

  test('security: a gig that is frozen between the simulation and the signature is not paid', async () => {
    const { bank, model } = world;
    const { gig } = await planOne(world);
    const { transaction } = bank.deps.store;
    const late: typeof transaction = async (run) => {
      await transaction((tx) => tx.freezeByOperator(gig.id, 'just now'));
      return await transaction(run);
    };
    const store = new Proxy(bank.deps.store, {
      get: (target, key, receiver) => (key === 'transaction' ? late : Reflect.get(target, key, receiver)),
    });
    expect(await pulse({ ...bank.deps, store }, model.view(world.faults))).toBe('waiting');
    await world.pass(3);
    expect(model.paid()).toEqual([]);
  });

  test('security: a payment of a token that refuses fails after a while, and takes no other with it', async () => {
    const { bank, model } = world;
    model.ways.set(HOSTILE, 'refused');
    const { good, payment: refused } = await planBoth(world, HOSTILE);
    await bank.run();
    expect(await reload(bank, refused)).toMatchObject({
      state: 'planned',
      reason: expect.stringMatching(/^it is tried again: /),
    });
    await finish(world);
    expect(await reload(bank, refused)).toMatchObject({
      state: 'failed',
      reason: `the transfer of token ${HOSTILE} would fail: not today`,
    });
    expect(paidTo(model, good)).toEqual([10n]);
    expect((await told(bank)).toSorted()).toEqual(['payment.confirmed', 'payment.failed']);
  });

  test('error: a refusal by a node that lags does not count', async () => {
    const { bank, model, faults } = world;
    model.ways.set(HOSTILE, 'refused');
    const gig = await bank.gig({ token: HOSTILE });
    const payment = await bank.awardAndClaim(gig, ALICE, 20n);
    await world.pass(10);
    expect(await reload(bank, payment)).toMatchObject({ state: 'failed' });
    model.ways.delete(HOSTILE);
    // One node counts the blocks, another tries the payment.
    const again = firstOf(await bank.claim(ALICE));
    const behind = model.view({ ...faults, lag: 8 });
    model.ways.set(HOSTILE, 'refused');
    const payer = { ...model.view(faults), simulate: behind.simulate };
    for (let rounds = 0; rounds < 20; rounds += 1) {
      await pulse(bank.deps, payer);
      world.advance(2_000);
      model.mine();
    }
    expect(await reload(bank, again)).toMatchObject({
      state: 'planned',
      reason: expect.stringContaining('lags behind'),
    });
  });

  test('security: a token that takes too much gas fails, and is paid once the operator allows it', async () => {
    const { bank, model } = world;
    model.ways.set(HOSTILE, 'heavy');
    const gig = await bank.gig({ token: HOSTILE });
    const payment = await bank.awardAndClaim(gig, ALICE, 20n);
    await finish(world);
    expect((await reload(bank, payment)).reason).toMatch(/^it would burn 352000 gas, more than 200000 allowed/);
    await bank.store.transaction((tx) => tx.allowToken(gig.token.id, true));
    await bank.claim(ALICE);
    await finish(world);
    expect(paidTo(model, gig)).toEqual([20n]);
  });
});

test('behavior: a tank that holds a plain transfer may pay, and fees differ by some wei from second to second', async () => {
  const { bank, model, faults } = world;
  world.advance(123);
  const { payment } = await planOne(world);
  model.tank.balance = 133n * 100_000n;
  expect(await pulse(bank.deps, { ...model.view(faults), transferCost: async () => model.tank.balance })).toBe('moved');
  expect(await reload(bank, payment)).toMatchObject({ state: 'sent' });
  const [sent] = await bank.store.openTankTransactions(model.chain.id);
  expect(sent).toMatchObject({
    nonce: 0,
    attempts: [{ maxFeePerGas: 133n, maxPriorityFeePerGas: 1n, signedBlock: 1n }],
  });
});

test('error: what is known of payments is kept when the endpoint fails before it has signed others', async () => {
  const { bank, model, faults } = world;
  model.ways.set(HOSTILE, 'refused');
  const { payment: refused } = await planBoth(world, HOSTILE);
  const sign = () => Promise.reject(new AdapterError({ retry: 'safe', reason: 'timeout', message: 'no answer' }));
  expect(await pulse(bank.deps, { ...model.view(faults), sign })).toBe('waiting');
  expect((await reload(bank, refused)).reason).toMatch(/^it is tried again: /);
  expect(bank.lines.at(-1)).toMatchObject({ level: 'warn', msg: 'payments wait: chain does not answer' });
});

test('security: of one wallet whose payments no transaction can hold together half are sent, and one that none can hold waits', async () => {
  const { bank, model, faults, clock } = world;
  const gig = await bank.gig({ token: DEGEN });
  const made = await bank.claimByMany(gig, 8, (each) => BigInt(each + 1));
  const view = model.view(faults);
  const holding = (most: number): PayerChain => ({
    ...view,
    sign: async (batch) => {
      const isTooMuch = batch.calls.some(({ payments }) => payments.length > most);
      return { ...(await view.sign(batch)), ...(isTooMuch && { gas: model.chain.txGas + 1n }) };
    },
  });
  for (const most of [4, 1]) {
    expect(await pulse(bank.deps, holding(most))).toBe('moved');
    model.mine();
  }
  expect(model.receipts().map(({ paid }) => paid.length)).toEqual([4, 1]);
  expect(await pulse(bank.deps, holding(0))).toBe('moved');
  const reason = 'it is tried again: the payment needs more gas or bytes than its chain takes in one transaction';
  expect(await reload(bank, firstOf(made.slice(5)))).toMatchObject({
    state: 'planned',
    reason,
    dueAt: clock() + 10_000,
  });
  expect(await standings(bank)).toEqual([...Array(5).fill('payout sent'), ...Array(3).fill('payout planned')]);
});

test.each([
  { lateMs: 1, paid: [2, 3] },
  { lateMs: 0, paid: [1] },
])(
  'behavior: a payment that is refused alone has its turn before others once it was due for 90 seconds: $paid',
  async (row) => {
    const { bank, model, clock } = world;
    const { payment } = await planOne(world, 1n);
    const reason = 'the endpoint refuses a transaction with it alone: no';
    const change = { reason, dueAt: clock() + row.lateMs, now: clock() };
    await bank.store.transaction((tx) => tx.notePayment(payment.id, change));
    world.advance(90_000);
    for (const amount of [2n, 3n]) await planOne(world, amount);
    expect(await bank.pulse()).toBe('moved');
    model.mine();
    expect(model.paid().map(({ amount }) => Number(amount))).toEqual(row.paid);
  },
);
