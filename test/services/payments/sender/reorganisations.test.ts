import { describe, expect, test } from 'vitest';
import { adoptMarks } from '../../../../src/services/payments/sender/found/adopt.ts';
import { pulse } from '../../../../src/services/payments/sender/pulse.ts';
import { firstOf } from '../../../support/first-of.ts';
import { perCase } from '../../../support/per-case.ts';
import { ALICE, addressOf, BOB } from './bank.ts';
import { DEGEN, finish, openWorld, paidTo, planOne, reload, standings, told } from './world.ts';

const world = perCase(openWorld);

/** The last blocks are taken back, and what was in them is lost. */
function lose(blocks: number): void {
  world.model.emptyPool();
  world.model.reorganise(blocks, { keeps: false });
}

describe('a reorganisation', () => {
  const depths = [1, 2, 3, 4, 5, 8, 16, 33, 64];
  const cases = depths.flatMap((depth) => [true, false].map((keeps) => ({ depth, keeps })));

  test.for(cases)('security: of $depth blocks pays once, and everybody (keeps transactions: $keeps)', async (terms) => {
    const { model, bank } = world;
    model.mine(70);
    const { gig, payment } = await planOne(world);
    await finish(world);
    model.mine(Math.max(0, terms.depth - 4));
    model.emptyPool();
    model.reorganise(terms.depth, terms);
    const second = await planOne(world, 20n);
    await finish(world);
    expect([paidTo(model, gig), paidTo(model, second.gig)]).toEqual([[10n], [20n]]);
    expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed' });
    expect(await standings(bank)).toEqual(['payout confirmed', 'payout confirmed']);
  });

  test('security: that takes a confirmed payment back makes its tips pending, for the same claim', async () => {
    const { model, bank, faults } = world;
    const { payment, gig } = await planOne(world);
    await finish(world);
    lose(8);
    faults.losesBroadcasts = true;
    await world.pass(4);
    expect(await reload(bank, payment)).toMatchObject({ state: 'sent', claimId: payment.claimId, hash: null });
    expect(await bank.store.tipsOfPayment(payment.id)).toMatchObject([{ status: 'pending', txHash: null }]);
    faults.losesBroadcasts = false;
    world.advance(20_000);
    await finish(world);
    expect(paidTo(model, gig)).toEqual([10n]);
  });

  test('security: between two questions about a transaction is no failure of its payments', async () => {
    const { model, bank, faults } = world;
    const { gig, payment } = await planOne(world);
    await bank.run();
    model.mine(8);
    const whole = model.view(faults);
    const inclusion: typeof whole.inclusion = async (hashes) => {
      const found = await whole.inclusion(hashes);
      lose(8);
      return found;
    };
    await pulse(bank.deps, { ...whole, inclusion });
    expect(paidTo(model, gig)).toEqual([]);
    expect(await reload(bank, payment)).toMatchObject({ failures: 0 });
    await finish(world);
    expect(paidTo(model, gig)).toEqual([10n]);
  });

  test('security: is noticed by the newest block that counts, however long ago the first payment was', async () => {
    const { model, bank } = world;
    const first = await planOne(world);
    await finish(world);
    model.mine(100);
    const second = await planOne(world, 20n);
    await finish(world);
    lose(8);
    expect(paidTo(model, second.gig)).toEqual([]);
    expect(await bank.run()).toBe('waiting');
    await finish(world);
    expect([paidTo(model, first.gig), paidTo(model, second.gig)]).toEqual([[10n], [20n]]);
  });

  test('security: that puts another payment of the number in its place: the right one is paid in the end', async () => {
    const { model, bank } = world;
    const gig = await bank.gig({ token: DEGEN });
    const before = await bank.copy();
    // Two ledgers give the same number to two accounts, and both sign.
    const other = await world.another({ copy: before, name: 'b' });
    await bank.award(gig, ALICE, 10n);
    await other.bank.award(gig, BOB, 11n);
    await bank.claim(ALICE);
    await other.bank.claim(BOB);
    await other.bank.run();
    const bobs = firstOf(model.signed());
    model.emptyPool();
    await bank.run();
    await finish(world);
    expect(paidTo(model, gig)).toEqual([10n]);
    model.emptyPool();
    model.reorganise(6, { keeps: false, instead: [bobs] });
    expect(paidTo(model, gig)).toEqual([11n]);
    await finish(world, [bank, other.bank]);
    expect(paidTo(model, gig)).toEqual([11n, 10n]);
    expect(paidTo(model, gig, addressOf(ALICE))).toEqual([10n]);
    await other.bank.close();
  });

  test.for([
    ['by another transaction', false],
    ['by the same transaction', true],
  ] as const)(
    'security: that a stopped process has seen takes nothing back which is paid since %s',
    async ([, isSame]) => {
      const { model, bank, faults } = world;
      const { gig, payment } = await planOne(world);
      await finish(world);
      const paid = await reload(bank, payment);
      lose(8);
      const whole = model.view(faults);
      let later: Awaited<ReturnType<typeof bank.store.chainAnchor>> = null;
      const paidEvents: typeof whole.paidEvents = async (query) => {
        const found = await whole.paidEvents(query);
        // Another process takes it back first.
        await bank.run();
        if (isSame) model.reorganise(1, { instead: model.signed().slice(0, 1) });
        await finish(world);
        later = await bank.store.chainAnchor(31337);
        return found;
      };
      await pulse(bank.deps, { ...whole, paidEvents });
      expect(later).not.toBeNull();
      expect(await bank.store.chainAnchor(31337)).toEqual(later);
      expect(await told(bank)).toEqual(['payment.confirmed', 'payment.taken_back', 'payment.confirmed']);
      expect((await reload(bank, payment)).hash === paid.hash).toBe(isSame);
      expect(await reload(bank, payment)).toMatchObject({ state: 'confirmed' });
      expect(await bank.store.tipsOfPayment(payment.id)).toMatchObject([{ status: 'claimed' }]);
      expect(paidTo(model, gig)).toEqual([10n]);
    },
  );

  test('security: is noticed on a chain where nothing is to be paid', async () => {
    const { model, bank, faults } = world;
    const { gig, payment } = await planOne(world);
    await finish(world);
    lose(8);
    expect(await bank.store.chainsWithPayments()).toEqual([]);
    const gigs = [{ id: gig.id, walletAddress: gig.walletAddress }];
    await adoptMarks(bank.deps, model.view(faults), { gigs });
    expect(await reload(bank, payment)).toMatchObject({ state: 'planned' });
    await finish(world);
    expect(paidTo(model, gig)).toEqual([10n]);
  });
});
