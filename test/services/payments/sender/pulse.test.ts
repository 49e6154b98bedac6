import { describe, expect, test } from 'vitest';
import { AdapterError } from '../../../../src/domain/errors.ts';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import { BroadcastRefused, type PayerChain } from '../../../../src/domain/payments/payer-chain.ts';
import { IS_STOPPED, type Payment } from '../../../../src/domain/payments/payment.ts';
import { pulse } from '../../../../src/services/payments/sender/pulse.ts';
import { firstOf } from '../../../support/first-of.ts';
import { perCase } from '../../../support/per-case.ts';
import { sampleAttempt } from '../../../support/store.ts';
import { ALICE, BOB } from './bank.ts';
import { DEGEN, finish, HOSTILE, openWorld, paidTo, planBoth, planOne, reload } from './world.ts';

/** What was committed since `committed` was last called. */
const commits: ('narrow' | 'whole')[] = [];

const world = perCase(() =>
  openWorld({
    wrap: (store) => ({
      ...store,
      transaction: (run, options) => {
        commits.push(options?.narrow === true ? 'narrow' : 'whole');
        return store.transaction(run, options);
      },
    }),
  }),
);

const step = (change: Partial<PayerChain> = {}) =>
  pulse(world.bank.deps, { ...world.model.view(world.faults), ...change });

/** What a step answers, and what it commits. */
async function committed(change: Partial<PayerChain> = {}): Promise<string[]> {
  commits.length = 0;
  return [await step(change), ...commits];
}

function silent(): Promise<never> {
  return Promise.reject(new AdapterError({ retry: 'safe', reason: 'timeout', message: 'no answer' }));
}

async function openTransactions() {
  return await world.bank.store.openTankTransactions(world.model.chain.id);
}

test('behavior: each step commits what it has to, and waits without a commit', async () => {
  const { bank, model, faults, advance } = world;
  const { gig } = await planOne(world);
  faults.losesBroadcasts = true;
  const again: (boolean | undefined)[] = [];
  const broadcast: PayerChain['broadcast'] = async (_raw, options) => void again.push(options?.again);
  // It is kept, and its broadcast is noted.
  expect(await committed({ broadcast })).toEqual(['moved', 'narrow', 'narrow']);
  const { updatedAt } = firstOf(await bank.store.payments({ limit: 1 }));
  expect(await committed()).toEqual(['waiting']);
  advance(15_000);
  // Whether payments are stopped, and the broadcast.
  expect(await committed({ broadcast })).toEqual(['waiting', 'narrow', 'narrow']);
  expect([again, (await bank.store.payments({ limit: 1 }))[0]?.updatedAt]).toEqual([[false, true], updatedAt]);
  model.tank.maxFeePerGas *= 2n;
  model.mine();
  advance(90_000);
  faults.losesBroadcasts = false;
  expect(await committed()).toEqual(['waiting', 'whole', 'narrow']);
  model.mine(4);
  expect(await committed({ inclusion: silent, marks: silent })).toEqual(['waiting', 'narrow']);
  advance(60_000);
  expect(await committed()).toEqual(['moved', 'whole']);
  expect(await committed()).toEqual(['done']);
  await bank.store.transaction((tx) => tx.freezeByOperator(gig.id, 'it looks odd'));
  await bank.claimByMany(gig, 6);
  // No fees are asked for.
  expect(await committed({ fees: silent })).toEqual(['waiting', 'narrow']);
  expect(await committed()).toEqual(['waiting']);
  expect(await committed({ isReady: async () => false })).toEqual(['waiting']);
});

describe('a transaction of the gas tank', () => {
  test('security: that waits for a nonce that is gone is given up, and its payments are planned for now', async () => {
    const { bank, model, clock } = world;
    model.useTankElsewhere();
    model.mine();
    const { payment } = await planOne(world);
    await bank.run();
    model.emptyPool();
    model.reorganise(1, { keeps: false });
    world.advance(90_000);
    expect(await step()).toBe('moved');
    const reason = 'an earlier transaction of the gas tank is gone from the chain; it is sent again in its place';
    expect(await reload(bank, payment)).toMatchObject({
      state: 'planned',
      reason,
      dueAt: clock(),
      gasUsed: 0n,
      failures: 0,
    });
    const message = 'transaction waits for a nonce that is gone; its payments are planned again';
    expect(bank.lines.at(-1)).toMatchObject({
      level: 'warn',
      msg: message,
      transactionId: 1,
      nonce: 1,
      payments: 1,
      reason,
    });
    expect(await openTransactions()).toEqual([]);
  });

  /** One that holds no payment any more, or these, for which nothing was reserved. */
  async function keepEmpty(held: readonly Payment[] = []) {
    const { bank, model, clock } = world;
    const kept = { chainId: model.chain.id, nonce: 0, attempt: sampleAttempt(1) };
    await bank.store.transaction(async (tx) => {
      const payments = await Promise.all(held.map(async ({ id }) => ({ ...(await tx.payment(id)), id, gas: 0n })));
      const signed = payments.map(({ numbers = [], ...payment }) => ({ ...payment, numbers }));
      const made = await tx.insertTankTransaction(kept, { payments: signed, now: clock() });
      await tx.noteBroadcast(made?.id ?? 0, clock());
    });
  }

  test.each([true, false])('error: for which nothing was reserved gets no higher fees (empty: %s)', async (isEmpty) => {
    const { payment } = await planOne(world);
    await keepEmpty(isEmpty ? [] : [payment]);
    world.advance(90_000);
    world.model.mine(9);
    const dear = async () => ({ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 10n });
    const broadcast = async () => undefined;
    const sign = () => Promise.reject(new TypeError('nothing is to be signed'));
    expect(await step({ fees: dear, transferCost: async () => 10n ** 18n, sign, broadcast })).toBe('waiting');
    expect(world.bank.lines).toEqual([]);
  });

  test('error: without payments ends once its nonce is spent', async () => {
    await keepEmpty();
    world.model.useTankElsewhere();
    world.model.mine(5);
    expect(await step()).toBe('moved');
    expect(await openTransactions()).toEqual([]);
  });

  test.each([true, false])('error: without payments ends when the endpoint refuses it: %s', async (isRefused) => {
    await keepEmpty();
    world.advance(15_000);
    const seen = { objection: 'other', words: 'no' } as const;
    const fault = { retry: 'never', reason: 'rejected', message: 'refused' } as const;
    const broadcast = async () => {
      if (isRefused) throw new BroadcastRefused(fault, seen);
    };
    expect(await step({ broadcast })).toBe(isRefused ? 'moved' : 'waiting');
    expect(await openTransactions()).toHaveLength(isRefused ? 0 : 1);
  });

  test('error: that cannot be settled yet keeps the next one from nothing: it is broadcast again', async () => {
    const { bank, model, faults } = world;
    const { gig } = await planOne(world);
    await bank.run();
    model.mine(5);
    faults.losesBroadcasts = true;
    await bank.awardAndClaim(gig, BOB, 20n);
    // The first one is over, and the endpoint does not tell how.
    const untold = { inclusion: silent, marks: silent };
    expect(await step(untold)).toBe('moved');
    expect(await openTransactions()).toHaveLength(2);
    world.advance(15_000);
    faults.losesBroadcasts = false;
    expect(await step(untold)).toBe('waiting');
    model.mine();
    expect(paidTo(model, gig)).toEqual([10n, 20n]);
    expect(model.signed()).toHaveLength(2);
    world.advance(1_000);
    expect(await step(untold)).toBe('waiting');
    world.advance(60_000);
    await finish(world);
  });
});

describe('while payments are stopped', () => {
  function stopped() {
    const { deps } = world.bank;
    const stop = async () => ({ server: 'system 7, timeline 2, database 5', since: 1 });
    const store = new Proxy(deps.store, {
      get: (target, key, receiver) => (key === 'paymentStop' ? stop : Reflect.get(target, key, receiver)),
    });
    return { ...deps, store };
  }

  test('security: what the endpoint refuses is not given up', async () => {
    const { payment } = await planOne(world);
    const fault = { retry: 'never', reason: 'rejected', message: 'refused' } as const;
    const refuse = () => Promise.reject(new BroadcastRefused(fault, { objection: 'too_large', words: 'too large' }));
    const payer = { ...world.model.view(world.faults), broadcast: refuse };
    expect(await pulse(world.bank.deps, payer)).toBe('moved');
    expect(await pulse(stopped(), payer)).toBe('waiting');
    expect(await reload(world.bank, payment)).toMatchObject({ state: 'sent' });
    expect(await pulse(world.bank.deps, payer)).toBe('moved');
    expect(await reload(world.bank, payment)).toMatchObject({ state: 'failed' });
  });

  test('security: no fees are raised, and nothing is signed', async () => {
    const { bank, model, faults } = world;
    await planOne(world);
    faults.losesBroadcasts = true;
    await bank.run();
    await planOne(world);
    bank.lines.length = 0;
    model.tank.maxFeePerGas *= 2n;
    model.mine();
    world.advance(90_000);
    const sign = () => Promise.reject(new TypeError('nothing is to be signed'));
    expect(await pulse(stopped(), { ...model.view(faults), sign, fees: sign })).toBe('waiting');
    expect(bank.lines).toMatchObject([{ level: 'warn', msg: 'payment waits', paymentId: 2, reason: IS_STOPPED }]);
    expect((await bank.store.payment(2))?.dueAt).toBe(world.clock() + 4_000);
  });
});

describe('a transaction that does not land', () => {
  test('behavior: is broadcast again, the same bytes', async () => {
    const { model, faults } = world;
    await planOne(world);
    faults.losesBroadcasts = true;
    await world.pass(2);
    faults.losesBroadcasts = false;
    await world.pass(2);
    expect(model.receipts()).toHaveLength(0);
    world.advance(15_000);
    await finish(world);
    expect(model.signed()).toHaveLength(1);
    expect(model.receipts()).toHaveLength(1);
  });

  test('behavior: is replaced under its nonce with higher fees, and either version is recognised', async () => {
    const { bank, model } = world;
    const { payment } = await planOne(world);
    await bank.run();
    const first = firstOf(model.signed());
    model.emptyPool();
    world.advance(90_000);
    model.tank.maxFeePerGas = 2_000n;
    model.mine();
    await bank.run();
    expect(model.signed()).toHaveLength(2);
    // The first version comes after all.
    model.emptyPool();
    model.reorganise(0, { instead: [first] });
    await finish(world);
    const { hash } = firstOf(model.receipts());
    expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed', hash, gasUsed: 80_000n });
  });
});

describe('errors', () => {
  /** A node that cannot try the payments of this gig. */
  function silentAbout(gig: Gig): PayerChain {
    const { model, faults } = world;
    const [whole, down] = [model.view(faults), model.view({ ...faults, isDown: true })];
    return { ...whole, simulate: (call) => (call.gigId === gig.id ? down : whole).simulate(call) };
  }

  test('error: a node that does not answer delays, and nothing is lost', async () => {
    const { bank, faults, model } = world;
    const { gig } = await planOne(world);
    faults.isDown = true;
    expect(await bank.pulse()).toBe('waiting');
    expect(bank.lines).toMatchObject([{ level: 'warn', msg: 'payments wait: chain does not answer' }]);
    faults.isDown = false;
    await finish(world);
    expect(paidTo(model, gig)).toEqual([10n]);
  });

  test('error: a wallet that the node cannot try does not hold up the others', async () => {
    const { bank, model } = world;
    const { good, bad, payment: stuck } = await planBoth(world, HOSTILE);
    await pulse(bank.deps, silentAbout(bad));
    await world.pass(1);
    expect(paidTo(model, good)).toEqual([10n]);
    expect((await reload(bank, stuck)).reason).toBe('the node could not try it: the node is down');
    await finish(world);
    expect(paidTo(model, bad)).toEqual([20n]);
  });

  test('error: any number of payments that the node cannot try keep no other from being sent', async () => {
    const { bank, model } = world;
    const bad = await bank.gig({ token: HOSTILE });
    await bank.claimByMany(bad, 210, () => 20n);
    const good = await bank.gig({ token: DEGEN });
    await bank.awardAndClaim(good, ALICE, 10n);
    const payer = silentAbout(bad);
    for (let steps = 0; steps < 3; steps += 1) expect(await pulse(bank.deps, payer)).toBe('moved');
    model.mine();
    expect(paidTo(model, good)).toEqual([10n]);
    // When they come again, a new one is tried before them.
    world.advance(30_000);
    await bank.awardAndClaim(good, BOB, 11n);
    model.mine(3);
    for (let steps = 0; steps < 3; steps += 1) expect(await pulse(bank.deps, payer)).toBe('moved');
    model.mine();
    expect(paidTo(model, good)).toEqual([10n, 11n]);
  });

  test('error: a defect that one wallet meets does not hold up the others, and is logged as one', async () => {
    const { bank, model, faults } = world;
    const [good, bad] = [await bank.gig({ token: DEGEN }), await bank.gig({ token: DEGEN })];
    await bank.award(bad, ALICE, 20n);
    await bank.award(good, ALICE, 10n);
    const stuck = firstOf(await bank.claim(ALICE));
    const whole = model.view(faults);
    const simulate: typeof whole.simulate = async (call) => {
      if (call.gigId === bad.id) throw new TypeError('odd');
      return await whole.simulate(call);
    };
    await pulse(bank.deps, { ...whole, simulate });
    await world.pass(1);
    expect(paidTo(model, good)).toEqual([10n]);
    expect((await reload(bank, stuck)).reason).toBe('the service could not try it; its log says why');
    expect(bank.lines).toContainEqual(
      expect.objectContaining({ level: 'error', msg: 'payments cannot be tried', gigId: bad.id }),
    );
    await finish(world);
    expect(paidTo(model, bad)).toEqual([20n]);
  });
});
