import { aloneReason, readTrouble, troubleReason } from '../../../domain/chains/endpoint-trouble.ts';
import { paymentEvent } from '../../../domain/events/event.ts';
import type { Objection, PayerChain } from '../../../domain/payments/payer-chain.ts';
import type { NumberedPayment } from '../../../domain/payments/payment.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import { type Facts, fieldsOf, type PaymentContext } from './context.ts';
import { type HeldTransaction, readHeld } from './ledger.ts';
import { fieldsOfTransaction } from './offer.ts';
import { send } from './send.ts';

const GAP = 'an earlier transaction of the gas tank is gone from the chain; it is sent again in its place';
/** What is refused alone is tried again after this part of the time since it was planned. */
const PART = 4;

interface Next {
  readonly reason: string;
  readonly dueAt: number;
  /** Whether it fails permanently. */
  readonly fails?: boolean;
}

/** What becomes of a payment, and what the log says of its transaction. */
interface Way {
  next(payment: NumberedPayment, now: number): Next;
  readonly message: string;
}

/**
 * Ends a transaction that is given up, and plans its payments again, or has them fail. Should its bytes be included after
 * all, each number is still paid once.
 */
async function giveUp(deps: PaymentContext, transaction: HeldTransaction, { next, message }: Way): Promise<void> {
  const now = deps.clock();
  const { held, id: transactionId } = transaction;
  const missed = held.map((payment) => {
    return { payment, id: payment.id, ...next(payment, now), hasFailed: false, gasUsed: 0n };
  });
  const failed = await deps.store.transaction(async (tx) => {
    const planned = await tx.replanPayments(missed, { transactionId, now });
    const done: typeof missed = [];
    for (const each of missed) {
      if (each.fails && planned.includes(each.id) && (await tx.failPayment(each.id, { reason: each.reason, now }))) {
        done.push(each);
      }
    }
    await tx.insertEvents(
      done.map(({ payment, reason }) => paymentEvent(payment, { type: 'payment.failed', reason }, now)),
    );
    await tx.endTankTransaction(transactionId);
    return done;
  });
  deps.log.warn({ ...fieldsOfTransaction(transaction), payments: held.length, reason: missed[0]?.reason }, message);
  for (const { payment, reason } of failed) deps.log.error({ ...fieldsOf(payment), reason }, 'payment failed');
}

/** Gives up a transaction that waits for a nonce which nobody spends any more. */
export async function release(deps: PaymentContext, transaction: HeldTransaction): Promise<void> {
  const message = 'transaction waits for a nonce that is gone; its payments are planned again';
  await giveUp(deps, transaction, { message, next: (_, now) => ({ reason: GAP, dueAt: now }) });
}

function pauseOf({ createdAt }: NumberedPayment, { now, leastMs }: { now: number; leastMs: number }): number {
  return Math.min(Math.max((now - createdAt) / PART, leastMs), HOUR_MS);
}

function wayOfOne({ timing }: PaymentContext, objection: Objection | null): Way['next'] {
  return (payment, now) => {
    const words = readTrouble(payment.reason)?.words ?? '';
    if (objection === 'too_large' && payment.kind !== 'mark') {
      return { reason: troubleReason(objection, words), dueAt: now, fails: true };
    }
    if (objection === 'not_now' || objection === 'too_cheap') {
      // It is not the payment that the endpoint objects to.
      return { reason: troubleReason(objection, words), dueAt: now + timing.lookMs };
    }
    return { reason: aloneReason(words), dueAt: now + pauseOf(payment, { now, leastMs: timing.raiseMs }) };
  };
}

/** They stay before what was planned later, or the one that is refused would never be alone while others come. */
const inPlace: Way['next'] = ({ reason, dueAt }, now) => ({ reason: reason ?? GAP, dueAt: Math.min(dueAt, now) });

/**
 * Gives up a transaction that the endpoint refuses.
 * @returns how many payments may share the next one: half as many; 0 when there is nothing to be sent at once
 */
async function giveUpRefused(deps: PaymentContext, transaction: HeldTransaction): Promise<number> {
  const { held, objection } = transaction;
  const way: Way =
    held.length === 1
      ? { message: 'transaction refused; its payment is planned again', next: wayOfOne(deps, objection) }
      : { message: 'transaction refused; fewer of its payments are sent at a time', next: inPlace };
  await giveUp(deps, transaction, way);
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
