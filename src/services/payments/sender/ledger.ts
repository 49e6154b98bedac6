import { readObjection, readTrouble } from '../../../domain/chains/endpoint-trouble.ts';
import type { Objection } from '../../../domain/payments/payer-chain.ts';
import type { NumberedPayment, TankTransaction } from '../../../domain/payments/payment.ts';
import type { Store } from '../../../store/port/index.ts';

/** A transaction of the gas tank that is not over, with the payments that it holds. */
export interface HeldTransaction extends TankTransaction {
  readonly held: readonly NumberedPayment[];
  /** When it was last tried to settle it, without success; null before. */
  readonly triedAt: number | null;
  /** Why the endpoint refused its last bytes; null when it took them, or did not say. */
  readonly objection: Objection | null;
}

/** When the endpoint last did not tell the outcome of one of these sent payments: other reasons are its troubles. */
function lastTry(held: readonly NumberedPayment[]): number | null {
  const untold = held.filter(({ reason }) => reason !== null && readTrouble(reason) === null);
  return untold.length === 0 ? null : Math.max(...untold.map(({ updatedAt }) => updatedAt));
}

/** A stored transaction with what it holds. */
export async function readHeld(store: Store, transaction: TankTransaction): Promise<HeldTransaction> {
  const held = await store.paymentsInTransaction(transaction.id);
  const objection = held.map(({ reason }) => readObjection(reason)).find((each) => each !== null) ?? null;
  return { ...transaction, held, triedAt: lastTry(held), objection };
}

/** What the ledger has under way on a chain. */
export async function readLedger(store: Store, chainId: number) {
  const [transactions, dueAt] = await Promise.all([store.openTankTransactions(chainId), store.nextPaymentDue(chainId)]);
  const open = await Promise.all(transactions.map((transaction) => readHeld(store, transaction)));
  return { open, dueAt };
}
