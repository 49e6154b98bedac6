import type { Fees } from '../../../domain/chains/chain.ts';
import type { PayerChain, SignedBatch, WalletCall } from '../../../domain/payments/payer-chain.ts';
import type { NumberedPayment, TankTransaction } from '../../../domain/payments/payment.ts';
import { fitsChain } from '../../../domain/payments/payment-batch.ts';
import { findPrice, shareOf } from '../../../domain/payments/payment-limits.ts';
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
import type { Facts, PaymentContext } from './context.ts';
import { signDepositAgain } from './deposits.ts';
import type { HeldTransaction } from './ledger.ts';
import { fieldsOfTransaction, offer } from './offer.ts';
import { askOf } from './signing/calls.ts';

function sumOf(payments: readonly NumberedPayment[]): bigint {
  return payments.reduce((sum, { gasReserved }) => sum + gasReserved, 0n);
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
  if (transaction.held.length === 0) return await signDepositAgain(deps, transaction, fees);
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
