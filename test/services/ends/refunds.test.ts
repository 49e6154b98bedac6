import { describe, expect, test } from 'vitest';
import { AdapterError } from '../../../src/domain/errors.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import { createRefundJob } from '../../../src/services/ends/plan-refund.ts';
import { returnMoney } from '../../../src/services/ends/return-money.ts';
import { voidTips } from '../../../src/services/gigs/tips/void-tip.ts';
import { retryPayment } from '../../../src/services/payments/retry-payment.ts';
import type { WrapStore } from '../../support/database.ts';
import { firstOf } from '../../support/first-of.ts';
import { perCase, reopen } from '../../support/per-case.ts';
import { seedAddress } from '../../support/store.ts';
import { ALICE } from '../cashier.ts';
import { addressOf, TREASURY } from '../payments/sender/bank.ts';
import { BACK, DAY, type Ends, FEE, HOUR, openEnds, REWARD } from './world.ts';

const OTHER = seedAddress(0xbad);

const ends = perCase(openEnds);

/** A settled gig that has awarded 300 of its 1,000 to alice, with its refund due. */
async function settled(seed: Parameters<Ends['create']>[0] = {}): Promise<Gig> {
  const gig = await ends.started(seed);
  await ends.award(gig, ALICE.platformUserId, 300n);
  for (const ending of ['stop', 'settle'] as const) await ends.end(gig, ending);
  ends.advance(72 * HOUR);
  return gig;
}

describe('a refund waits', () => {
  test('behavior: for the settlement, for an address, and for the delay', async () => {
    const created = await ends.create({});
    expect(await ends.refund(created)).toEqual({ kind: 'waits', why: 'not_started', detail: null });
    const gig = await ends.started({ refundAddress: null });
    expect(await ends.refund(gig)).toEqual({ kind: 'waits', why: 'not_settled', detail: null });
    for (const ending of ['stop', 'settle'] as const) await ends.end(gig, ending);
    expect(await ends.refund(gig)).toMatchObject({ why: 'no_address' });
    await ends.store.transaction((tx) => tx.nameRefundAddress(gig.id, OTHER));
    expect(await ends.refund(gig)).toMatchObject({ why: 'delay' });
    ends.advance(72 * HOUR - 1);
    expect(await ends.refund(gig)).toMatchObject({ why: 'delay' });
    ends.advance(1);
    expect(await ends.refund(gig)).toMatchObject({ kind: 'planned', payment: { amount: REWARD, recipient: OTHER } });
    expect(await ends.refund(gig)).toEqual({ kind: 'planned_before' });
  });

  test('security: while an operator has frozen the gig', async () => {
    const gig = await settled();
    await ends.store.transaction((tx) => tx.freezeByOperator(gig.id, 'look first'));
    expect(await ends.refund(gig)).toMatchObject({ kind: 'waits', why: 'frozen' });
    await ends.store.transaction((tx) => tx.freezeByOperator(gig.id, null));
    expect(await ends.refund(gig)).toMatchObject({ kind: 'planned' });
  });

  test('security: while payments are stopped, because the server of the database has changed', async () => {
    let stop: { server: string; since: number } | null = null;
    const wrap: WrapStore = (store) => ({
      ...store,
      transaction: (run, options) =>
        store.transaction((tx) => run(Object.assign(Object.create(tx), { paymentStop: async () => stop })), options),
    });
    await reopen(ends, () => openEnds({ wrap }));
    const gig = await settled();
    stop = { server: 'another one', since: ends.clock() };
    const detail = expect.stringContaining('are stopped');
    expect(await ends.refund(gig)).toMatchObject({ kind: 'waits', why: 'unproved', detail });
    stop = null;
    expect(await ends.refund(gig)).toMatchObject({ kind: 'planned' });
  });

  test('security: while the wallet holds less than it must, which freezes the gig', async () => {
    const gig = await settled();
    ends.fund(gig, -1n);
    expect(await ends.refund(gig)).toMatchObject({ kind: 'waits', why: 'unproved' });
    expect(await ends.store.gigFreeze(gig.id)).toContain('are missing');
    ends.fund(gig, 1n);
    expect(await ends.refund(gig)).toMatchObject({ kind: 'planned', payment: { amount: 700n } });
    expect(await ends.store.gigFreeze(gig.id)).toBeNull();
  });

  test('error: while the chain does not answer, or shows nothing of what it has paid', async () => {
    const gig = await settled();
    ends.faults.isDown = true;
    expect(await ends.refund(gig)).toMatchObject({ kind: 'waits', why: 'unproved' });
    expect((await ends.gigOf(gig.id)).refundedAt).toBeNull();
    ends.faults.isDown = false;
    expect(await ends.refund(gig)).toMatchObject({ kind: 'planned' });
  });

  test('behavior: one that cannot be planned keeps no other from its own', async () => {
    const [bad, good] = [await settled(), await settled()];
    const { reconcile } = ends.refunding;
    const job = createRefundJob({
      ...ends.refunding,
      wake: () => undefined,
      log: ends.bank.deps.log,
      reconcile: async (gigId) => {
        if (gigId !== bad.id) return await reconcile(gigId);
        throw new AdapterError({ retry: 'safe', reason: 'unreachable', message: 'it does not answer' });
      },
    });
    await job();
    expect((await ends.gigOf(bad.id)).refundedAt).toBeNull();
    expect((await ends.gigOf(good.id)).refundedAt).toBe(ends.clock());
  });
});

describe('a recipient that takes no money', () => {
  async function passDays(days: number): Promise<void> {
    for (let day = 0; day < days; day += 1) {
      await ends.pass(4);
      ends.advance(DAY);
    }
  }

  const payments = async ({ id }: Gig) =>
    (await ends.store.paymentsOfGig(id)).flatMap(({ kind, state }) => (kind === 'fee' ? [] : [`${kind} ${state}`]));

  test.each(['refused', 'fails'] as const)(
    'error: whose payments are %s keeps no other from its refund',
    async (way) => {
      const [bad, good] = [await settled({ refundAddress: OTHER }), await settled()];
      ends.model.ways.set(OTHER, way);
      await ends.work();
      await ends.pass(12);
      expect(ends.paidBy(good)[BACK]).toBe(700n);
      expect(ends.paidBy(bad)).toEqual({ [TREASURY]: FEE });
      // What was earned from that gig is paid all the same.
      await ends.bank.claim(ALICE);
      await ends.pass(12);
      expect(ends.paidBy(bad)).toEqual({ [TREASURY]: FEE, [addressOf(ALICE)]: 300n });
      expect(ends.heldBy(bad.walletAddress)).toBe(700n);
    },
  );

  test('error: a refund that failed for good is no surplus, and is planned again to another address', async () => {
    const gig = await settled({ refundAddress: OTHER });
    ends.model.ways.set(OTHER, 'refused');
    await ends.work();
    await passDays(4);
    expect(await payments(gig)).toEqual(['refund failed']);
    await ends.work();
    expect(await payments(gig)).toEqual(['refund failed']);
    await expect(ends.returnAll(gig)).rejects.toThrow('holds no ETH that could be returned');
    const { store, clock } = ends;
    const failed = firstOf((await store.paymentsOfGig(gig.id)).filter(({ kind }) => kind === 'refund'));
    await retryPayment({ store, clock, treasury: null }, { paymentId: failed.id, actor: COMMAND_LINE, to: BACK });
    await ends.finish();
    await ends.bank.claim(ALICE);
    await ends.finish();
    expect(ends.paidBy(gig)).toEqual({ [TREASURY]: FEE, [addressOf(ALICE)]: 300n, [BACK]: 700n });
  });

  test('error: a return that failed for good can be made again under another number', async () => {
    const gig = await ends.create({ refundAddress: OTHER });
    ends.fund(gig, 42n);
    ends.model.ways.set(OTHER, 'refused');
    await ends.end(gig, 'cancel');
    await ends.work();
    await passDays(4);
    expect(await payments(gig)).toEqual(['return failed']);
    await ends.work();
    await returnMoney(ends.returning, { gigId: gig.id, actor: COMMAND_LINE, to: BACK });
    await ends.finish();
    expect(ends.paidBy(gig)).toEqual({ [BACK]: 42n });
    expect((await ends.store.paymentsOfGig(gig.id)).map(({ place }) => place)).toEqual([0, 1]);
  });
});

describe('races', () => {
  test.each([true, false])(
    'security: a tip by request that races a settlement is refunded or paid, never both',
    async (first) => {
      const gig = await ends.started({ awardDays: 1 });
      await ends.end(gig, 'stop');
      const settle = () => ends.end(gig, 'settle');
      const award = () => ends.award(gig, ALICE.platformUserId, 400n);
      const runs = first ? [award(), settle()] : [settle(), award()];
      await Promise.allSettled(runs);
      await Promise.allSettled([settle()]);
      const { awardedAmount, settledAt } = await ends.gigOf(gig.id);
      expect(settledAt).not.toBeNull();
      ends.advance(4 * DAY);
      expect(await ends.refund(gig)).toMatchObject({ kind: 'planned', payment: { amount: REWARD - awardedAmount } });
      await ends.bank.claim(ALICE);
      await ends.finish();
      expect(ends.heldBy(gig.walletAddress)).toBe(0n);
      expect(ends.paidBy(gig)[addressOf(ALICE)] ?? 0n).toBe(awardedAmount);
    },
  );

  test.each([true, false])('security: a claim that races a refund is paid, and the refund is whole', async (first) => {
    const gig = await settled();
    const runs = [() => ends.bank.claim(ALICE), () => ends.refund(gig)];
    await Promise.all((first ? runs : runs.toReversed()).map((run) => run()));
    await ends.finish();
    expect(ends.paidBy(gig)).toEqual({ [TREASURY]: FEE, [addressOf(ALICE)]: 300n, [BACK]: 700n });
  });

  test('security: two processes that plan at once plan one refund and one return', async () => {
    const gig = await settled();
    await Promise.all([ends.refund(gig), ends.refund(gig), ends.work()]);
    const never = await ends.create();
    ends.fund(never, 42n);
    await ends.end(never, 'cancel');
    await Promise.allSettled([ends.work(), ends.returnAll(never), ends.work()]);
    await ends.finish();
    expect(ends.paidBy(gig)).toEqual({ [TREASURY]: FEE, [BACK]: 700n });
    expect(ends.paidBy(never)).toEqual({ [BACK]: 42n });
  });
});

test('behavior: what is voided after the refund is nobody’s, and can be returned once', async () => {
  const gig = await settled();
  await ends.refund(gig);
  await ends.finish();
  await expect(ends.returnAll(gig)).rejects.toThrow('holds no ETH that could be returned');
  const tip = firstOf((await ends.store.pendingTips([ALICE])).tips);
  await voidTips(ends, { tipIds: [tip.id], reason: 'by mistake', actor: COMMAND_LINE });
  await expect(ends.award(gig, ALICE.platformUserId, 1n)).rejects.toMatchObject({ name: 'DomainError' });
  await ends.returnAll(gig);
  await expect(ends.returnAll(gig)).rejects.toThrow('holds no ETH that could be returned');
  await ends.finish();
  expect(ends.paidBy(gig)).toEqual({ [TREASURY]: FEE, [BACK]: REWARD });
  expect(ends.heldBy(gig.walletAddress)).toBe(0n);
});
