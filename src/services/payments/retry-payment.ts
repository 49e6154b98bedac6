import { DomainError } from '../../domain/errors.ts';
import { isSameReturn } from '../../domain/gigs/gig-end.ts';
import type { Address } from '../../domain/gigs/token.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import type { StoreTx } from '../../store/port/index.ts';
import { planPayoutAgain } from '../claims/claim-rewards.ts';
import type { ReadContext, ServiceContext } from '../context.ts';
import { type Commanded, commandGig } from '../gigs/command-gig.ts';
import { recordEvent } from '../operators/audit-events.ts';

function refuse(message: string): DomainError {
  return new DomainError({ code: 'invalid_request', message });
}

/** How many failed fees are checked. */
const LISTED = 100;

function counts({ kind, state }: Payment): boolean {
  return kind === 'fee' && state !== 'failed';
}

/** Failed fees that were not planned again, newest first, among the last hundred that failed. */
export async function unpaidFees({ store }: ReadContext) {
  const failed = await store.payments({ kind: 'fee', state: 'failed', limit: LISTED });
  const newest = failed.filter(({ gigId }, index) => failed.findIndex((other) => other.gigId === gigId) === index);
  const unpaid = await Promise.all(
    newest.map(async (fee) => ((await store.otherPaymentsOfGig(fee.gigId)).some(counts) ? [] : [fee])),
  );
  return unpaid.flat();
}

interface Again {
  /** Where a fee goes; null to use the failed one's recipient. */
  readonly treasury: Address | null;
  /** Where a refund or return goes instead. */
  readonly to: Address | undefined;
  readonly now: number;
}

/** A gig pays its fee once, so no second fee is planned. */
async function planFeeAgain(tx: StoreTx, { id: gigId }: Commanded, failed: Payment, again: Again): Promise<Payment[]> {
  const { treasury, now } = again;
  if ((await tx.otherPaymentsOfGig(gigId)).some(counts)) return [];
  const { kind, chainId, claimId, token, recipient, amount } = failed;
  const fee = { kind, chainId, gigId, claimId, tokenId: token.id, recipient: treasury ?? recipient, amount };
  return [await tx.planPayment(fee, { now, tipIds: [] })];
}

/** Whether a payment that has not failed is the same refund or return, or a later return of the same asset. */
export function replaces(other: Payment, failed: Payment): boolean {
  return other.state !== 'failed' && isSameReturn(other, failed);
}

/** Under its own number. A later return may have taken what this one would, so none is added. */
async function planReturnAgain(
  tx: StoreTx,
  { id: gigId }: Commanded,
  failed: Payment,
  { to, now }: Again,
): Promise<Payment[]> {
  const others = await tx.otherPaymentsOfGig(gigId);
  if (others.some((other) => replaces(other, failed))) return [];
  const { kind, place, chainId, claimId, token, amount } = failed;
  const recipient = to ?? failed.recipient;
  const again = { kind, place, chainId, gigId, claimId, tokenId: token.id, recipient, amount };
  return [await tx.planPayment(again, { now, tipIds: [] })];
}

interface RetryRequest {
  readonly paymentId: number;
  readonly actor: Actor;
  /** Where a refund or return goes instead; the caller has to check that no money is lost there. */
  readonly to?: Address | undefined;
}

async function planAgain(tx: StoreTx, gig: Commanded, failed: Payment, again: Again): Promise<Payment[]> {
  if (failed.kind === 'refund' || failed.kind === 'return') return await planReturnAgain(tx, gig, failed, again);
  if (failed.kind === 'fee') return await planFeeAgain(tx, gig, failed, again);
  const claim = failed.claimId === null ? null : await tx.claim(failed.claimId);
  if (claim === null) throw refuse(`Payment ${failed.id} belongs to no claim; its tips can be claimed.`);
  return await planPayoutAgain(tx, claim, failed, again.now);
}

/**
 * Plans a failed payment again: a payout with those of its tips that were not claimed since, a fee to the treasury, a refund
 * or return with its number. Other failed payments of its claim by the same gig are planned with it.
 * @returns the new payment, or the first of several; null when nothing is left to pay, because it was claimed or planned
 * again meanwhile
 * @throws DomainError as {@link commandGig}, or `invalid_request` when there is no such payment, it has not failed, or it is a
 * payout without a claim
 */
export async function retryPayment(
  deps: ServiceContext & { readonly treasury: Address | null },
  { paymentId, actor, to }: RetryRequest,
): Promise<Payment | null> {
  return await deps.store.transaction(async (tx) => {
    const payment = await tx.payment(paymentId);
    if (payment === null) throw refuse(`There is no payment ${paymentId}; see payment list.`);
    const gig = await commandGig(tx, { gigId: payment.gigId, actor, act: 'retryPayments' });
    if (payment.state !== 'failed') {
      throw refuse(`Payment ${paymentId} is ${payment.state}; only one that failed can be retried.`);
    }
    const now = deps.clock();
    const planned = await planAgain(tx, gig, payment, { treasury: deps.treasury, to, now });
    const subject = { subject: 'payment', subjectId: String(paymentId), gigId: payment.gigId } as const;
    for (const { id, kind, amount, recipient } of planned) {
      const detail = { kind, amount, planned_id: id, ...(to === undefined ? {} : { recipient }) };
      await recordEvent(tx, { actor, now }, { ...subject, action: 'payment.retry', detail });
    }
    return planned[0] ?? null;
  });
}
