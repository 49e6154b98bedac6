import { troubleReason } from '../../../domain/chains/endpoint-trouble.ts';
import { AdapterError } from '../../../domain/errors.ts';
import { BroadcastRefused, type PayerChain } from '../../../domain/payments/payer-chain.ts';
import type { TankTransaction } from '../../../domain/payments/payment.ts';
import { lastAttempt, whyNotIncluded } from '../../../domain/payments/payment-step.ts';
import { summarizeError } from '../../../log.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import type { Facts, PaymentContext } from './context.ts';
import type { Charge } from './signing/pricing.ts';
import type { SignedCalls } from './signing/sign.ts';

/** The log fields of a transaction of the gas tank. */
export function fieldsOfTransaction(transaction: TankTransaction) {
  const { id, chainId, nonce } = transaction;
  return { transactionId: id, chainId, nonce, hash: lastAttempt(transaction).hash };
}

interface Offered {
  readonly id: number;
  readonly reason: string | null;
}

function readFailure(error: AdapterError): string {
  if (error instanceof BroadcastRefused) return troubleReason(error.objection, error.words);
  return troubleReason('unanswered', summarizeError(error).message);
}

/**
 * Broadcasts stored bytes and records that, with why the endpoint did not take them. Their outcome is read from the
 * chain, never from the answer.
 * @returns whether the endpoint has refused them
 */
export async function offer(
  deps: PaymentContext,
  payer: PayerChain,
  { held, ...transaction }: TankTransaction & { readonly held: readonly Offered[] },
): Promise<boolean> {
  let failure: AdapterError | null = null;
  try {
    await payer.broadcast(lastAttempt(transaction).raw, { again: transaction.broadcastAt !== null });
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    failure = error;
    deps.log.warn({ ...fieldsOfTransaction(transaction), error: summarizeError(error) }, 'broadcast not confirmed');
  }
  const now = deps.clock();
  const reason = failure === null ? whyNotIncluded(transaction, now) : readFailure(failure);
  const changed = held.filter((payment) => payment.reason !== reason);
  const note = async (tx: StoreTx) => {
    await tx.noteBroadcast(transaction.id, now);
    for (const { id } of changed) await tx.noteSent(id, { reason, now });
  };
  await deps.store.transaction(note, { narrow: true });
  return failure instanceof BroadcastRefused;
}

/** The outcome of a signed transaction: null when it was not kept; else it, and whether the endpoint refused it. */
export type Offer = { readonly transaction: TankTransaction; readonly isRefused: boolean } | null;

/** Keeps a signed transaction with its payments and broadcasts it. Null when one of them has changed meanwhile, or payments are stopped. */
export async function storeAndOffer(
  deps: PaymentContext,
  payer: PayerChain,
  { nonce, fees, batch }: SignedCalls,
  { payments, facts: { latest } }: { payments: readonly Charge[]; facts: Facts },
): Promise<Offer> {
  const now = deps.clock();
  const attempt = { ...batch, ...fees, signedAt: now, signedBlock: latest.number };
  const kept = { chainId: payer.chain.id, nonce, attempt };
  // Stored before the broadcast: after a crash the same bytes are broadcast again.
  const transaction = await deps.store.transaction(
    async (tx) => ((await tx.paymentStop()) === null ? await tx.insertTankTransaction(kept, { payments, now }) : null),
    { narrow: true },
  );
  if (transaction === null) return null;
  deps.log.info({ chain: payer.chain.key, nonce, hash: batch.hash, payments: payments.length }, 'payments sent');
  const held = payments.map(({ id }) => ({ id, reason: null }));
  return { transaction, isRefused: await offer(deps, payer, { ...transaction, held }) };
}
