import { beforeEach, describe, expect, test } from 'vitest';
import { AdapterError } from '../../../../src/domain/errors.ts';
import { checksummed } from '../../../../src/domain/gigs/token.ts';
import { BroadcastRefused, type PayerChain } from '../../../../src/domain/payments/payer-chain.ts';
import type { Payment } from '../../../../src/domain/payments/payment.ts';
import { pulse } from '../../../../src/services/payments/sender/pulse.ts';
import type { StoreTx } from '../../../../src/store/port/index.ts';
import { firstOf } from '../../../support/first-of.ts';
import { perCase } from '../../../support/per-case.ts';
import { sampleAttempt } from '../../../support/store.ts';
import { ALICE, addressOf, BOB, CAROL } from './bank.ts';
import { DEGEN, eventsOf, finish, HOSTILE, openWorld, paidTo, planBoth, planOne, reload, standings } from './world.ts';

/** What was committed since `committed` was last called: `narrow` or `whole`, or what a transaction has settled. */
const commits: string[] = [];
const settled: unknown[] = [];

const world = perCase(() =>
  openWorld({
    wrap: (store) => ({
      ...store,
      transaction: (run, options) => {
        commits.push(options?.narrow === true ? 'narrow' : 'whole');
        const watched = (tx: StoreTx): StoreTx =>
          Object.assign(Object.create(tx), {
            confirmPayments: async (...args: Parameters<StoreTx['confirmPayments']>) => {
              if (args[0].length > 0) settled.push(['confirmed', ...args[0].map(({ id }) => id)]);
              return await tx.confirmPayments(...args);
            },
            replanPayments: async (...args: Parameters<StoreTx['replanPayments']>) => {
              if (args[0].length > 0) settled.push(['planned again', ...args[0].map(({ id }) => id)]);
              return await tx.replanPayments(...args);
            },
          });
        return store.transaction((tx) => run(watched(tx)), options);
      },
    }),
  }),
);
beforeEach(() => {
  commits.length = 0;
  settled.length = 0;
});

const view = (change: Partial<PayerChain> = {}): PayerChain => ({ ...world.model.view(world.faults), ...change });
const step = (change: Partial<PayerChain> = {}) => pulse(world.bank.deps, view(change));

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

test('security: outcomes are recorded by their gigs, as many at once as are alike', async () => {
  const { bank, model } = world;
  const gigs = await bank.gigs(4, { token: DEGEN });
  // Planned in another order than that of the gigs.
  for (const gig of gigs.toReversed()) await bank.awardAndClaim(gig, ALICE, BigInt(gig.id));
  await bank.awardAndClaim(firstOf(gigs), BOB, 10n);
  await bank.run();
  model.ways.set(DEGEN, 'fails');
  const raw = firstOf(model.signed());
  // Strangers relay the calls of the first two gigs and of the last one.
  model.ways.delete(DEGEN);
  for (const index of [0, 1, 3]) model.relay(raw, gigs[index]?.walletAddress);
  model.ways.set(DEGEN, 'fails');
  model.mine(5);
  expect(await step()).toBe('moved');
  expect(settled).toEqual([
    ['confirmed', 4, 5, 3],
    ['planned again', 2],
    ['confirmed', 1],
  ]);
  expect(bank.lines.filter(({ msg }) => msg === 'payment confirmed').map(({ gigId }) => gigId)).toEqual([1, 1, 2, 4]);
  const at = world.clock();
  const events = await eventsOf(bank);
  expect(events.map(({ type, gigId, facts }) => [type, gigId, facts.payment_id])).toEqual([
    ['payment.confirmed', 1, 4],
    ['payment.confirmed', 1, 5],
    ['payment.confirmed', 2, 3],
    ['payment.confirmed', 4, 1],
  ]);
  const { hash } = firstOf(model.paid());
  const facts = { kind: 'payout', claim_id: 4, amount: '0.000000000000000001', tx_hash: hash };
  expect(events[0]).toMatchObject({ at, facts: { ...facts, recipient: checksummed(addressOf(ALICE)) } });
});

test('behavior: a tank that holds a plain transfer may pay, and fees differ by some wei from second to second', async () => {
  const { bank, model } = world;
  world.advance(123);
  const { payment } = await planOne(world);
  model.tank.balance = 133n * 100_000n;
  expect(await step({ transferCost: async () => model.tank.balance })).toBe('moved');
  expect(await reload(bank, payment)).toMatchObject({ state: 'sent' });
  const [sent] = await bank.store.openTankTransactions(model.chain.id);
  expect(sent).toMatchObject({
    nonce: 0,
    attempts: [{ maxFeePerGas: 133n, maxPriorityFeePerGas: 1n, signedBlock: 1n }],
  });
});

test('error: what is known of payments is kept when the endpoint fails before it has signed others', async () => {
  const { bank, model } = world;
  model.ways.set(HOSTILE, 'refused');
  const { payment: refused } = await planBoth(world, HOSTILE);
  expect(await step({ sign: silent })).toBe('waiting');
  expect((await reload(bank, refused)).reason).toMatch(/^it is tried again: /);
  expect(bank.lines.at(-1)).toMatchObject({ level: 'warn', msg: 'payments wait: chain does not answer' });
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

  test('error: that the endpoint does not confirm says so; one that meets a defect is broadcast again', async () => {
    const { bank } = world;
    const { payment } = await planOne(world);
    expect(await step({ broadcast: () => Promise.reject(new TypeError('odd')) })).toBe('waiting');
    expect(bank.lines.at(-1)).toMatchObject({
      level: 'error',
      msg: 'payments of a chain fail',
      error: { message: 'odd' },
    });
    expect(await reload(bank, payment)).toMatchObject({ state: 'sent', reason: null });
    expect(await step({ broadcast: silent })).toBe('waiting');
    const reason = 'the endpoint does not confirm that it has its transaction: no answer';
    expect(await reload(bank, payment)).toMatchObject({ state: 'sent', reason });
    expect(bank.lines.at(-1)).toMatchObject({
      level: 'warn',
      msg: 'broadcast not confirmed',
      transactionId: 1,
      nonce: 0,
    });
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

describe('what a transaction costs that did not pay', () => {
  /** Alice's and bob's payments by two gigs, in one transaction. */
  async function sendTwo() {
    const { bank } = world;
    const gigs = await bank.gigs(2, { token: DEGEN });
    const made = [
      await bank.awardAndClaim(firstOf(gigs), ALICE, 10n),
      await bank.awardAndClaim(firstOf(gigs.slice(1)), BOB, 20n),
    ];
    await bank.run();
    return { gigs, made };
  }

  test('security: a failure is charged in full, and pauses four times as long each time', async () => {
    const { bank, model, clock } = world;
    const { gigs, made } = await sendTwo();
    const raw = firstOf(model.signed());
    model.relay(raw, gigs[0]?.walletAddress);
    model.ways.set(DEGEN, 'fails');
    model.mine(5);
    expect(await step()).toBe('moved');
    const reason = 'it failed on the chain; it is tried again';
    const failed = {
      state: 'planned',
      reason,
      failures: 1,
      gasUsed: 100_000n,
      gasReserved: 0n,
      dueAt: clock() + 15_000,
    };
    expect(await reload(bank, firstOf(made.slice(1)))).toMatchObject(failed);
    expect(await reload(bank, firstOf(made))).toMatchObject({ state: 'confirmed', gasUsed: 80_000n });
    world.advance(15_000);
    await bank.run();
    model.mine(5);
    expect(await step()).toBe('moved');
    const again = { failures: 2, gasUsed: 200_000n, dueAt: clock() + 60_000 };
    expect(await reload(bank, firstOf(made.slice(1)))).toMatchObject(again);
    expect(bank.lines.at(-1)).toMatchObject({ level: 'warn', msg: 'payment planned again', fate: 'failed' });
  });

  test('security: a nonce that was used elsewhere costs nothing, and is no failure', async () => {
    const { bank, model, clock } = world;
    const { made } = await sendTwo();
    model.emptyPool();
    model.useTankElsewhere();
    model.mine(5);
    expect(await step()).toBe('moved');
    const reason = 'another transaction has used its nonce; it is sent again';
    const unsent = { state: 'planned', reason, failures: 0, gasUsed: 0n, dueAt: clock() };
    for (const payment of made) expect(await reload(bank, payment)).toMatchObject(unsent);
  });

  test('security: where a stranger has paid, and the endpoint tells of no receipt, all that was reserved', async () => {
    const { bank, model } = world;
    const { made } = await sendTwo();
    model.relay(firstOf(model.signed()));
    model.mine(5);
    expect(await step({ inclusion: silent })).toBe('moved');
    for (const payment of made)
      expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed', gasUsed: 100_000n });
  });

  test('security: where a stranger has paid in its place, nothing', async () => {
    const { bank, model, faults } = world;
    const { made } = await sendTwo();
    model.relay(firstOf(model.signed()));
    model.emptyPool();
    model.useTankElsewhere();
    model.mine(5);
    faults.losesReceipts = true;
    expect(await step()).toBe('moved');
    for (const payment of made) expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed', gasUsed: 0n });
  });

  test('security: what another payment has taken the numbers of is planned again, and known at once', async () => {
    const { bank, model, faults } = world;
    const gig = await bank.gig({ token: DEGEN });
    await bank.award(gig, ALICE, 10n);
    const other = await world.another({ copy: await bank.copy(), name: 'b' });
    const whole = await bank.awardAndClaim(gig, ALICE, 20n);
    await bank.run();
    model.emptyPool();
    await other.bank.claim(ALICE);
    await other.bank.run();
    await other.bank.close();
    model.mine(5);
    // The endpoint first refuses to list the other payment.
    faults.logRange = 0n;
    expect(await step()).toBe('moved');
    const reason = 'another transaction has used its numbers';
    expect(await reload(bank, whole)).toMatchObject({ state: 'planned', reason, failures: 0, dueAt: world.clock() });
    faults.logRange = null;
    await finish(world);
    expect(paidTo(model, gig)).toEqual([10n, 20n]);
  });

  test('security: a reorganisation while one of its payments is judged makes no other one fail', async () => {
    const { bank, model } = world;
    const { made } = await sendTwo();
    const raw = firstOf(model.signed());
    model.relay(raw, made[0]?.wallet);
    model.ways.set(DEGEN, 'fails');
    model.mine(5);
    expect(await step({ isCanonical: async () => false })).toBe('waiting');
    expect(await standings(bank)).toEqual(['payout sent', 'payout sent']);
  });

  test('security: what one of three payments waits for ends neither the transaction nor the others', async () => {
    const { bank, model, faults } = world;
    const gig = await bank.gig({ token: DEGEN });
    const { made } = await sendTwo();
    model.relay(firstOf(model.signed()), made[0]?.wallet);
    model.ways.set(DEGEN, 'fails');
    model.mine(5);
    faults.logRange = 0n;
    expect(await step({ inclusion: silent })).toBe('waiting');
    expect(await openTransactions()).toHaveLength(1);
    await bank.awardAndClaim(gig, CAROL, 5n);
    expect(await standings(bank)).toEqual(['payout sent', 'payout sent', 'payout planned']);
  });
});
