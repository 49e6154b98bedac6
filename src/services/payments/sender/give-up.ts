import { aloneReason, readTrouble, troubleReason } from '../../../domain/chains/endpoint-trouble.ts';
import { type NewEvent, paymentEvent } from '../../../domain/events/event.ts';
import type { Objection, PayerChain } from '../../../domain/payments/payer-chain.ts';
import type { NumberedPayment } from '../../../domain/payments/payment.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import type { Facts, PaymentContext } from './context.ts';
import { type HeldTransaction, readHeld } from './ledger.ts';
import { fieldsOfTransaction } from './offer.ts';
import { send } from './send.ts';

const GAP = 'an earlier transaction of the gas tank is gone from the chain; it is sent again in its place';
/** What is refused alone is tried again after this part of the time since it was planned. */
const PART = 4;

interface Way {
  next(payment: NumberedPayment, now: number): { readonly reason: string; readonly dueAt: number };
  readonly message: string;
  /** Whether they fail permanently. */
  readonly fails?: boolean;
}

/**
 * Ends a transaction that is given up, and plans its payments again, or has them fail. Should its bytes be included after
 * all, each number is still paid once.
 */
async function giveUp(
  deps: PaymentContext,
  transaction: HeldTransaction,
  { next, message, fails = false }: Way,
): Promise<void> {
  const now = deps.clock();
  const { held, id: transactionId } = transaction;
  const missed = held.map((payment) => {
    return { payment, id: payment.id, ...next(payment, now), hasFailed: false, gasUsed: 0n };
  });
  await deps.store.transaction(async (tx) => {
    const planned = await tx.replanPayments(missed, { transactionId, now });
    const told: NewEvent[] = [];
    for (const { payment, id, reason } of missed) {
      const hasFailed = fails && planned.includes(id) && (await tx.failPayment(id, { reason, now }));
      if (hasFailed) told.push(paymentEvent(payment, { type: 'payment.failed', reason }, now));
    }
    await tx.insertEvents(told);
    await tx.endTankTransaction(transactionId);
  });
  const fields = { ...fieldsOfTransaction(transaction), payments: held.length, reason: missed[0]?.reason };
  deps.log[fails ? 'error' : 'warn'](fields, message);
}

/** Gives up a transaction that waits for a nonce which nobody spends any more. */
export async function release(deps: PaymentContext, transaction: HeldTransaction): Promise<void> {
  const message = 'transaction waits for a nonce that is gone; its payments are planned again';
  await giveUp(deps, transaction, { message, next: (_, now) => ({ reason: GAP, dueAt: now }) });
}

function pauseOf({ createdAt }: NumberedPayment, { now, leastMs }: { now: number; leastMs: number }): number {
  return Math.min(Math.max((now - createdAt) / PART, leastMs), HOUR_MS);
}

function wayOfOne({ timing }: PaymentContext, { kind, reason }: NumberedPayment, objection: Objection): Way {
  const words = readTrouble(reason)?.words ?? '';
  if (objection === 'too_large' && kind !== 'mark') {
    const why = troubleReason(objection, words);
    const message = 'payment failed: the endpoint finds its transaction too large';
    return { message, fails: true, next: (_, now) => ({ reason: why, dueAt: now }) };
  }
  const message = 'transaction refused; its payment is planned again';
  if (objection === 'not_now' || objection === 'too_cheap') {
    // It is not the payment that the endpoint objects to.
    const why = troubleReason(objection, words);
    return { message, next: (_, now) => ({ reason: why, dueAt: now + timing.lookMs }) };
  }
  const pause = (payment: NumberedPayment, now: number) => pauseOf(payment, { now, leastMs: timing.raiseMs });
  return { message, next: (payment, now) => ({ reason: aloneReason(words), dueAt: now + pause(payment, now) }) };
}

/**
 * Gives up a transaction that the endpoint refuses.
 * @returns how many payments may share the next one: half as many; 0 when there is nothing to be sent at once
 */
async function giveUpRefused(deps: PaymentContext, transaction: HeldTransaction): Promise<number> {
  const { held, objection } = transaction;
  const [only, ...others] = held;
  if (only !== undefined && others.length === 0) {
    await giveUp(deps, transaction, wayOfOne(deps, only, objection ?? 'other'));
    return 0;
  }
  const message = 'transaction refused; fewer of its payments are sent at a time';
  // They stay before what was planned later, or the one that is refused would never be alone while others come.
  const next: Way['next'] = ({ reason, dueAt }, now) => ({ reason: reason ?? GAP, dueAt: Math.min(dueAt, now) });
  await giveUp(deps, transaction, { message, next });
  return Math.floor(held.length / 2);
}

/**
 * Sends fewer of the payments of a transaction that the endpoint refuses under the same nonce, and halves their number
 * until it takes one; the one that is refused alone fails if it is too large, or is left aside.
 */
export async function shrink(
  deps: PaymentContext,
  payer: PayerChain,
  { facts, transaction }: { facts: Facts; transaction: HeldTransaction },
): Promise<void> {
  let refused = transaction;
  for (;;) {
    const most = await giveUpRefused(deps, refused);
    if (most === 0) return;
    const sent = await send(deps, payer, { facts, nonce: facts.spentNonces, most });
    if (sent.refused === null) return;
    refused = await readHeld(deps.store, sent.refused);
  }
}
