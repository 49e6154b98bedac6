import { describe, expect, onTestFinished, test } from 'vitest';
import type { Gig } from '../../../../src/domain/gigs/gig.ts';
import { otherNumber, type Tip } from '../../../../src/domain/gigs/tip.ts';
import { type PaidEvent, type PayerChain, PaymentRefused } from '../../../../src/domain/payments/payer-chain.ts';
import { adoptMarks } from '../../../../src/services/payments/sender/found/adopt.ts';
import { pulse } from '../../../../src/services/payments/sender/pulse.ts';
import { firstOf } from '../../../support/first-of.ts';
import { seedMark } from '../../../support/payments.ts';
import { perCase, reopen } from '../../../support/per-case.ts';
import { seedAddress } from '../../../support/store.ts';
import { ALICE, addressOf, type Bank, BOB, CAROL } from './bank.ts';
import { noFaults } from './chain-model.ts';
import { BLOCK_MS, DEGEN, finish, openWorld, paidTo, planOne, reload, standings, type World } from './world.ts';

const world = perCase(openWorld);

const STRANGER = seedAddress(0xe9);

/** Another process, on a copy of the ledger as it is now. */
async function fork(): Promise<Bank> {
  const { bank } = await world.another({ copy: await world.bank.copy(), name: 'b' });
  onTestFinished(bank.close);
  return bank;
}

/** What the hourly reconcile does. */
async function reconcile({ deps, store }: Bank) {
  const gigs = await store.gigs({ phase: 'all', now: 0, limit: 100 });
  return await adoptMarks(deps, world.model.view(world.faults), { gigs });
}

const planMark = (gig: Gig) => seedMark(world.bank.store, gig, world.clock());

/** A gig that has paid alice before wallets paid by the contract, and the mark that is planned for that. */
async function planMarkOf(...amounts: bigint[]) {
  const { bank } = world;
  const gig = await bank.gig({ token: DEGEN });
  await bank.payBefore(await bank.award(gig, ALICE, ...amounts));
  return { gig, mark: await planMark(gig) };
}

describe('two instances on diverging ledgers', () => {
  test('security: that claim the same tips pay them once, and both say so', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    await bank.award(gig, ALICE, 10n, 20n);
    const other = await fork();
    await bank.claim(ALICE);
    await other.claim(ALICE, seedAddress(0xe1));
    await finish(world, [bank, other]);
    expect(paidTo(model, gig)).toEqual([30n]);
    expect(await standings(bank)).toEqual(['payout confirmed']);
    expect(await standings(other)).toEqual(['payout confirmed']);
  });

  test('security: of which one pays a part of a claim: the other pays the rest', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    await bank.award(gig, ALICE, 10n);
    const other = await fork();
    await other.claim(ALICE);
    const whole = await bank.awardAndClaim(gig, ALICE, 20n);
    await finish(world, [other]);
    await finish(world);
    expect(paidTo(model, gig)).toEqual([10n, 20n]);
    expect(await reload(bank, whole)).toMatchObject({ state: 'failed' });
    const rest = { state: 'confirmed', amount: 20n, claimId: whole.claimId };
    expect((await bank.store.payments({ limit: 1 }))[0]).toMatchObject(rest);
  });

  test('security: of which one has paid a part of what the other has sent: that is known as soon as the other sees it', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    await bank.award(gig, ALICE, 10n);
    const other = await fork();
    const whole = await bank.awardAndClaim(gig, ALICE, 20n);
    await bank.run();
    model.emptyPool();
    await other.claim(ALICE);
    await other.run();
    while ((await reload(bank, whole)).state === 'sent') {
      world.advance(BLOCK_MS);
      model.mine();
      await bank.pulse();
    }
    expect((await bank.store.payments({ limit: 9, state: 'confirmed' })).map(({ amount }) => amount)).toEqual([10n]);
  });

  test('security: that give the same numbers to different accounts pay everybody once', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    const other = await fork();
    await bank.award(gig, ALICE, 10n);
    await other.award(gig, BOB, 20n);
    await bank.claim(ALICE);
    await other.claim(BOB);
    await finish(world, [bank, other]);
    expect(paidTo(model, gig).toSorted()).toEqual([10n, 20n]);
    expect([paidTo(model, gig, addressOf(ALICE)), paidTo(model, gig, addressOf(BOB))]).toEqual([[10n], [20n]]);
    expect((await reconcile(bank)).unexplained).toEqual([]);
    expect((await reconcile(other)).unexplained).toEqual([]);
  });

  test('security: a payment that failed for another’s mark in its wallet’s call is no failure of its token', async () => {
    const { bank, model, faults } = world;
    const gig = await bank.gig({ token: DEGEN });
    await bank.award(gig, ALICE, 10n);
    const other = await fork();
    await bank.awardAndClaim(gig, CAROL, 30n);
    await bank.claim(ALICE);
    await other.claim(ALICE);
    await other.run();
    world.advance(2_000);
    model.mine();
    // One node counts the nonces, another, which lags, tries the payments.
    const payer = { ...model.view(faults), simulate: model.view({ ...faults, lag: 1 }).simulate };
    expect(await pulse(bank.deps, payer)).toBe('moved');
    await world.pass(4);
    expect(model.receipts().map(({ paid, failed }) => [paid.length, failed.length])).toContainEqual([0, 1]);
    expect(await bank.store.failuresOfToken(gig.token.id, 0)).toBe(0);
    await finish(world, [bank, other]);
    expect(paidTo(model, gig).toSorted()).toEqual([10n, 30n]);
  });
});

/** The chain as it would be had it paid this number to a stranger, in the same transaction. */
function strangerPaid({ model, faults }: World, number: number, amount: bigint): PayerChain {
  const view = model.view(faults);
  const forge = (event: PaidEvent) =>
    event.numbers.includes(BigInt(number)) ? { ...event, to: STRANGER, amount } : event;
  return {
    ...view,
    paidEvents: async (query) => (await view.paidEvents(query)).map(forge),
    inclusion: async (hashes) => {
      const found = await view.inclusion(hashes);
      return found && { ...found, paid: found.paid.map(forge) };
    },
  };
}

describe('what this process has sent or is about to send', () => {
  test('security: adopting leaves alone what is sent itself: its own transaction settles it', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN, fee: 5n });
    await bank.award(gig, ALICE, 10n, 20n);
    await bank.award(gig, BOB, 40n);
    const other = await fork();
    await bank.claim(ALICE);
    await bank.run();
    world.advance(BLOCK_MS);
    model.mine(5);
    await other.claim(BOB);
    await finish(world, [other]);
    // Of what is settled the ledger takes over only what it has not sent.
    expect(await reconcile(bank)).toEqual({ taken: 1, unexplained: [] });
    expect(await standings(bank)).toEqual(['fee sent', 'payout sent', 'payout confirmed']);
    await finish(world);
    expect(await standings(bank)).toEqual(['fee confirmed', 'payout confirmed', 'payout confirmed']);
    const [, own] = (await bank.store.payments({ limit: 3 })).toReversed();
    expect(own).toMatchObject({ gasUsed: expect.toSatisfy((gas: bigint) => gas > 0n), amount: 30n });
    expect(paidTo(model, gig)).toEqual([5n, 30n, 40n]);
  });

  test.each([
    ['and the events', {}],
    ['alone', { losesLogs: true }],
  ])('security: a receipt of its own %s that tells of another payment confirms nothing', async (_what, faults) => {
    const { bank, model } = world;
    const { payment } = await planOne(world);
    const tip = firstOf(await bank.store.tipsOfPayment(payment.id));
    const payer = strangerPaid(world, tip.number, 7n);
    await bank.run();
    world.advance(BLOCK_MS);
    model.mine(5);
    Object.assign(world.faults, faults);
    await pulse(bank.deps, payer);
    expect(await reload(bank, payment)).toMatchObject({ state: 'planned', hash: null });
    Object.assign(world.faults, noFaults());
    for (let blocks = 0; blocks < 80; blocks += 1) {
      while ((await pulse(bank.deps, payer)) === 'moved');
      world.advance(BLOCK_MS);
      model.mine();
    }
    expect((await bank.store.payments({ limit: 5 })).toReversed()).toMatchObject([
      { id: payment.id, state: 'confirmed', recipient: addressOf(ALICE), amount: 10n },
      { state: 'confirmed', recipient: STRANGER, amount: 7n, claimId: null },
    ]);
    expect(model.paid().map(({ numbers }) => numbers)).toEqual([[BigInt(tip.number)], [BigInt(otherNumber(tip))]]);
  });

  test('security: marks of its own making are left alone as well', async () => {
    const { bank, model } = world;
    await planMarkOf(5n, 6n);
    await bank.run();
    world.advance(BLOCK_MS);
    model.mine(5);
    expect(await reconcile(bank)).toEqual({ taken: 0, unexplained: [] });
    expect(await standings(bank)).toEqual(['mark sent']);
    await finish(world);
    expect(await standings(bank)).toEqual(['mark confirmed']);
  });

  test('security: marks that a simulation did not notice: the payment is not sent and does not fail, but is adopted', async () => {
    const { bank, model, faults } = world;
    const gig = await bank.gig({ token: DEGEN });
    await bank.award(gig, ALICE, 10n);
    const other = await fork();
    const payment = firstOf(await bank.claim(ALICE));
    await other.claim(ALICE);
    await other.run();
    world.advance(BLOCK_MS);
    model.mine();
    // The node refuses, and not for the marks: by its words the payment would fail at once.
    const simulate = async () => {
      throw new PaymentRefused('the transfer would revert: no reason', { blockNumber: null, isBare: false });
    };
    const payer = { ...model.view(faults), simulate };
    const deps = { ...bank.deps, timing: { ...bank.deps.timing, refusedMs: 0 } };
    expect(await pulse(deps, payer)).toBe('waiting');
    const reason = 'already paid on chain; waiting for that block to settle';
    expect(await reload(bank, payment)).toMatchObject({ state: 'planned', reason });
    await world.pass(4, [other]);
    expect(await pulse(deps, payer)).toBe('moved');
    const [receipt, ...more] = model.receipts();
    expect(more).toEqual([]);
    expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed', hash: receipt?.hash, gasUsed: 0n });
  });
});

test('security: a number that another account was paid for waits, calmly until endpoints differ over that', async () => {
  await reopen(world, () => openWorld({ countsOn: true }));
  const { bank, model, faults, clock } = world;
  const gig = await bank.gig({ token: DEGEN });
  const other = await world.another({ copy: await bank.copy(), name: 'b', countsOn: true });
  onTestFinished(other.bank.close);
  await other.bank.award(gig, BOB, 20n);
  await other.bank.claim(BOB);
  await finish(world, [other.bank]);
  const late = await bank.awardAndClaim(gig, ALICE, 10n);
  const view = model.view(faults);
  const witnesses = [
    { name: 'endpoint 1', payer: view },
    { name: 'endpoint 2', payer: { ...view, paidEvents: async () => [] } },
  ];
  const calm = 'already paid on chain; waiting for that block to settle';
  const doubtful = /^it waits until all endpoints .* number: endpoint 2 shows another payment .* unlike endpoint 1$/;
  for (const reason of [calm, expect.stringMatching(doubtful)]) {
    expect(await pulse(bank.deps, { ...view, witnesses })).toBe('waiting');
    const row = { state: 'planned', reason, dueAt: clock() + 4_000, updatedAt: clock() };
    expect(await reload(bank, late)).toMatchObject(row);
    model.mine(64);
    world.advance(4_000);
  }
  const waits = bank.lines.filter(({ msg }) => msg === 'payment waits');
  expect(waits.map(({ level }) => level)).toEqual(['info', 'warn']);
  await finish(world);
  expect(paidTo(model, gig)).toEqual([20n, 10n]);
});

describe('marks of what was paid before the contract', () => {
  test('security: are made before anything else of the gig', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    const before = await bank.award(gig, ALICE, 5n, 6n);
    await bank.payBefore(before);
    const mark = await planMark(gig);
    const later = await bank.award(gig, BOB, 10n);
    await bank.claim(BOB);
    await finish(world);
    const numbersOf = (tips: readonly Tip[]) => tips.map(({ number }) => BigInt(number));
    expect(model.paid().map(({ to, amount, numbers }) => [to, amount, numbers])).toEqual([
      [gig.walletAddress, 0n, numbersOf(before)],
      [addressOf(BOB), 10n, numbersOf(later)],
    ]);
    expect(await reload(bank, mark)).toMatchObject({ state: 'confirmed' });
    expect(await reconcile(bank)).toEqual({ taken: 0, unexplained: [] });
  });

  test('security: that are on their way hold the gig’s payments until they are settled, and no other gig’s', async () => {
    const { bank, model } = world;
    const { gig, mark } = await planMarkOf(5n, 6n);
    const other = await bank.gig({ token: DEGEN });
    await bank.run();
    expect(await reload(bank, mark)).toMatchObject({ state: 'sent' });
    await bank.award(gig, BOB, 10n);
    await bank.award(other, BOB, 20n);
    const held = firstOf((await bank.claim(BOB)).filter(({ gigId }) => gigId === gig.id));
    model.mine();
    await bank.run();
    expect([(await reload(bank, mark)).state, (await reload(bank, held)).state]).toEqual(['sent', 'planned']);
    expect(await standings(bank)).toContain('payout sent');
    await finish(world);
    expect([paidTo(model, gig), paidTo(model, other)]).toEqual([[0n, 10n], [20n]]);
  });

  test('security: by another instance are taken over, and hold nothing up', async () => {
    const { bank, model } = world;
    const { gig, mark } = await planMarkOf(5n, 6n);
    const other = await fork();
    await finish(world, [other]);
    await bank.awardAndClaim(gig, BOB, 10n);
    await finish(world);
    expect(await reload(bank, mark)).toMatchObject({ state: 'confirmed' });
    expect(paidTo(model, gig)).toEqual([0n, 10n]);
  });

  test('security: tell a database from before the payment that its tips were paid', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    const tips = [...(await bank.award(gig, ALICE, 5n, 6n)), ...(await bank.award(gig, BOB, 7n))];
    const before = await bank.copy();
    await bank.payBefore(tips);
    await planMark(gig);
    await finish(world);
    await bank.restore(before);
    await bank.claim(ALICE);
    await finish(world);
    expect(await bank.claim(BOB)).toEqual([]);
    expect(paidTo(model, gig)).toEqual([0n]);
  });

  test('behavior: a gig without any has nothing to mark', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    await planMark(gig);
    await bank.awardAndClaim(gig, ALICE, 10n);
    await finish(world);
    expect(await standings(bank)).toEqual(['mark failed', 'payout confirmed']);
    expect(firstOf(await bank.store.payments({ limit: 1, kind: 'mark' })).reason).toBe('it has nothing to mark');
    expect(paidTo(model, gig)).toEqual([10n]);
  });
});
