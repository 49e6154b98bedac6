import { describe, expect, test } from 'vitest';
import type { PayerChain } from '../../../../src/domain/payments/payer-chain.ts';
import type { PaymentContext } from '../../../../src/services/payments/sender/context.ts';
import { pulse } from '../../../../src/services/payments/sender/pulse.ts';
import { perCase, reopen } from '../../../support/per-case.ts';
import { gasOfGig, seedAddress } from '../../../support/store.ts';
import { ALICE, account, addressOf, BOB } from './bank.ts';
import { DEGEN, finish, HOSTILE, openWorld, paidTo, planBoth, reload } from './world.ts';

const BUDGET = 1_000_000n;
const USED_UP = 'the client’s daily gas budget is used up';

const world = perCase(() => openWorld({ policy: { clientGasPerDay: BUDGET } }));
const reopenWith = (policy: Partial<PaymentContext['policy']>) => reopen(world, () => openWorld({ policy }));

function gasSpent(): bigint {
  return world.model.receipts().reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
}

describe('tokens that fail in the chain after good simulations', () => {
  test('security: eighty of one client cost at most its budget, and their earner is paid by an honest gig', async () => {
    const { bank, model } = world;
    for (let each = 0; each < 80; each += 1) {
      const token = seedAddress(0xbad00 + each);
      model.ways.set(token, 'fails');
      await bank.award(await bank.gig({ token, client: 'mallory' }), ALICE, 5n);
    }
    const honest = await bank.gig({ token: DEGEN, client: 'acme' });
    await bank.awardAndClaim(honest, ALICE, 10n);
    await world.pass(200);
    expect(paidTo(model, honest)).toEqual([10n]);
    expect((await bank.store.gasOfClient('mallory', 0)).claims).toBeLessThanOrEqual(BUDGET);
    // The honest payment has used at most as much as was reserved for it.
    expect(gasSpent()).toBeLessThanOrEqual(BUDGET + 100_000n);
    const waiting = await bank.store.payments({ limit: 100, state: 'planned' });
    expect(new Set(waiting.map(({ reason }) => reason))).toContain(USED_UP);
    // It holds up nobody else, however long it waits.
    await bank.awardAndClaim(honest, BOB, 20n);
    await world.pass(6);
    expect(paidTo(model, honest)).toEqual([10n, 20n]);
  });

  test('security: a client that has used up its gas of a day goes on the days after', async () => {
    const { bank, model } = world;
    model.ways.set(HOSTILE, 'fails');
    for (const gig of await bank.gigs(12, { token: HOSTILE, client: 'mallory' })) await bank.award(gig, ALICE, 5n);
    await bank.claim(ALICE);
    await world.pass(4);
    const honest = await bank.gig({ token: DEGEN, client: 'mallory' });
    const waiting = await bank.awardAndClaim(honest, BOB, 10n);
    await world.pass(60);
    expect(await reload(bank, waiting)).toMatchObject({ state: 'planned', reason: USED_UP });
    model.ways.delete(HOSTILE);
    // What waits is looked at all the time, which does not make its gas any younger.
    for (let hour = 0; hour < 3 * 24; hour += 1) {
      world.advance(3_600_000);
      await world.pass(1);
    }
    await finish(world);
    expect(paidTo(model, honest)).toEqual([10n]);
  });

  test('security: a gig without a client has no budget of a day, but one for its life', async () => {
    const { bank, model } = world;
    model.ways.set(HOSTILE, 'fails');
    const gig = await bank.gig({ token: HOSTILE });
    for (let each = 0; each < 300; each += 1) {
      if (each % 10 === 0) await bank.award(gig, ALICE, 5n);
      await bank.claim(ALICE);
      world.advance(3_600_000);
      await world.pass(2);
    }
    const { gasUsed, tips } = await gasOfGig(bank.store, gig.id);
    const { gigGas, gigGasPerTip } = bank.deps.policy;
    expect(gasUsed).toBeLessThanOrEqual(gigGas + gigGasPerTip * BigInt(tips));
    expect(gasSpent()).toBeLessThanOrEqual(gasUsed);
  });

  test('security: one of many payments fails alone, waits longer each time, and fails for good', async () => {
    const { bank, model } = world;
    model.ways.set(HOSTILE, 'fails');
    const { good, payment: failing } = await planBoth(world, HOSTILE);
    await finish(world, [bank], 2_000);
    expect(paidTo(model, good)).toEqual([10n]);
    const reason = 'it was sent 3 times, and failed each time';
    expect(await reload(bank, failing)).toMatchObject({ state: 'failed', failures: 3, reason });
    const [first = 0, second = 0, third = 0] = model.receipts().map(({ blockNumber }) => Number(blockNumber));
    expect(third - second).toBeGreaterThan(2 * (second - first));
    // Its tips can be claimed again.
    expect(await bank.claim(ALICE)).toHaveLength(1);
  });

  test('security: after three failures within an hour their token waits, and others do not', async () => {
    const { bank, model } = world;
    model.ways.set(HOSTILE, 'fails');
    const gigs = await bank.gigs(6, { token: HOSTILE });
    for (const [index, gig] of gigs.entries()) {
      await bank.award(gig, account(index), 1n);
      if (index < 3) await bank.claim(account(index));
    }
    await world.pass(6);
    model.ways.delete(HOSTILE);
    for (const index of [3, 4, 5]) await bank.claim(account(index));
    await world.pass(6);
    const [last] = await bank.store.payments({ limit: 1 });
    expect(last).toMatchObject({ state: 'planned', reason: 'its token failed on the chain 3 times within an hour' });
    world.advance(3_600_000);
    await finish(world);
    expect(model.paid()).toHaveLength(6);
  });

  test('security: a payment that failed does not take its wallet’s others with it again', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: HOSTILE });
    await bank.claimByMany(gig, 3);
    model.ways.set(HOSTILE, 'fails');
    await bank.run();
    await world.pass(4);
    model.ways.delete(HOSTILE);
    world.advance(3_600_000);
    await finish(world);
    expect(model.receipts().map(({ paid }) => paid.length)).toEqual([0, 1, 1, 1]);
  });
});

describe('a long queue', () => {
  test('security: behind the payments of a client without a budget others are reached at once', async () => {
    await reopenWith({ clientGasPerDay: 150_000n, payments: 20 });
    const { bank, model } = world;
    const gigs = [await bank.gig({ token: DEGEN, client: 'mallory' }), await bank.gig({ client: 'mallory' })];
    for (let each = 0; each < 50; each += 1) {
      for (const gig of gigs) await bank.award(gig, account(each), 1n);
      await bank.claim(account(each));
    }
    const honest = await bank.gig({ token: DEGEN });
    await bank.awardAndClaim(honest, ALICE, 10n);
    for (let steps = 0; steps < 4 && model.signed().length === 0; steps += 1) {
      expect(await bank.pulse()).toBe('moved');
    }
    model.mine();
    expect(paidTo(model, honest)).toEqual([10n]);
    const planned = await bank.store.payments({ state: 'planned', limit: 200 });
    expect(new Set(planned.map(({ reason }) => reason))).toEqual(new Set([USED_UP]));
  });

  test('security: a frozen gig with more payments than are looked at keeps nothing from another', async () => {
    await reopenWith({ payments: 5 });
    const { bank, model } = world;
    const frozen = await bank.gig({ token: DEGEN });
    await bank.claimByMany(frozen, 60);
    await bank.store.transaction((tx) => tx.freezeByOperator(frozen.id, 'it looks odd'));
    const honest = await bank.gig({ token: DEGEN });
    await bank.awardAndClaim(honest, ALICE, 10n);
    for (let steps = 0; steps < 2; steps += 1) expect(await bank.pulse()).toBe('moved');
    model.mine();
    expect(paidTo(model, honest)).toEqual([10n]);
    await bank.store.transaction((tx) => tx.freezeByOperator(frozen.id, null));
    world.advance(5_000);
    await finish(world);
    expect(paidTo(model, frozen)).toHaveLength(60);
  });
});

describe('recipients of a gig that others are paid by', () => {
  test('security: one that burns gas fails alone, and keeps neither the others nor the fee from being paid', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ fee: 3n });
    model.ways.set(addressOf(BOB), 'heavy');
    const heavy = await bank.awardAndClaim(gig, BOB, 5n);
    const honest = await bank.awardAndClaim(gig, ALICE, 10n);
    await finish(world);
    expect(paidTo(model, gig)).toEqual([3n, 10n]);
    expect(await reload(bank, heavy)).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/^it would burn 352000 gas, more than 200000 allowed/),
    });
    expect((await reload(bank, honest)).gasUsed).toBeLessThan(100_000n);
    expect(model.receipts()).toHaveLength(1);
  });

  test('security: those that burn as much as they may are charged for it, and the others are not', async () => {
    const { bank, model } = world;
    const gig = await bank.gig();
    const greedy = [account(3), account(4)];
    const gasOf = (to: string) => (greedy.some((each) => to === addressOf(each)) ? 200_000n : 20_000n);
    const payer: PayerChain = {
      ...model.view(world.faults),
      simulate: async ({ payments }) => ({ gas: payments.reduce((sum, { to }) => sum + gasOf(to), 40_000n) }),
    };
    for (const to of [...greedy, ALICE]) {
      await bank.awardAndClaim(gig, to, 1n);
    }
    await pulse(bank.deps, payer);
    const charges = (await bank.store.payments({ limit: 3 })).map(({ gasReserved }) => gasReserved);
    expect(charges).toEqual([51_112n, 204_445n, 204_445n]);
  });

  test('security: a token that tells its recipients is not stopped by one of them, however often that claims', async () => {
    const { bank, model } = world;
    const [gig, other] = [await bank.gig({ token: DEGEN }), await bank.gig({ token: DEGEN })];
    const mallory = account(9);
    model.ways.set(addressOf(mallory), 'fails');
    for (const [index, to] of [mallory, ALICE, BOB].entries()) {
      await bank.awardAndClaim(gig, to, BigInt(index + 1));
    }
    await world.pass(4);
    expect(model.paid()).toEqual([]);
    await bank.awardAndClaim(other, ALICE, 10n);
    await world.pass(4);
    expect(paidTo(model, other)).toEqual([10n]);
    for (let each = 0; each < 60; each += 1) {
      await world.pass(5);
      await bank.claim(mallory);
    }
    expect(paidTo(model, gig)).toEqual([2n, 3n]);
    await bank.awardAndClaim(other, BOB, 11n);
    await world.pass(4);
    expect(paidTo(model, other)).toEqual([10n, 11n]);
  });

  test('security: one that fails on the chain alone, claim after claim, leaves the gas of its gig to the others', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ client: 'acme' });
    const mallory = account(9);
    model.ways.set(addressOf(mallory), 'fails');
    await bank.award(gig, mallory, 5n);
    await bank.award(gig, ALICE, 10n);
    // Each hour for a week.
    for (let hour = 0; hour < 7 * 24; hour += 1) {
      await bank.claim(mallory);
      await world.pass(60);
      world.advance(3_600_000);
    }
    const { gasUsed } = await gasOfGig(bank.store, gig.id);
    expect(gasUsed).toBeGreaterThanOrEqual(300_000n);
    expect(gasUsed).toBeLessThanOrEqual(bank.deps.policy.gigGasPerTip);
    expect(model.receipts().length).toBeLessThan(8);
    const [waiting] = await bank.store.payments({ state: 'planned', limit: 1 });
    expect(waiting?.reason).toMatch(/^its account’s payments by this gig failed on the chain [3-7] times; it is tried/);
    // Another claim of the gig is paid at once, and not together with one that may fail.
    await bank.claim(ALICE);
    await world.pass(4);
    expect(paidTo(model, gig)).toEqual([10n]);
    // A recipient that was repaired is paid after the pause.
    model.ways.delete(addressOf(mallory));
    world.advance(40 * 24 * 3_600_000);
    await finish(world);
    expect(paidTo(model, gig)).toEqual([10n, 5n]);
  });
});

describe('the budget of a client', () => {
  test('behavior: does not limit a gig that an operator’s key made: all its claims are paid in one day', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN, client: 'acme', isOperators: true });
    await bank.claimByMany(gig, 60, (each) => BigInt(each + 1));
    await world.pass(8);
    expect(paidTo(model, gig)).toHaveLength(60);
    expect(gasSpent()).toBeGreaterThan(BUDGET);
  });

  test('security: is used up by fees of starts for other fees alone: claims are paid', async () => {
    await reopenWith({ clientGasPerDay: 500_000n });
    const { bank, model } = world;
    const gigs = await bank.gigs(8, { token: DEGEN, client: 'acme', fee: 5n });
    await world.pass(8);
    expect(model.paid()).toHaveLength(5);
    for (const gig of gigs.slice(0, 4)) await bank.award(gig, ALICE, 10n);
    await bank.claim(ALICE);
    await world.pass(8);
    expect(model.paid().filter(({ amount }) => amount === 10n)).toHaveLength(4);
    const waiting = await bank.store.payments({ limit: 10, state: 'planned' });
    expect(waiting.map(({ kind, reason }) => [kind, reason])).toEqual(Array(3).fill(['fee', USED_UP]));
  });
});

describe('the budget of all owners', () => {
  /** Twelve claims of a gig of this owner, and what was paid for them within a day. */
  async function claimOften(owner: string, first: number): Promise<number> {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN, client: `owner:${owner}` });
    await bank.claimByMany(gig, 12, () => 1n, first);
    await world.pass(20);
    return paidTo(model, gig).length;
  }

  test('security: an owner uses a tenth of it, and what the others have is theirs', async () => {
    await reopenWith({ ownersGasPerDay: 5_000_000n });
    const mallory = await claimOften('wallet:0x00000000000000000000000000000000000000ff', 100);
    const alice = await claimOften('farcaster:1001', 200);
    expect([mallory, alice, gasSpent() <= 1_000_000n]).toEqual([mallory, mallory, true]);
    expect(mallory).toBeGreaterThan(1);
    const waiting = await world.bank.store.payments({ limit: 50, state: 'planned' });
    expect(new Set(waiting.map(({ reason }) => reason))).toEqual(new Set([USED_UP]));
    world.advance(24 * 3_600_000);
    await world.pass(20);
    expect(world.model.paid()).toHaveLength(24);
  });

  test('behavior: where a tenth is less than a payment needs, an owner makes one a day', async () => {
    await reopenWith({ ownersGasPerDay: 300_000n });
    expect([await claimOften('farcaster:1001', 100), await claimOften('farcaster:1002', 200)]).toEqual([1, 1]);
  });
});
