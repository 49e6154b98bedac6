import type { Fees } from '../../../domain/chains/chain.ts';
import { troubleReason } from '../../../domain/chains/endpoint-trouble.ts';
import { AdapterError } from '../../../domain/errors.ts';
import {
  BroadcastRefused,
  type PayerChain,
  type SignedBatch,
  type WalletCall,
} from '../../../domain/payments/payer-chain.ts';
import type { NumberedPayment, TankTransaction } from '../../../domain/payments/payment.ts';
import { fitsChain, shareOf } from '../../../domain/payments/payment-batch.ts';
import { findPrice } from '../../../domain/payments/payment-limits.ts';
import { byWord } from '../../../domain/payments/payment-numbers.ts';
import {
  isUnderpriced,
  LEAST_RAISED,
  lastAttempt,
  RAISED,
  raisedFees,
  smaller,
} from '../../../domain/payments/payment-step.ts';
import { hasPassed } from '../../../domain/time.ts';
import { summarizeError } from '../../../log.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import type { Facts, PaymentContext } from './context.ts';
import { askOf, type HeldTransaction } from './facts.ts';

function sumOf(payments: readonly NumberedPayment[]): bigint {
  return payments.reduce((sum, { gasReserved }) => sum + gasReserved, 0n);
}

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

/** Longer than any block that a transaction waits for while its fees are high enough. Milliseconds. */
const LONG_MS = 5 * 60_000;

function whyNotIncluded({ attempts: [first] }: TankTransaction, now: number): string | null {
  if (!hasPassed(LONG_MS, { since: first.signedAt, now })) return null;
  return troubleReason('not_included', `it was signed more than ${LONG_MS / 60_000} minutes ago`);
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

/** With the gas that the first version gave the wallets, less `spare`. */
async function callsOf(
  { store }: PaymentContext,
  { chain }: PayerChain,
  { held, attempts }: HeldTransaction,
  spare: bigint,
): Promise<(WalletCall & { gas: bigint })[] | null> {
  const [{ gas }] = attempts;
  const reserved = sumOf(held);
  const most = smaller(gas, chain.batchGas) - spare;
  const calls: (WalletCall & { gas: bigint })[] = [];
  for (const payments of Map.groupBy(held, ({ gigId }) => gigId).values()) {
    const asked = await askOf(store, payments);
    if (asked === null || reserved === 0n) return null;
    calls.push({ ...asked.call, gas: (most * sumOf(payments)) / reserved });
  }
  return calls.length === 0 ? null : calls;
}

/** Null when it cannot be done within the limits of the chain. */
async function signAgain(
  deps: PaymentContext,
  payer: PayerChain,
  transaction: HeldTransaction,
  fees: Fees,
): Promise<(SignedBatch & { gas: bigint }) | null> {
  const { txGas } = payer.chain;
  let spare = 0n;
  // Its first version fitted with less gas for its wallets than the whole transaction had.
  for (let tries = 0; tries < 2; tries += 1) {
    const calls = await callsOf(deps, payer, transaction, spare);
    if (calls === null) return null;
    const batch = await payer.sign({ calls, nonce: transaction.nonce, fees });
    if (fitsChain(payer.chain, batch)) return batch;
    spare = batch.gas - txGas;
    if (spare <= 0n) return null;
  }
  return null;
}

/** Counts the gas that was reserved for each payment. */
function isWorth(
  { policy }: PaymentContext,
  held: readonly NumberedPayment[],
  price: { maxFeePerGas: bigint; publishing: bigint; transferCost: bigint },
): boolean {
  const { maxFeePerGas, transferCost } = price;
  const parts = held.map(({ gasReserved, numbers }) => ({ gas: gasReserved, words: byWord(numbers).length }));
  const all = parts.reduce((sum, { words }) => sum + BigInt(words), 0n);
  return parts.every(({ gas, words }) => {
    const publishing = shareOf(price.publishing, { part: BigInt(words), all });
    // Nothing else was sent with so much gas.
    const isAllowed = gas > policy.tokenGas * BigInt(2 * words);
    return findPrice({ isAllowed }, { gas, maxFeePerGas, publishing, transferCost, words }, policy) === null;
  });
}

/** Null when the policy and the gas tank allow no higher fees. */
async function signRaised(
  deps: PaymentContext,
  payer: PayerChain,
  { balance }: Facts,
  transaction: HeldTransaction,
): Promise<(SignedBatch & Fees & { gas: bigint }) | null> {
  const last = lastAttempt(transaction);
  const [now, transferCost] = await Promise.all([payer.fees(), payer.transferCost()]);
  // What the chain asks for is not what this endpoint does.
  if (transaction.objection !== 'too_cheap' && !isUnderpriced(last, now)) return null;
  for (const by of [RAISED, LEAST_RAISED]) {
    const fees = raisedFees(now, { last, cap: payer.chain.maxFeePerGas, by });
    if (fees === null) continue;
    const { maxFeePerGas } = fees;
    const batch = await signAgain(deps, payer, transaction, fees);
    if (batch === null) return null;
    const publishing = await payer.publishingCost(batch);
    const isAffordable = batch.gas * maxFeePerGas + publishing <= balance;
    if (isAffordable && isWorth(deps, transaction.held, { maxFeePerGas, publishing, transferCost })) {
      return { ...batch, ...fees };
    }
  }
  return null;
}

/**
 * Signs a transaction again under its nonce with higher fees, and broadcasts it; at most one of its versions can be
 * included.
 * @returns false when it is not underpriced, or higher fees are too high
 */
async function replace(deps: PaymentContext, payer: PayerChain, facts: Facts, transaction: HeldTransaction) {
  const { store, clock, log } = deps;
  const signed = await signRaised(deps, payer, facts, transaction);
  if (signed === null) return false;
  const attempt = { ...signed, signedAt: clock(), signedBlock: facts.latest.number };
  // Stored before the broadcast: whichever version is included, the ledger knows it.
  const { id } = transaction;
  const isKept = await store.transaction(
    async (tx) => (await tx.paymentStop()) === null && (await tx.addTankAttempt(id, { attempt, now: clock() })),
  );
  if (!isKept) return false;
  const replaced: TankTransaction = { ...transaction, attempts: [...transaction.attempts, attempt] };
  log.warn(fieldsOfTransaction(replaced), 'transaction stuck; broadcast again with higher fees');
  await offer(deps, payer, { ...replaced, held: transaction.held });
  return true;
}

/**
 * Raises the fees of a stuck transaction, or broadcasts its last version again: a node may have dropped it.
 * @returns false when the endpoint asks for fees that are too high
 */
export async function raise(
  deps: PaymentContext,
  payer: PayerChain,
  facts: Facts,
  transaction: HeldTransaction,
): Promise<boolean> {
  if (await replace(deps, payer, facts, transaction)) return true;
  // It may have begun while the chain was asked about the fees.
  if ((await deps.store.paymentStop()) !== null) return true;
  if (transaction.objection !== null) return false;
  const since = transaction.broadcastAt ?? 0;
  if (!hasPassed(deps.timing.rebroadcastMs, { since, now: deps.clock() })) return true;
  await offer(deps, payer, transaction);
  return true;
}
