import { describe, expect, test } from 'vitest';
import { AdapterError } from '../../../../src/domain/errors.ts';
import type { Payment } from '../../../../src/domain/payments/payment.ts';
import { pulse } from '../../../../src/services/payments/sender/pulse.ts';
import { firstOf } from '../../../support/first-of.ts';
import { perCase } from '../../../support/per-case.ts';
import { ALICE, BOB, CAROL } from './bank.ts';
import { DEGEN, finish, openWorld, paidTo, planOne, reload, standings, USDC } from './world.ts';

const world = perCase(openWorld);

const gigs = async () => [await world.bank.gig({ token: DEGEN }), await world.bank.gig({ token: USDC })] as const;

/** Sends what is planned, and has a stranger pay it before the transaction of the gas tank is included. */
async function relay(): Promise<void> {
  const { bank, model } = world;
  await bank.run();
  model.relay(firstOf(model.signed().slice(-1)));
}

test('error: a nonce that is counted before its transaction is shown is no sign that another has used it', async () => {
  const { bank, model, faults } = world;
  const { payment } = await planOne(world);
  await bank.run();
  model.mine(4);
  const whole = model.view(faults);
  const { head, marks } = model.view({ ...faults, lag: 4 });
  const answers = [null];
  const inclusion: typeof whole.inclusion = async (hashes) => {
    const answer = answers.pop();
    return answer === undefined ? await whole.inclusion(hashes) : answer;
  };
  expect(await pulse(bank.deps, { ...whole, head, marks, inclusion })).toBe('waiting');
  expect(await reload(bank, payment)).toMatchObject({ state: 'sent', reason: null });
  await finish(world);
  expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed', gasUsed: 80_000n });
});

test('error: marks that the endpoint does not tell are what a payment waits for, and are asked for once otherwise', async () => {
  const { bank, model, faults } = world;
  const { payment } = await planOne(world);
  await bank.run();
  model.mine(5);
  const whole = model.view(faults);
  const silent = () => Promise.reject(new AdapterError({ retry: 'safe', reason: 'bad_response', message: 'no marks' }));
  await pulse(bank.deps, { ...whole, marks: silent });
  const reason = 'the endpoint does not report the outcome of its transaction: no marks';
  expect(await reload(bank, payment)).toMatchObject({ state: 'sent', reason });
  let asked = 0;
  const marks: typeof whole.marks = (...query) => {
    asked += 1;
    return whole.marks(...query);
  };
  world.advance(60_000);
  await pulse(bank.deps, { ...whole, marks });
  expect([asked, (await reload(bank, payment)).state]).toEqual([1, 'confirmed']);
});

describe('a payment that a stranger relayed before its transaction', () => {
  test('behavior: is confirmed by the one block that marked it, where few blocks can be asked for', async () => {
    const { bank, model, faults } = world;
    const gig = await bank.gig({ token: DEGEN });
    model.mine(500);
    faults.logRange = 1n;
    const payment = await bank.awardAndClaim(gig, ALICE, 10n);
    await relay();
    const blockNumber = model.height();
    model.mine(37);
    await finish(world);
    expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed', blockNumber });
    expect(paidTo(model, gig)).toEqual([10n]);
  });

  test('behavior: of several words is confirmed by them all, and others of its transaction by the same block', async () => {
    const { bank, model, faults } = world;
    const [gig, other] = await gigs();
    await bank.award(gig, BOB, ...Array.from({ length: 255 }, () => 1n));
    await bank.award(gig, ALICE, 3n, 4n);
    await bank.award(other, ALICE, 20n);
    await bank.claim(ALICE);
    faults.logRange = 1n;
    await relay();
    await finish(world);
    expect(await standings(bank)).toEqual(['payout confirmed', 'payout confirmed']);
    expect([paidTo(model, gig), paidTo(model, other)]).toEqual([[3n, 4n], [20n]]);
  });

  test('security: bears the gas of the transaction that held it, which is in the chain as well', async () => {
    const { bank } = world;
    const gig = await bank.gig({ token: DEGEN, client: 'mallory' });
    const payment = await bank.awardAndClaim(gig, ALICE, 10n);
    await relay();
    await finish(world);
    const { gasUsed, hash } = await reload(bank, payment);
    expect([gasUsed, hash]).toEqual([80_000n, world.model.paid()[0]?.hash]);
    expect(await bank.store.gasOfClient('mallory', 0)).toEqual({ claims: 80_000n, fees: 0n });
  });

  test('error: says what it waits for at an endpoint without events, and holds up nobody else', async () => {
    const { bank, model, faults } = world;
    const [gig, other] = await gigs();
    faults.logRange = 0n;
    const relayed = await bank.awardAndClaim(gig, ALICE, 10n);
    await relay();
    await world.pass(6);
    const reason = 'it is marked as paid, and the endpoint does not tell by what: too many blocks';
    expect(await reload(bank, relayed)).toMatchObject({ state: 'sent', reason });
    for (const [index, by] of [BOB, CAROL].entries()) {
      const payment = await bank.awardAndClaim(other, by, BigInt(20 + index));
      await world.pass(5);
      expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed' });
    }
    expect(bank.lines.filter((line) => line['reason'] === reason)).toHaveLength(1);
    faults.logRange = null;
    world.advance(60_000);
    await finish(world);
    expect(await reload(bank, relayed)).toMatchObject({ state: 'confirmed', reason: null });
    expect(paidTo(model, gig)).toEqual([10n]);
  });

  test('error: of one transaction holds up no other that was in it', async () => {
    const { bank, model, faults } = world;
    const [gig, other] = await gigs();
    for (const each of [gig, other]) await bank.award(each, ALICE, BigInt(each.id));
    await bank.claim(ALICE);
    await bank.run();
    // The stranger pays for the first wallet alone.
    model.relay(firstOf(model.signed()), gig.walletAddress);
    faults.logRange = 0n;
    await world.pass(6);
    expect(await standings(bank)).toEqual(['payout sent', 'payout confirmed']);
    const waiting = bank.lines.filter(({ msg }) => msg === 'payment cannot be settled yet');
    expect(waiting.map(({ gigId }) => gigId)).toEqual([gig.id]);
  });
});

describe('a number that is marked otherwise', () => {
  test('error: waits at an endpoint without events, and holds up nobody else', async () => {
    const { bank, model, faults } = world;
    const gig = await bank.gig({ token: DEGEN });
    await bank.award(gig, ALICE, 10n);
    const before = await bank.copy();
    await bank.claim(ALICE);
    await finish(world);
    await bank.restore(before);
    faults.logRange = 0n;
    const late = firstOf(await bank.claim(ALICE));
    const other = await bank.gig({ token: USDC });
    const payment = await bank.awardAndClaim(other, BOB, 20n);
    await world.pass(6);
    expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed' });
    expect(await reload(bank, late)).toMatchObject({
      state: 'planned',
      reason: 'already paid on chain; waiting for that block to settle',
    });
    faults.logRange = null;
    await finish(world);
    expect(paidTo(model, gig)).toEqual([10n]);
  });
});

describe('a receipt in a block that is gone', () => {
  async function sendStale(): Promise<Payment> {
    const { payment } = await planOne(world);
    await world.bank.run();
    const [open] = await world.bank.store.openTankTransactions(world.model.chain.id);
    world.faults.staleReceipts = open?.attempts.map(({ hash }) => hash) ?? [];
    return payment;
  }

  test('error: holds up nobody: what is marked is confirmed by its event', async () => {
    const { bank } = world;
    const payment = await sendStale();
    await finish(world);
    expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed', gasUsed: 100_000n });
  });

  test('behavior: that the endpoint has lost costs what was reserved, as the event is of that transaction', async () => {
    const { bank, faults } = world;
    const { payment } = await planOne(world);
    await bank.run();
    faults.losesReceipts = true;
    await finish(world);
    expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed', gasUsed: 100_000n });
  });

  test('error: of what is not marked makes it wait, with a reason, and nobody else', async () => {
    const { bank, model, faults } = world;
    model.ways.set(DEGEN, 'fails');
    const payment = await sendStale();
    await world.pass(6);
    const reason = 'the endpoint does not report the outcome of its transaction: a block that is gone';
    expect(await reload(bank, payment)).toMatchObject({ state: 'sent', reason });
    const other = await bank.awardAndClaim(await bank.gig({ token: USDC }), BOB, 20n);
    await world.pass(6);
    expect(await reload(bank, other)).toMatchObject({ state: 'confirmed' });
    faults.staleReceipts = [];
    model.ways.delete(DEGEN);
    await finish(world);
    expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed', failures: 1 });
  });
});

describe('a reorganisation at an endpoint without events', () => {
  test('security: what is not marked any more is planned again, and what is stays paid', async () => {
    const { bank, model, faults } = world;
    const [gig, other] = await gigs();
    const stays = await bank.awardAndClaim(gig, ALICE, 10n);
    await finish(world);
    model.mine(20);
    const goes = await bank.awardAndClaim(gig, BOB, 20n);
    await finish(world);
    model.emptyPool();
    model.reorganise(10, { keeps: false });
    faults.logRange = 0n;
    const planned = await bank.awardAndClaim(other, CAROL, 30n);
    await finish(world);
    for (const each of [stays, goes, planned]) expect(await reload(bank, each)).toMatchObject({ state: 'confirmed' });
    expect([paidTo(model, gig), paidTo(model, other)]).toEqual([[10n, 20n], [30n]]);
    expect(bank.lines.some(({ msg }) => msg === 'payment taken back by a reorganisation')).toBe(true);
  });
});
