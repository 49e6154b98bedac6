import type { Actor } from '../../domain/actor.ts';
import { DomainError } from '../../domain/errors.ts';
import { isSameReturn } from '../../domain/gig-end.ts';
import type { Payment } from '../../domain/payment.ts';
import type { Address } from '../../domain/token.ts';
import type { Store, StoreTx } from '../../store/port/index.ts';
import { planPayoutAgain } from '../claims/claim-rewards.ts';
import { recordEvent } from '../operators/audit-events.ts';

export interface RetryDeps {
  readonly store: Pick<Store, 'transaction'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Where fees go now; null to use the failed fee's recipient. */
  readonly treasury: Address | null;
}

function refuse(message: string): DomainError {
  return new DomainError({ code: 'invalid_request', message });
}

/** How many failed fees are checked. */
const LISTED = 100;

function counts({ kind, state }: Payment): boolean {
  return kind === 'fee' && state !== 'failed';
}

/** Failed fees that were not planned again, newest first, among the last hundred that failed. */
export async function unpaidFees({ store }: { store: Pick<Store, 'payments' | 'paymentsOfGig'> }) {
  const failed = await store.payments({ kind: 'fee', state: 'failed', limit: LISTED });
  const newest = failed.filter(({ gigId }, index) => failed.findIndex((other) => other.gigId === gigId) === index);
  const unpaid = await Promise.all(
    newest.map(async (fee) => ((await store.paymentsOfGig(fee.gigId)).some(counts) ? [] : [fee])),
  );
  return unpaid.flat();
}

/** Plans no second fee: a gig pays its fee once. */
async function planFeeAgain(tx: StoreTx, failed: Payment, treasury: Address | null, now: number): Promise<Payment[]> {
  const others = await tx.paymentsOfGig(failed.gigId);
  if (others.some(counts)) return [];
  const { kind, chainId, gigId, claimId, token, recipient, amount } = failed;
  const fee = { kind, chainId, gigId, claimId, tokenId: token.id, recipient: treasury ?? recipient, amount };
  return [await tx.planPayment(fee, { now, tipIds: [] })];
}

/** Whether a payment that has not failed is the same refund or return, or a later return of the same asset. */
export function replaces(other: Payment, failed: Payment): boolean {
  return other.state !== 'failed' && isSameReturn(other, failed);
}

/** Plans a refund or return under its own number. A later return may have taken what this one would, so none is added. */
async function planReturnAgain(tx: StoreTx, failed: Payment, to: Address | undefined, now: number): Promise<Payment[]> {
  const others = await tx.paymentsOfGig(failed.gigId);
  if (others.some((other) => replaces(other, failed))) return [];
  const { kind, place, chainId, gigId, claimId, token, amount } = failed;
  const shared = { kind, chainId, gigId, claimId, tokenId: token.id, recipient: to ?? failed.recipient, amount };
  return [await tx.planPayment(place === null ? shared : { ...shared, place }, { now, tipIds: [] })];
}

interface RetryRequest {
  readonly paymentId: number;
  readonly actor: Actor;
  /** Where a refund or return goes instead; the caller has to check that no money is lost there. */
  readonly to?: Address | undefined;
}

async function planAgain(
  tx: StoreTx,
  failed: Payment,
  { treasury, clock, to }: RetryDeps & Pick<RetryRequest, 'to'>,
): Promise<Payment[]> {
  const now = clock();
  if (failed.kind === 'refund' || failed.kind === 'return') return await planReturnAgain(tx, failed, to, now);
  if (failed.kind === 'fee') return await planFeeAgain(tx, failed, treasury, now);
  const claim = failed.claimId === null ? null : await tx.claim(failed.claimId);
  if (claim === null) throw refuse(`Payment ${failed.id} belongs to no claim; its tips can be claimed.`);
  return await planPayoutAgain(tx, claim, failed, now);
}

/**
 * Plans a failed payment again: a payout with those of its tips that were not claimed since, a fee to the treasury, a refund
 * or return with its number. What else its claim failed to pay by the same gig is planned with it.
 * @returns the new payment, or the first of several; null when nothing is left to pay, because it was claimed or planned
 * again meanwhile
 * @throws DomainError `invalid_request` when there is no such payment, it has not failed, or it is a payout without a claim
 */
export async function retryPayment(deps: RetryDeps, { paymentId, actor, to }: RetryRequest): Promise<Payment | null> {
  return await deps.store.transaction(async (tx) => {
    const payment = await tx.payment(paymentId);
    if (payment === null) throw refuse(`There is no payment ${paymentId}; see payment list.`);
    if (payment.state !== 'failed') {
      throw refuse(`Payment ${paymentId} is ${payment.state}; only one that failed can be retried.`);
    }
    const planned = await planAgain(tx, payment, { ...deps, to });
    const subject = { subject: 'payment', subjectId: String(paymentId), gigId: payment.gigId } as const;
    for (const { id, kind, amount, recipient } of planned) {
      const detail = { kind, amount, planned_id: id, ...(to === undefined ? {} : { recipient }) };
      await recordEvent(tx, { actor, now: deps.clock() }, { ...subject, action: 'payment.retry', detail });
    }
    return planned[0] ?? null;
  });
}
