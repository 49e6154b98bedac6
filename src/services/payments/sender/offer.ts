import type { Fees } from '../../../domain/chain.ts';
import { AdapterError } from '../../../domain/errors.ts';
import type { PayerChain, SignedBatch, WalletCall } from '../../../domain/payer-chain.ts';
import type { NumberedPayment, Payment, TankTransaction } from '../../../domain/payment.ts';
import { shareOf } from '../../../domain/payment-batch.ts';
import { findPrice } from '../../../domain/payment-limits.ts';
import { byWord } from '../../../domain/payment-numbers.ts';
import { isUnderpriced, LEAST_RAISED, lastAttempt, RAISED, raisedFees, smaller } from '../../../domain/payment-step.ts';
import { hasPassed } from '../../../domain/time.ts';
import { summarizeError } from '../../../log.ts';
import type { Facts, SenderDeps } from './deps.ts';
import { askOf, type HeldTransaction } from './facts.ts';

function sumOf(payments: readonly Pick<Payment, 'gasReserved'>[]): bigint {
  return payments.reduce((sum, { gasReserved }) => sum + gasReserved, 0n);
}

/** The log fields of a transaction of the gas tank. */
export function fieldsOfTransaction(transaction: TankTransaction) {
  const { id, chainId, nonce } = transaction;
  return { transactionId: id, chainId, nonce, hash: lastAttempt(transaction).hash };
}

/** Broadcasts stored bytes and records that. What became of them is read from the chain, never from the answer. */
export async function offer(deps: SenderDeps, payer: PayerChain, transaction: TankTransaction): Promise<void> {
  try {
    await payer.broadcast(lastAttempt(transaction).raw);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    deps.log.warn({ ...fieldsOfTransaction(transaction), error: summarizeError(error) }, 'broadcast not confirmed');
  }
  await deps.store.transaction((tx) => tx.noteBroadcast(transaction.id, deps.clock()), { narrow: true });
}

/** What a transaction asks of its wallets, with the gas that its first version gave them. */
async function callsOf({ store }: SenderDeps, { chain }: PayerChain, { held, attempts }: HeldTransaction) {
  const [{ gas }] = attempts;
  const reserved = sumOf(held);
  const most = smaller(gas, chain.batchGas);
  const calls: (WalletCall & { gas: bigint })[] = [];
  for (const payments of Map.groupBy(held, ({ gigId }) => gigId).values()) {
    const asked = await askOf(store, payments);
    if (asked === null || reserved === 0n) return null;
    calls.push({ ...asked.call, gas: (most * sumOf(payments)) / reserved });
  }
  return calls;
}

/** Whether each payment still costs at most what the policy allows, by the gas that was reserved for it. */
function isWorth(
  { policy }: SenderDeps,
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

/** Signs a transaction again with higher fees, as many as the policy and the gas tank allow; null when they allow none. */
async function signRaised(
  deps: SenderDeps,
  payer: PayerChain,
  { balance }: Facts,
  transaction: HeldTransaction,
): Promise<(SignedBatch & Fees & { gas: bigint }) | null> {
  const last = lastAttempt(transaction);
  const [now, transferCost] = await Promise.all([payer.fees(), payer.transferCost()]);
  const calls = isUnderpriced(last, now) ? await callsOf(deps, payer, transaction) : null;
  if (calls === null) return null;
  for (const by of [RAISED, LEAST_RAISED]) {
    const fees = raisedFees(now, { last, cap: payer.chain.maxFeePerGas, by });
    if (fees === null) continue;
    const { maxFeePerGas } = fees;
    const batch = await payer.sign({ calls, nonce: transaction.nonce, fees });
    const publishing = await payer.publishingCost(batch.raw);
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
async function replace(deps: SenderDeps, payer: PayerChain, facts: Facts, transaction: HeldTransaction) {
  const { store, clock, log } = deps;
  const signed = await signRaised(deps, payer, facts, transaction);
  if (signed === null) return false;
  const attempt = { ...signed, signedAt: clock() };
  // Stored before the broadcast: whichever version is included, the ledger knows it.
  const { id } = transaction;
  const isKept = await store.transaction(
    async (tx) => (await tx.paymentStop()) === null && (await tx.addTankAttempt(id, { attempt, now: clock() })),
  );
  if (!isKept) return false;
  const replaced: TankTransaction = { ...transaction, attempts: [...transaction.attempts, attempt] };
  log.warn(fieldsOfTransaction(replaced), 'transaction stuck; broadcast again with higher fees');
  await offer(deps, payer, replaced);
  return true;
}

/** Raises the fees of a stuck transaction, or broadcasts its last version again: a node may have dropped it. */
export async function raise(
  deps: SenderDeps,
  payer: PayerChain,
  facts: Facts,
  transaction: HeldTransaction,
): Promise<void> {
  if (await replace(deps, payer, facts, transaction)) return;
  const since = transaction.broadcastAt ?? 0;
  if (!hasPassed(deps.timing.rebroadcastMs, { since, now: deps.clock() })) return;
  // It may have begun while the chain was asked about the fees.
  if ((await deps.store.paymentStop()) === null) await offer(deps, payer, transaction);
}

const GAP = 'an earlier transaction of the gas tank is gone from the chain; it is sent again in its place';

/**
 * Gives up a transaction that waits for a nonce which nobody spends any more, and plans its payments again. Should its
 * bytes be included after all, each number is still paid once.
 */
export async function release(deps: SenderDeps, transaction: HeldTransaction): Promise<void> {
  const now = deps.clock();
  const missed = transaction.held.map(({ id }) => ({ id, reason: GAP, dueAt: now, hasFailed: false, gasUsed: 0n }));
  await deps.store.transaction(async (tx) => {
    await tx.replanPayments(missed, { transactionId: transaction.id, now });
    await tx.endTankTransaction(transaction.id, now);
  });
  deps.log.warn(
    fieldsOfTransaction(transaction),
    'transaction waits for a nonce that is gone; its payments are planned again',
  );
}
