import { beforeEach, describe, expect, test } from 'vitest';
import { AdapterError } from '../../../../src/domain/errors.ts';
import { checksummed } from '../../../../src/domain/gigs/token.ts';
import type { PayerChain } from '../../../../src/domain/payments/payer-chain.ts';
import { pulse } from '../../../../src/services/payments/sender/pulse.ts';
import type { StoreTx } from '../../../../src/store/port/index.ts';
import { firstOf } from '../../../support/first-of.ts';
import { perCase } from '../../../support/per-case.ts';
import { ALICE, addressOf, BOB } from './bank.ts';
import { DEGEN, eventsOf, finish, openWorld, paidTo, reload, standings } from './world.ts';

/** What transactions have settled. */
const settled: unknown[] = [];

const world = perCase(() =>
  openWorld({
    wrap: (store) => ({
      ...store,
      transaction: (run, options) => {
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
beforeEach(() => void settled.splice(0));

const view = (change: Partial<PayerChain> = {}): PayerChain => ({ ...world.model.view(world.faults), ...change });
const step = (change: Partial<PayerChain> = {}) => pulse(world.bank.deps, view(change));

function silent(): Promise<never> {
  return Promise.reject(new AdapterError({ retry: 'safe', reason: 'timeout', message: 'no answer' }));
}

async function openTransactions() {
  return await world.bank.store.openTankTransactions(world.model.chain.id);
}

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

test('security: what two instances settle at the same time is told once', async () => {
  const { bank, model } = world;
  const payment = await bank.awardAndClaim(await bank.gig({ token: DEGEN }), ALICE, 10n);
  await bank.run();
  model.mine(5);
  await Promise.all([step(), step()]);
  expect(settled).toEqual([
    ['confirmed', payment.id],
    ['confirmed', payment.id],
  ]);
  expect((await eventsOf(bank)).map(({ type, facts }) => [type, facts.payment_id])).toEqual([
    ['payment.confirmed', payment.id],
  ]);
  expect(bank.lines.filter(({ msg }) => msg === 'payment confirmed')).toHaveLength(1);
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

  test('error: what is not marked waits for a receipt alone, and what is marked for its events alone', async () => {
    const { bank, model, faults } = world;
    const { made } = await sendTwo();
    model.relay(firstOf(model.signed()), made[0]?.wallet);
    model.ways.set(DEGEN, 'fails');
    model.mine(5);
    faults.logRange = 0n;
    expect(await step({ inclusion: silent })).toBe('waiting');
    expect(await standings(bank)).toEqual(['payout sent', 'payout sent']);
    expect(bank.lines.filter(({ level }) => level === 'error')).toEqual([]);
    faults.logRange = null;
    world.advance(60_000);
    expect(await step({ inclusion: silent })).toBe('moved');
    expect(await standings(bank)).toEqual(['payout confirmed', 'payout sent']);
    expect(await openTransactions()).toHaveLength(1);
  });
});
