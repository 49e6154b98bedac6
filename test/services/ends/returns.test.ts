import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gig.ts';
import type { Payment } from '../../../src/domain/payment.ts';
import { type HandRefund, previewRefund, refundByHand } from '../../../src/services/ends/refund-by-hand.ts';
import { seedAddress } from '../../support/store.ts';
import { TREASURY } from '../payments/sender/bank.ts';
import { BACK, type Ends, FEE, HOUR, openEnds, REWARD } from './world.ts';

const OTHER = seedAddress(0xbad);

let ends: Ends;
beforeEach(async () => {
  ends = await openEnds();
});
afterEach(() => ends.close());

async function start(gig: Gig): Promise<Gig> {
  await ends.start(gig);
  await ends.pass(4);
  await ends.store.transaction((tx) => tx.markFundingChecked(gig.id));
  await ends.finish();
  return gig;
}

async function started(seed: Parameters<Ends['create']>[0] = {}): Promise<Gig> {
  const gig = await ends.create(seed);
  ends.fund(gig);
  return await start(gig);
}

async function settle(gig: Gig): Promise<void> {
  await ends.end(gig, 'stop');
  await ends.end(gig, 'settle');
  ends.advance(72 * HOUR);
}

const byHand = (gig: Gig, request: Partial<HandRefund> = {}) =>
  refundByHand({ ...ends.returning, delayMs: 72 * HOUR }, { gigId: gig.id, isSurplus: false, ...request });
const preview = (gig: Gig, request: Partial<HandRefund> = {}) =>
  previewRefund({ ...ends.returning, delayMs: 72 * HOUR }, { gigId: gig.id, isSurplus: false, ...request });
const fail = ({ id }: Payment) =>
  ends.store.transaction((tx) => tx.failPayment(id, { reason: 'blocked', now: ends.clock() }));

describe('a payment that failed', () => {
  test('error: as a return keeps no refund from being planned by hand', async () => {
    const gig = await started({ refundAddress: null });
    ends.fund(gig, 5n);
    const { payment } = await byHand(gig, { isSurplus: true, to: OTHER }).then((outcome) => {
      if (outcome.kind !== 'returned') throw new Error(outcome.kind);
      return outcome;
    });
    await fail(payment);
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
    const gig = await started();
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
