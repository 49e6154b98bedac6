import { describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import { FIRST_RETURN_NUMBER, type Payment, REFUND_NUMBER } from '../../../src/domain/payments/payment.ts';
import { type HandRefund, previewRefund, refundByHand } from '../../../src/services/ends/refund-by-hand.ts';
import { createReturnJob } from '../../../src/services/ends/return-cancelled.ts';
import { firstOf } from '../../support/first-of.ts';
import { perCase } from '../../support/per-case.ts';
import { samplePayment, seedAddress, seedFee, seedToken } from '../../support/store.ts';
import { ALICE, BOB } from '../cashier.ts';
import { keepSteps } from '../fakes.ts';
import { addressOf, TREASURY } from '../payments/sender/bank.ts';
import { BACK, DAY, FEE, HOUR, openEnds, REWARD } from './world.ts';

const OTHER = seedAddress(0xbad);

const ends = perCase(openEnds);

async function settle(gig: Gig): Promise<void> {
  for (const ending of ['stop', 'settle'] as const) await ends.end(gig, ending);
  ends.advance(72 * HOUR);
}

const byHand = (gig: Gig, request: Partial<HandRefund> = {}) =>
  refundByHand({ ...ends.returning, refundDelayMs: 72 * HOUR }, { gigId: gig.id, isSurplus: false, ...request });
const preview = (gig: Gig, request: Partial<HandRefund> = {}) =>
  previewRefund({ ...ends.returning, refundDelayMs: 72 * HOUR }, { gigId: gig.id, isSurplus: false, ...request });
const fail = ({ id }: Payment) =>
  ends.store.transaction((tx) => tx.failPayment(id, { reason: 'blocked', now: ends.clock() }));

describe('a return of a gig that was rebuilt from its chain', () => {
  /** Takes what a wallet has paid into the ledger as a rebuild does, which knows of what went back by its numbers alone. */
  async function keepAsRebuilt(gig: Gig, number: bigint): Promise<void> {
    const { hash, blockNumber } = firstOf(ends.model.paid().filter(({ numbers }) => numbers.includes(number)));
    const payment = { ...samplePayment(gig, { kind: 'mark', amount: 0n, recipient: BACK }), numbers: [number] };
    const how = { hash, blockNumber, gasUsed: 0n, tipIds: [], now: ends.clock() };
    await ends.store.transaction((tx) => tx.adoptPayment(payment, how));
  }

  test('error: takes no number that its wallet has used, with which it would wait for ever', async () => {
    const gig = await ends.started();
    const copy = await ends.bank.copy();
    ends.fund(gig, 5n);
    await ends.returnAll(gig);
    await ends.finish();
    await ends.bank.restore(copy);
    await keepAsRebuilt(gig, FIRST_RETURN_NUMBER);
    ends.fund(gig, 7n);
    expect(await ends.returnAll(gig)).toMatchObject({ place: 1, amount: 7n });
    await ends.finish();
    expect(ends.paidBy(gig)).toEqual({ [TREASURY]: FEE, [BACK]: 12n });
    expect(ends.heldBy(gig.walletAddress)).toBe(REWARD);
  });

  test('error: that stands for its refund takes none either', async () => {
    const gig = await ends.started();
    const copy = await ends.bank.copy();
    ends.fund(gig, 5n);
    await ends.returnAll(gig);
    await settle(gig);
    await ends.refund(gig);
    await ends.finish();
    await ends.bank.restore(copy);
    for (const number of [FIRST_RETURN_NUMBER, REFUND_NUMBER]) await keepAsRebuilt(gig, number);
    ends.fund(gig);
    await ends.end(gig, 'settle');
    ends.advance(72 * HOUR);
    expect(await ends.refund(gig)).toMatchObject({ kind: 'planned', payment: { kind: 'return', place: 1 } });
    await ends.finish();
    expect(ends.paidBy(gig)).toEqual({ [TREASURY]: FEE, [BACK]: 5n + 2n * REWARD });
  });
});

describe('a second return of a surplus', () => {
  test('security: during the first one finds nothing', async () => {
    const gig = await ends.started();
    ends.fund(gig, 100n);
    await ends.returnAll(gig);
    for (let blocks = 0; blocks < 6; blocks += 1) {
      await expect(ends.returnAll(gig)).rejects.toThrow();
      await ends.pass(1);
    }
    await ends.finish();
    await expect(ends.returnAll(gig)).rejects.toThrow('holds no ETH');
    expect(ends.paidBy(gig)).toEqual({ [TREASURY]: FEE, [BACK]: 100n });
  });

  test('security: that was planned all the same is seen by the audit, and not paid out of the reward', async () => {
    const gig = await ends.started();
    ends.fund(gig, 100n);
    await ends.returnAll(gig);
    await seedFee(ends.store, gig, { kind: 'return', place: 1, amount: 100n, recipient: BACK }, ends.clock());
    const [found] = await ends.reconcile(gig);
    expect(found).toMatchObject({ change: 'frozen', audit: { held: REWARD + 100n, expected: REWARD + 200n } });
    await ends.pass(8);
    expect(ends.heldBy(gig.walletAddress)).toBe(REWARD + 100n);
  });
});

describe('after an older ledger was put back, in which tips are lost', () => {
  /** Two gigs, of which the first has paid a tip and the second owes one; the ledger is one from before both tips. */
  async function loseTips(copyAfterStart: boolean): Promise<readonly [Gig, Gig]> {
    const paid = await ends.started();
    const owing = await ends.create({ feeAmount: 0n });
    ends.fund(owing, REWARD);
    const before = await ends.bank.copy();
    await ends.begin(owing);
    await ends.finish();
    const copy = copyAfterStart ? await ends.bank.copy() : before;
    await ends.award(owing, BOB.platformUserId, 400n);
    await ends.award(paid, ALICE.platformUserId, 300n);
    await ends.bank.claim(ALICE);
    await ends.finish();
    if (copyAfterStart) {
      await settle(owing);
      await ends.workAndFinish();
    }
    await ends.bank.restore(copy);
    await ends.reconcile(paid);
    expect(ends.paidBy(paid)).toEqual({ [TREASURY]: FEE, [addressOf(ALICE)]: 300n });
    return [paid, owing];
  }

  const WHY = 'The ledger has lost tips of the time of gig 2, to which what it holds may be owed.';

  test('security: what a cancelled gig holds stays until an operator says that none are owed', async () => {
    const [, owing] = await loseTips(false);
    await ends.end(owing, 'cancel');
    await ends.workAndFinish();
    expect(ends.heldBy(owing.walletAddress)).toBe(REWARD);
    await expect(ends.returnAll(owing)).rejects.toThrow(WHY);
    expect((await preview(owing)).returnable).toEqual({ problem: WHY });
    await byHand(owing);
    await ends.finish();
    expect(ends.paidBy(owing)).toEqual({ [BACK]: REWARD });
  });

  test('security: what is left of a refunded gig is no surplus until then', async () => {
    const [, owing] = await loseTips(true);
    await ends.reconcile(owing);
    expect(ends.paidBy(owing)).toEqual({ [BACK]: 600n });
    await expect(ends.returnAll(owing)).rejects.toThrow(WHY);
    expect((await preview(owing, { isSurplus: true })).returnable).toEqual({ problem: WHY });
    expect(await byHand(owing, { isSurplus: true, to: OTHER })).toMatchObject({
      payment: { amount: 400n, recipient: OTHER },
    });
  });

  test('behavior: a gig that was created after that is not affected', async () => {
    await loseTips(false);
    ends.advance(HOUR);
    const later = await ends.create({ createdAt: ends.clock() });
    ends.fund(later, 42n);
    await ends.end(later, 'cancel');
    await ends.workAndFinish();
    expect(ends.paidBy(later)).toEqual({ [BACK]: 42n });
  });
});

describe('a payment that failed', () => {
  test('error: as a return keeps no refund from being planned by hand', async () => {
    const gig = await ends.started({ refundAddress: null });
    ends.fund(gig, 5n);
    const returned = await byHand(gig, { isSurplus: true, to: OTHER });
    if (returned.kind !== 'returned') throw new Error(returned.kind);
    await fail(returned.payment);
    await settle(gig);
    expect(await preview(gig, { to: BACK })).toMatchObject({ failed: null, standing: { recipient: BACK } });
    expect(await byHand(gig, { to: BACK })).toMatchObject({ kind: 'planned', payment: { kind: 'refund' } });
    await ends.finish();
    expect(ends.paidBy(gig)).toEqual({ [TREASURY]: FEE, [BACK]: REWARD });
    await byHand(gig, { isSurplus: true });
    await ends.finish();
    expect(ends.heldBy(gig.walletAddress)).toBe(0n);
  });

  test('error: as a refund is planned again, also when a later return failed', async () => {
    const gig = await ends.started();
    await settle(gig);
    const refund = await byHand(gig);
    if (refund.kind !== 'planned') throw new Error(refund.kind);
    await fail(refund.payment);
    ends.fund(gig, 5n);
    await fail(await ends.returnAll(gig));
    expect(await byHand(gig, { to: OTHER })).toMatchObject({ kind: 'again', payment: { kind: 'refund' } });
    await ends.finish();
    expect(ends.paidBy(gig)).toEqual({ [TREASURY]: FEE, [OTHER]: REWARD });
    await byHand(gig, { isSurplus: true });
    await ends.finish();
    expect(ends.paidBy(gig)).toEqual({ [TREASURY]: FEE, [OTHER]: REWARD, [BACK]: 5n });
  });
});

test('security: a preview of a refund that is due says why it is not proved, and plans nothing', async () => {
  const gig = await ends.started();
  expect((await preview(gig)).unproved).toBeNull();
  await settle(gig);
  expect(await preview(gig)).toMatchObject({ unproved: null, failed: null, returnable: null, pending: 0n });
  ends.fund(gig, -1n);
  expect((await preview(gig)).unproved).toContain('are missing');
  ends.fund(gig, 1n);
  expect(await byHand(gig)).toMatchObject({ kind: 'planned' });
  ends.fund(gig, -1n);
  expect((await preview(gig)).unproved).toBeNull();
});

test('error: nothing is returned while the books cannot be compared with the chain', async () => {
  const gig = await ends.started();
  ends.fund(gig, 5n);
  ends.faults.isDown = true;
  await expect(ends.returnAll(gig)).rejects.toMatchObject({
    refusal: { code: 'invalid_request', message: expect.stringContaining(`books of gig ${gig.id} are not proved: `) },
  });
  ends.faults.isDown = false;
  expect(await ends.returnAll(gig)).toMatchObject({ kind: 'return', amount: 5n });
});

test('error: a clock that is set back keeps neither a refund nor a return waiting', async () => {
  const gig = await ends.started();
  await settle(gig);
  const never = await ends.create();
  await ends.end(never, 'cancel');
  const jobs = ends.newJobs();
  ends.advance(20 * DAY);
  ends.faults.isDown = true;
  await ends.work(jobs);
  ends.faults.isDown = false;
  ends.advance(-10 * DAY);
  ends.fund(never, 42n);
  await ends.work(jobs);
  await ends.finish();
  expect(ends.paidBy(gig)).toEqual({ [TREASURY]: FEE, [BACK]: REWARD });
  expect(ends.paidBy(never)).toEqual({ [BACK]: 42n });
});

test('security: cancelled gigs whose wallets are empty are asked for together, so that many cost few questions', async () => {
  const payer = ends.returning.payers.payer();
  const asked: string[] = [];
  const counting = new Proxy(payer, {
    get: (target, key, receiver) => {
      if (typeof Reflect.get(target, key, receiver) === 'function') asked.push(String(key));
      return Reflect.get(target, key, receiver);
    },
  });
  const { log } = ends.bank.deps;
  const deps = { ...ends.returning, payers: { payer: () => counting }, ...keepSteps(), log, wake: () => undefined };
  for (let count = 0; count < 30; count += 1) await ends.end(await ends.create(), 'cancel');
  await createReturnJob(deps)();
  expect(asked).toEqual(['decide', 'head', 'balances', 'delegated']);
  const holding = await ends.create();
  ends.fund(holding, 42n);
  await ends.end(holding, 'cancel');
  await createReturnJob(deps)();
  await ends.finish();
  expect(ends.paidBy(holding)).toEqual({ [BACK]: 42n });
});

describe('another asset than the gig’s', () => {
  const WHY = 'holds as much POL as ETH: that may be one asset by two addresses, and the gig owes it.';

  async function otherToken(decimals: number): Promise<Address> {
    const token = { address: seedAddress(0x1010), symbol: 'POL', name: 'Polygon', chainId: ends.model.chain.id };
    return (await seedToken(ends.store, { ...token, decimals })).address;
  }

  test('security: is not returned where it is the native asset by another address', async () => {
    const gig = await ends.started();
    const tokenAddress = await otherToken(18);
    ends.aliases.set(tokenAddress, 1n);
    await expect(byHand(gig, { tokenAddress })).rejects.toThrow(WHY);
    expect(await preview(gig, { tokenAddress })).toMatchObject({
      returnable: { problem: `The wallet of gig 1 ${WHY}` },
    });
    expect(await ends.store.payments({ limit: 9 })).toMatchObject([{ kind: 'fee' }]);
  });

  test('security: is not returned where it shows fewer decimals of the native asset', async () => {
    const gig = await ends.create({ rewardAmount: 5n * 10n ** 12n });
    ends.fund(gig, 5n * 10n ** 12n + FEE);
    await ends.begin(gig);
    const tokenAddress = await otherToken(6);
    ends.aliases.set(tokenAddress, 10n ** 12n);
    await expect(byHand(gig, { tokenAddress })).rejects.toThrow(WHY);
  });

  test('behavior: is returned where the wallet holds another amount of it', async () => {
    const gig = await ends.started();
    const tokenAddress = await otherToken(18);
    ends.aliases.set(tokenAddress, 3n);
    const payment = { kind: 'return', amount: 333n, recipient: BACK };
    expect(await byHand(gig, { tokenAddress })).toMatchObject({ kind: 'returned', payment });
  });
});
