import { DomainError, invalidRequest } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import { type RefundStatus, refundRecipient } from '../../domain/gigs/gig-end.ts';
import type { Address } from '../../domain/gigs/token.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { reconcileGig, whyUnproved } from '../audits/reconcile.ts';
import { commandGig } from '../gigs/command-gig.ts';
import { findGigPayments } from '../gigs/tips/find-gig-payments.ts';
import { retryPayment } from '../payments/retry-payment.ts';
import type { HandReturnContext } from './context.ts';
import { findMoneyBack, findRefund } from './find-refund.ts';
import { nameRefundAddress, requireNameable, requireSafeRecipient } from './name-refund-address.ts';
import { planRefund, type RefundOutcome } from './plan-refund.ts';
import { findReturnable, type Returnable, returnMoney } from './return-money.ts';

export interface HandRefund {
  readonly gigId: number;
  /** Where to: it is named for the gig, or replaces the recipient of a payment that failed, or of a return. */
  readonly to?: Address | undefined;
  /** Returns what the wallet holds of this token besides what the ledger needs. */
  readonly tokenAddress?: Address | undefined;
  /** Returns what the wallet holds of the gig's own token besides what the ledger needs. */
  readonly isSurplus: boolean;
}

/** What would be done, and why it cannot be. */
export interface RefundPreview {
  readonly gig: Gig;
  readonly standing: RefundStatus;
  /** Why a refund that is due is not proved; null when it is, and while it waits for something else. */
  readonly unproved: string | null;
  /** Base units of tips that are awarded and not paid. */
  readonly pending: bigint;
  /** The refund or return that failed and would be planned again; null when there is none. */
  readonly failed: Payment | null;
  /** What would be returned besides a refund, why nothing can be, or null when nothing is to be. */
  readonly returnable: Returnable | { readonly problem: string } | null;
}

export type HandOutcome =
  | RefundOutcome
  /** A payment that failed is planned again. */
  | { readonly kind: 'again'; readonly payment: Payment; readonly failed: Payment }
  | { readonly kind: 'returned'; readonly payment: Payment };

function isReturn({ cancelledAt }: Gig, { isSurplus, tokenAddress }: HandRefund): boolean {
  return cancelledAt !== null || isSurplus || tokenAddress !== undefined;
}

/**
 * The payment that would be planned again when nothing else is asked for: the refund when it failed, else the last one when
 * that failed. Before the refund of a started gig was planned there is none: a return that failed must not stand in its way.
 */
async function findFailed({ store }: HandReturnContext, gig: Gig, request: HandRefund): Promise<Payment | null> {
  if (request.isSurplus || request.tokenAddress !== undefined) return null;
  if (gig.cancelledAt === null && gig.refundedAt === null) return null;
  const payments = await findMoneyBack({ store }, gig.id);
  const refunds = payments.filter(({ kind }) => kind === 'refund');
  const isRefundOpen = refunds.every(({ state }) => state === 'failed');
  const [last] = isRefundOpen && refunds.length > 0 ? refunds : payments;
  return last?.state === 'failed' ? last : null;
}

async function tryReturnable(deps: HandReturnContext, request: HandRefund): Promise<RefundPreview['returnable']> {
  try {
    return await findReturnable(deps, { ...request, actor: deps.actor });
  } catch (error) {
    if (error instanceof DomainError && error.refusal.code === 'invalid_request') return { problem: error.message };
    throw error;
  }
}

async function findUnproved(deps: HandReturnContext, gig: Gig, { wait }: RefundStatus): Promise<string | null> {
  if (gig.refundedAt !== null || wait !== null) return null;
  return whyUnproved(await reconcileGig(deps, gig.id));
}

/**
 * What {@link refundByHand} would do; it plans nothing. The amount of a return, and whether a refund that is due is proved,
 * is read from the chain, and what the wallet has paid is taken into the ledger by that.
 * @throws DomainError as {@link commandGig}, or `invalid_request` when money would be lost at `to`
 * @throws AdapterError when the chain does not answer
 */
export async function previewRefund(deps: HandReturnContext, request: HandRefund): Promise<RefundPreview> {
  const { store, clock, actor } = deps;
  const { gigId, to } = request;
  const gig = await commandGig(store, { gigId, actor, act: 'refund' });
  if (to !== undefined) await requireSafeRecipient(deps, { chainId: gig.token.chainId, recipient: to });
  const failed = await findFailed(deps, gig, request);
  const isNamed = to !== undefined && to !== refundRecipient(gig) && failed === null && !isReturn(gig, request);
  if (isNamed) requireNameable(gig);
  const named = isNamed ? { ...gig, refundTo: to } : gig;
  const standing = await findRefund(deps, named, clock());
  return {
    gig,
    standing,
    unproved: await findUnproved(deps, named, standing),
    pending: gig.status === 'live' ? (await findGigPayments({ store }, { gig })).waiting : 0n,
    failed,
    returnable: failed === null && isReturn(gig, request) ? await tryReturnable(deps, request) : null,
  };
}

async function planAgain(deps: HandReturnContext, failed: Payment, { to }: HandRefund): Promise<HandOutcome> {
  if (to !== undefined) await requireSafeRecipient(deps, { chainId: failed.chainId, recipient: to });
  const retry = { store: deps.store, clock: deps.clock, treasury: null };
  const payment = await retryPayment(retry, { paymentId: failed.id, actor: deps.actor, to });
  if (payment !== null) return { kind: 'again', payment, failed };
  throw invalidRequest(`Payment ${failed.id} was planned again meanwhile; see payment list --gig ${failed.gigId}.`);
}

/**
 * Returns money of a gig for an operator: names where to, plans the refund when it is due, also when the ledger has lost
 * tips, plans a return, or plans again what failed.
 * @throws DomainError as {@link nameRefundAddress} and {@link returnMoney}
 * @throws AdapterError when the chain does not answer
 */
export async function refundByHand(deps: HandReturnContext, request: HandRefund): Promise<HandOutcome> {
  const { actor } = deps;
  const { gigId, to } = request;
  const gig = await commandGig(deps.store, { gigId, actor, act: 'refund' });
  const failed = await findFailed(deps, gig, request);
  if (failed !== null) return await planAgain(deps, failed, request);
  if (isReturn(gig, request)) {
    // A cancelled gig keeps the address: the job that returns what it holds goes by it.
    if (to !== undefined && gig.refundAddress === null && gig.cancelledAt !== null) {
      await nameRefundAddress(deps, { gigId, to, actor });
    }
    return { kind: 'returned', payment: await returnMoney(deps, { ...request, actor, isApproved: true }) };
  }
  if (to !== undefined) await nameRefundAddress(deps, { gigId, to, actor });
  const reconcile = (id: number) => reconcileGig(deps, id);
  return await planRefund({ ...deps, reconcile }, { gigId, actor, isApproved: true });
}
