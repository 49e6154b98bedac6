import { type Gig, unawardedOf } from '../../domain/gigs/gig.ts';
import { type RefundStatus, refundDueAt, refundRecipient } from '../../domain/gigs/gig-end.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import type { ReadContext } from '../context.ts';
import type { RefundReads } from '../gigs/context.ts';
import { findRefundWait } from './plan-refund.ts';

/** The refunds and returns of a gig, newest first. */
export async function findMoneyBack({ store }: ReadContext, gigId: number): Promise<Payment[]> {
  const payments = await store.otherPaymentsOfGig(gigId);
  return payments.filter(({ kind }) => kind === 'refund' || kind === 'return').toReversed();
}

/** How the refund of a gig stands; only the ledger is read. */
export async function findRefund(
  { store, refundDelayMs: delayMs }: RefundReads,
  gig: Gig,
  now: number,
): Promise<RefundStatus> {
  return {
    recipient: refundRecipient(gig),
    dueAt: refundDueAt(gig, delayMs),
    delayMs,
    left: gig.status === 'live' ? unawardedOf(gig) : 0n,
    wait: gig.refundedAt === null ? await findRefundWait(store, gig, { now, delayMs }) : null,
    payments: await findMoneyBack({ store }, gig.id),
  };
}
