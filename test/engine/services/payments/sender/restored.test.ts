import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { otherNumber } from '../../../../../src/domain/gigs/tip.ts';
import { adoptMarks } from '../../../../../src/services/payments/sender/found/adopt.ts';
import { account, addressOf, type Bank } from '../../../../services/payments/sender/bank.ts';
import {
  DEGEN,
  finish,
  openWorld,
  paidTo,
  reload,
  standings,
  USDC,
  type World,
} from '../../../../services/payments/sender/world.ts';
import { seedAddress } from '../../../../support/store.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.bank.close());

const ALICE = account(1);
const BOB = account(2);
const CAROL = account(3);

/** A world whose numbers of tips begin with 0, as before floors. */
async function countOn(): Promise<void> {
  await world.bank.close();
  world = await openWorld({ countsOn: true });
}

/** What the hourly reconcile does. */
async function reconcile({ deps, store }: Bank) {
  const gigs = await store.gigs({ phase: 'all', now: 0, limit: 100 });
  return await adoptMarks(deps, world.model.view(world.faults), { gigs });
}

describe('a database that was put back', () => {
  test('security: to before a claim pays nobody twice who claims again', async () => {
    const { bank, model } = world;
    const gigs = [await bank.gig({ token: DEGEN, fee: 5n }), await bank.gig({ token: USDC })];
    for (const gig of gigs) await bank.award(gig, ALICE, 10n, 20n);
    const before = await bank.copy();
    await bank.claim(ALICE);
    await finish(world);
    await bank.restore(before);
    await bank.claim(ALICE, seedAddress(0xe1));
    await finish(world);
    expect(gigs.map((gig) => paidTo(model, gig))).toEqual([[5n, 30n], [30n]]);
    // The ledger says what the chain says.
    const payments = await bank.store.payments({ limit: 10, kind: 'payout' });
    const { hash } = model.paid()[0] ?? {};
    for (const payment of payments) {
      expect(payment).toMatchObject({ state: 'confirmed', hash, recipient: addressOf(ALICE) });
    }
    expect(await standings(bank)).toEqual(['fee confirmed', 'payout confirmed', 'payout confirmed']);
  });

  test('security: is brought up to the chain by the hourly comparison, without a claim', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    const [first] = await bank.award(gig, ALICE, 10n, 20n);
    const before = await bank.copy();
    await bank.claim(ALICE);
    await finish(world);
    await bank.restore(before);
    expect(await reconcile(bank)).toEqual({ taken: 1, unexplained: [] });
    expect(await bank.store.tip(first?.id ?? 0)).toMatchObject({ status: 'claimed', txHash: model.paid()[0]?.hash });
    expect(await bank.claim(ALICE)).toEqual([]);
    expect(await reconcile(bank)).toEqual({ taken: 0, unexplained: [] });
    expect(await bank.store.paidByGig(gig.id)).toMatchObject({ parts: [{ amount: 30n, payouts: 1 }] });
  });

  test.each([-600_000, 20_000, 600_000])(
    'security: a clock that is %i ms ahead of the chain pays nobody twice, and everybody once',
    async (aheadMs) => {
      await world.bank.close();
      world = await openWorld({ aheadMs });
      const { bank, model } = world;
      const gig = await bank.gig({ token: DEGEN });
      const [tip] = await bank.award(gig, ALICE, 10n);
      await bank.award(gig, BOB, 20n, 30n);
      const before = await bank.copy();
      await bank.claim(ALICE);
      await bank.claim(BOB);
      await finish(world);
      await bank.restore(before);
      model.mine(70);
      await bank.claim(ALICE);
      await finish(world);
      expect((await reconcile(bank)).unexplained).toEqual([]);
      expect([await bank.claim(ALICE), await bank.claim(BOB)]).toEqual([[], []]);
      expect(paidTo(model, gig)).toEqual([10n, 50n]);
      expect(await bank.store.tip(tip?.id ?? 0)).toMatchObject({ status: 'claimed', number: tip?.number });
    },
  );

  /** Two are paid 10 each for tips that the database then lacks; after that a third one gets a tip. */
  async function loseTips({ bank, advance }: World, amount: bigint) {
    const gig = await bank.gig({ token: DEGEN });
    const before = await bank.copy();
    await bank.award(gig, ALICE, 10n);
    await bank.award(gig, BOB, 10n);
    await bank.claim(ALICE);
    await bank.claim(BOB);
    await finish(world);
    advance(60_000);
    await bank.restore(before);
    const [tip] = await bank.award(gig, CAROL, amount);
    await bank.claim(CAROL);
    if (tip === undefined) throw new Error('nothing was given');
    return { gig, tip };
  }

  test('security: to before tips were given: their numbers are not given again', async () => {
    const { gig, tip } = await loseTips(world, 10n);
    await world.pass(5);
    expect(paidTo(world.model, gig)).toEqual([10n, 10n, 10n]);
    expect(paidTo(world.model, gig, addressOf(CAROL))).toEqual([10n]);
    expect(world.model.paid().at(-1)?.numbers).toEqual([BigInt(tip.number)]);
  });

  test('security: to before tips were given, with numbers from before floors: who has got one again gets another', async () => {
    await countOn();
    const { bank, model } = world;
    const { gig, tip } = await loseTips(world, 30n);
    await world.pass(10);
    // A reorganisation might still give the number back.
    expect(paidTo(model, gig, addressOf(CAROL))).toEqual([]);
    expect((await bank.store.tip(tip.id))?.number).toBe(0);
    await finish(world);
    expect(model.paid().map(({ to, numbers }) => [to, numbers])).toEqual([
      [addressOf(ALICE), [0n]],
      [addressOf(BOB), [1n]],
      [addressOf(CAROL), [BigInt(otherNumber(tip))]],
    ]);
    expect((await bank.award(gig, CAROL, 10n))[0]?.number).toBe(2);
    expect(await reconcile(bank)).toEqual({ taken: 0, unexplained: [] });
  });

  test('security: to before tips were given, with numbers from before floors: the same amount counts as paid', async () => {
    await countOn();
    const { gig, tip } = await loseTips(world, 10n);
    await finish(world);
    // Nothing tells whose it was, and nobody is to be paid twice.
    expect(paidTo(world.model, gig)).toEqual([10n, 10n]);
    expect(await world.bank.store.tip(tip.id)).toMatchObject({ status: 'claimed', userAddress: addressOf(ALICE) });
  });

  test('security: to before some tips of a claim were given: those that it knows are paid', async () => {
    // One payment has both: a store that is opened again draws a floor.
    await countOn();
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    await bank.award(gig, ALICE, 10n);
    const before = await bank.copy();
    await bank.award(gig, ALICE, 20n);
    await bank.claim(ALICE);
    await finish(world);
    world.advance(60_000);
    await bank.restore(before);
    const [again] = await bank.claim(ALICE);
    await finish(world);
    expect(paidTo(model, gig)).toEqual([30n]);
    expect(again && (await reload(bank, again))).toMatchObject({ state: 'confirmed', amount: 10n });
  });

  test('security: to before some tips of a claim were given, whose numbers others then get: nobody is paid twice', async () => {
    await countOn();
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    const [known] = await bank.award(gig, ALICE, 10n);
    const before = await bank.copy();
    await bank.award(gig, ALICE, 5n);
    await bank.claim(ALICE);
    await finish(world);
    await bank.restore(before);
    // Together with the tip of Alice it exceeds what was paid, and alone it does not.
    await bank.award(gig, BOB, 8n);
    await bank.claim(BOB);
    await bank.claim(ALICE);
    await finish(world);
    expect(paidTo(model, gig)).toEqual([15n, 8n]);
    expect(paidTo(model, gig, addressOf(BOB))).toEqual([8n]);
    expect(await bank.store.tip(known?.id ?? 0)).toMatchObject({ status: 'claimed', number: 0 });
    expect((await reconcile(bank)).unexplained).toEqual([]);
    // What was paid for the lost tip counts as awarded, to the unit.
    expect(await bank.store.paidByGig(gig.id)).toMatchObject({ parts: [{ amount: 23n }] });
  });

  test('security: to before a payment was signed: its bytes may come at any time, and pay once', async () => {
    const { bank, model } = world;
    const gig = await bank.gig({ token: DEGEN });
    await bank.award(gig, ALICE, 10n);
    await bank.claim(ALICE);
    const before = await bank.copy();
    await bank.run();
    const bytes = model.signed();
    model.emptyPool();
    await bank.restore(before);
    await bank.award(gig, BOB, 20n);
    await bank.claim(BOB);
    await bank.run();
    model.reorganise(0, { instead: bytes.slice(0, 1) });
    await finish(world);
    expect(paidTo(model, gig, addressOf(ALICE))).toEqual([10n]);
    expect(paidTo(model, gig, addressOf(BOB))).toEqual([20n]);
    expect(await standings(bank)).toEqual(['payout confirmed', 'payout confirmed']);
  });
});
