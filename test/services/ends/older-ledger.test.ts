import { describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { REFUND_NUMBER } from '../../../src/domain/payments/payment.ts';
import { perCase } from '../../support/per-case.ts';
import { ALICE, BOB } from '../cashier.ts';
import { addressOf, TREASURY } from '../payments/sender/bank.ts';
import { noteSkip } from '../skips.ts';
import { BACK, DAY, FEE, HOUR, openEnds, REWARD } from './world.ts';

const [ALICES, BOBS] = [addressOf(ALICE), addressOf(BOB)];

const ends = perCase(openEnds);

/** A gig awards 300 of its 1,000 to alice and 100 to bob. */
async function award(gig: Gig): Promise<Gig> {
  await ends.award(gig, ALICE.platformUserId, 300n);
  await ends.award(gig, BOB.platformUserId, 100n);
  return gig;
}

const awarded = async () => await award(await ends.started());

async function letRefund(): Promise<void> {
  ends.advance(4 * DAY + 2 * HOUR);
  await ends.work();
  ends.advance(4 * DAY);
  await ends.workAndFinish();
}

const refunds = async ({ id }: Gig) =>
  (await ends.store.paymentsOfGig(id))
    .filter(({ kind }) => kind === 'refund')
    .map(({ state, amount }) => [state, amount]);

describe('a ledger that was put back', () => {
  test('security: to before the settlement takes the refund that the chain has, and awards nothing more', async () => {
    const gig = await awarded();
    const copy = await ends.bank.copy();
    await letRefund();
    await ends.bank.claim(ALICE);
    await ends.finish();
    await ends.bank.restore(copy);
    await ends.reconcile(gig);
    expect(await refunds(gig)).toEqual([['confirmed', 600n]]);
    expect((await ends.gigOf(gig.id)).refundedAt).not.toBeNull();
    await expect(ends.award(gig, '9', 1n)).rejects.toThrow();
    await ends.bank.claim(ALICE);
    await ends.bank.claim(BOB);
    await ends.workAndFinish();
    ends.advance(9 * DAY);
    await ends.workAndFinish();
    expect(ends.paidBy(gig)).toEqual({ [TREASURY]: FEE, [BACK]: 600n, [ALICES]: 300n, [BOBS]: 100n });
    expect(await refunds(gig)).toEqual([['confirmed', 600n]]);
    const [audit] = await ends.reconcile(gig);
    expect(audit).toMatchObject({ frozen: null, audit: { held: 0n, expected: 0n, problems: [], unproved: [] } });
  });

  test.each([
    ['settlement', 0],
    ['plan', 1],
  ] as const)('security: to between %s and payment refunds nothing again', async (_what, plans) => {
    const gig = await awarded();
    ends.advance(2 * DAY);
    await ends.work();
    ends.advance(4 * DAY);
    if (plans > 0) await ends.work();
    const copy = await ends.bank.copy();
    await ends.workAndFinish();
    expect(ends.paidBy(gig)[BACK]).toBe(600n);
    await ends.bank.restore(copy);
    await ends.workAndFinish();
    expect(ends.paidBy(gig)[BACK]).toBe(600n);
    expect(await refunds(gig)).toEqual([['confirmed', 600n]]);
    const numbers = ends.model.paid().flatMap((event) => event.numbers);
    expect(numbers.filter((number) => number === REFUND_NUMBER)).toHaveLength(1);
  });

  test('security: a refund that awaits its block is paid once, whichever ledger has planned it', async () => {
    const gig = await awarded();
    ends.advance(2 * DAY);
    await ends.work();
    ends.advance(4 * DAY);
    const copy = await ends.bank.copy();
    await ends.work();
    await ends.bank.run();
    await ends.bank.restore(copy);
    await ends.workAndFinish();
    await ends.pass(6);
    expect(ends.paidBy(gig)[BACK]).toBe(600n);
    expect(await refunds(gig)).toContainEqual(['confirmed', 600n]);
  });

  test('security: to before the awards, after some were paid, waits for an operator', async () => {
    const gig = await ends.started();
    const copy = await ends.bank.copy();
    await award(gig);
    await ends.bank.claim(ALICE);
    await ends.finish();
    await ends.bank.restore(copy);
    ends.advance(2 * DAY);
    await ends.work();
    ends.advance(4 * DAY);
    expect(await ends.refund(gig)).toMatchObject({ kind: 'waits', why: 'lost_tips' });
    expect((await ends.gigOf(gig.id)).settledAt).toBeNull();
    await ends.end(gig, 'settle');
    ends.advance(4 * DAY);
    await ends.work();
    expect(await ends.refund(gig)).toMatchObject({ kind: 'waits', why: 'lost_tips' });
    expect(await ends.refund(gig, true)).toMatchObject({ kind: 'planned', payment: { amount: 700n } });
    await ends.finish();
    expect(ends.paidBy(gig)).toEqual({ [TREASURY]: FEE, [BACK]: 700n, [ALICES]: 300n });
  });

  test('security: as the file of ids shows, refunds and returns nothing of its gigs before the ledger is proved', async () => {
    const gig = await awarded();
    const cancelled = await ends.create();
    ends.fund(cancelled);
    await ends.end(cancelled, 'cancel');
    await noteSkip(ends.store, { first: cancelled.id, last: cancelled.id, reason: 'ahead' });
    const later = await awarded();
    ends.advance(2 * DAY);
    await ends.work();
    ends.advance(4 * DAY);
    expect(await ends.refund(gig)).toMatchObject({ kind: 'waits', why: 'restored' });
    expect(await ends.refund(later)).toMatchObject({ kind: 'planned', payment: { amount: 600n } });
    await ends.work();
    await expect(ends.returnAll(cancelled)).rejects.toThrow(`gig ${cancelled.id}: the database may be an older copy`);
    await ends.finish();
    expect(ends.paidBy(cancelled)).toEqual({});
    expect(await ends.prove()).toMatchObject({ stop: 'none', refunds: 'ended' });
    await ends.work();
    ends.advance(4 * DAY);
    await ends.workAndFinish();
    expect(await refunds(gig)).toEqual([['confirmed', 600n]]);
    expect(ends.paidBy(cancelled)).toEqual({ [BACK]: REWARD + FEE });
  });

  test.each([
    ['before the cancellation', false],
    ['before the return', true],
  ] as const)(
    'security: to %s does not start on money that went back, and returns nothing again',
    async (_, isAfter) => {
      const gig = await ends.create();
      ends.fund(gig);
      if (isAfter) await ends.end(gig, 'cancel');
      const copy = await ends.bank.copy();
      if (!isAfter) await ends.end(gig, 'cancel');
      await ends.workAndFinish();
      expect(ends.paidBy(gig)).toEqual({ [BACK]: REWARD + FEE });
      await ends.bank.restore(copy);
      await expect(ends.start(gig)).rejects.toMatchObject({
        refusal: { code: isAfter ? 'gig_cancelled' : 'gig_not_funded' },
      });
      await ends.end(gig, 'cancel');
      await ends.workAndFinish();
      expect(ends.paidBy(gig)).toEqual({ [BACK]: REWARD + FEE });
      const returns = await ends.store.paymentsOfGig(gig.id);
      expect(returns.map(({ kind, place, state, amount }) => [kind, place, state, amount])).toEqual([
        ['return', 0, 'confirmed', REWARD + FEE],
      ]);
      // More money starts nothing either, and an operator returns it.
      ends.fund(gig, 5n);
      await ends.returnAll(gig);
      await ends.finish();
      expect(ends.heldBy(gig.walletAddress)).toBe(0n);
    },
  );

  test('security: to before the start, a cancelled gig whose wallet has paid keeps what it may owe', async () => {
    const gig = await ends.create();
    ends.fund(gig);
    const copy = await ends.bank.copy();
    await ends.begin(gig);
    await award(gig);
    await ends.bank.claim(ALICE);
    await ends.finish();
    await ends.bank.restore(copy);
    await ends.end(gig, 'cancel');
    await ends.workAndFinish();
    expect(ends.paidBy(gig)).toEqual({ [TREASURY]: FEE, [ALICES]: 300n });
    await expect(ends.returnAll(gig)).rejects.toThrow('had started in a ledger that is lost');
    await ends.returnAll(gig, true);
    await ends.finish();
    expect(ends.paidBy(gig)).toEqual({ [TREASURY]: FEE, [ALICES]: 300n, [BACK]: 700n });
  });
});

describe('a reorganisation', () => {
  test.each([true, false])(
    'security: takes a refund back, and it is paid once more under its number',
    async (keeps) => {
      const gig = await awarded();
      await letRefund();
      expect(ends.paidBy(gig)[BACK]).toBe(600n);
      ends.model.reorganise(8, { keeps });
      await ends.finish();
      await ends.pass(6);
      expect(ends.paidBy(gig)[BACK]).toBe(600n);
      expect(await refunds(gig)).toEqual([['confirmed', 600n]]);
      await expect(ends.award(gig, '9', 1n)).rejects.toThrow();
    },
  );

  test('security: takes a return back, and it is paid once more', async () => {
    const gig = await ends.create();
    ends.fund(gig, 42n);
    await ends.end(gig, 'cancel');
    await ends.workAndFinish();
    ends.model.reorganise(8, { keeps: false });
    await ends.finish();
    await ends.pass(6);
    expect(ends.paidBy(gig)).toEqual({ [BACK]: 42n });
  });
});
