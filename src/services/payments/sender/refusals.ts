import { type NewEvent, paymentEvent } from '../../../domain/events/event.ts';
import { inGigOrder } from '../../../domain/gigs/gig.ts';
import { type PaymentCandidate, TANK_IS_LOW } from '../../../domain/payments/payment.ts';
import type { Delay } from '../../../domain/payments/payment-limits.ts';
import { REASON } from '../../../domain/payments/reasons.ts';
import { hasPassed } from '../../../domain/time.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import { type Facts, fieldsOf, type PaymentContext } from './context.ts';

/** Why a planned payment waits. */
export interface Wait extends Delay {
  readonly payment: PaymentCandidate;
}

/** See {@link PaymentRefused}. */
interface Refusal {
  readonly message: string;
  readonly blockNumber: bigint | null;
  readonly isBare: boolean;
  readonly isPaid?: boolean;
}

/** A payment whose simulation was refused. */
export interface Refused {
  readonly payment: PaymentCandidate;
  readonly refusal: Refusal;
}

/** What keeps payments from being sent. */
export interface Findings {
  readonly waits: Wait[];
  readonly refused: Refused[];
  /** Those that fail permanently. */
  readonly failed: { readonly payment: PaymentCandidate; readonly reason: string }[];
  /** Those with a number that is marked already. */
  readonly marked: PaymentCandidate[];
}

/** How many waiting payments get the reason of a whole chain at once. */
export const TOLD_AT_ONCE = 500;

const NODE_LAGS = `${REASON.nodeLags} lags behind what the ledger knows of the chain`;

/** Has payments wait for the same. */
export function waitAll(payments: readonly PaymentCandidate[], delay: Delay): Wait[] {
  return payments.map((payment) => ({ ...delay, payment }));
}

/** Notes what payments wait for, and says it once for each. */
export async function noteWaits(deps: PaymentContext, waits: readonly Wait[]): Promise<void> {
  if (waits.length === 0) return;
  const now = deps.clock();
  const note = async (tx: StoreTx) => {
    for (const { payment, reason, waitMs } of waits) {
      await tx.notePayment(payment.id, { reason, dueAt: now + waitMs, now });
    }
  };
  await deps.store.transaction(note, { narrow: true });
  const told = waits.filter(({ payment, reason }) => payment.reason !== reason);
  for (const { payment, reason, isCalm } of told) {
    deps.log[isCalm ? 'info' : 'warn']({ ...fieldsOf(payment), reason }, 'payment waits');
  }
  const dry = told.filter(({ reason }) => reason === TANK_IS_LOW).map(({ payment }) => payment.chainId);
  for (const chainId of new Set(dry)) deps.tankIsLow?.(chainId);
}

/** Fails planned payments permanently: their tips can be claimed again. */
async function failPayments(deps: PaymentContext, failed: Findings['failed']): Promise<void> {
  if (failed.length === 0) return;
  const now = deps.clock();
  await deps.store.transaction(async (tx) => {
    const inOrder = failed.toSorted((a, b) => inGigOrder(a.payment, b.payment));
    const told: NewEvent[] = [];
    for (const { payment, reason } of inOrder) {
      const hasFailed = await tx.failPayment(payment.id, { reason, now });
      if (hasFailed) told.push(paymentEvent(payment, { type: 'payment.failed', reason }, now));
    }
    await tx.insertEvents(told);
  });
  for (const { payment, reason } of failed) deps.log.error({ ...fieldsOf(payment), reason }, 'payment failed');
}

/**
 * What to do about a refused simulation: the payment fails when it is refused for all of `refusedMs` or
 * `barelyRefusedMs`; a mark never does, because its gig waits for it. A refusal from a node behind the settled block does
 * not count.
 * @returns what it waits for; null when it is to fail; `as_before` when it waits for what it waited for, since then
 */
function judgeRefusal(
  { timing, clock }: PaymentContext,
  { settled }: Facts,
  { payment, refusal }: Refused,
): Wait | 'as_before' | null {
  if (refusal.blockNumber !== null && refusal.blockNumber < settled.number) {
    return { payment, reason: NODE_LAGS, isCalm: false, waitMs: timing.lookMs };
  }
  const ms = refusal.isBare ? timing.barelyRefusedMs : timing.refusedMs;
  const wasRefused = payment.reason?.startsWith(REASON.triedAgain) ?? false;
  const lasts = ms === 0 || (wasRefused && hasPassed(ms, { since: payment.updatedAt, now: clock() }));
  if (lasts && payment.kind !== 'mark') return null;
  if (wasRefused && !lasts) return 'as_before';
  return {
    payment,
    reason: `${REASON.triedAgain}${refusal.message}`,
    isCalm: false,
    waitMs: Math.max(ms, timing.lookMs),
  };
}

/** Has payments wait, or fail when they are refused for long, and adds that to what was found. */
export async function conclude(deps: PaymentContext, facts: Facts, found: Findings): Promise<void> {
  const { waits, refused, failed } = found;
  for (const each of refused) {
    const wait = judgeRefusal(deps, facts, each);
    if (wait === null) failed.push({ payment: each.payment, reason: each.refusal.message });
    else if (wait !== 'as_before') waits.push(wait);
  }
  await noteWaits(deps, waits);
  await failPayments(deps, failed);
}
