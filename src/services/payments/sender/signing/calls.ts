import type { WalletCall, WalletPayment } from '../../../../domain/payments/payer-chain.ts';
import type { NumberedPayment } from '../../../../domain/payments/payment.ts';
import { needsTips, walletPayments } from '../../../../domain/payments/payment-batch.ts';
import type { Store } from '../../../../store/port/index.ts';

/**
 * What payments of one wallet ask of it. One whose tips have changed meanwhile is left out.
 * @returns the call with the payments in it, and how many words each of them marks; null when none is left
 */
export async function askOf<P extends NumberedPayment>(store: Store, payments: readonly P[]) {
  const parts: { readonly payment: P; readonly words: number }[] = [];
  const transfers: WalletPayment[] = [];
  for (const payment of payments) {
    const asked = walletPayments(payment, needsTips(payment) ? await store.tipsOfPayment(payment.id) : []);
    if (asked === null) continue;
    parts.push({ payment, words: asked.length });
    transfers.push(...asked);
  }
  const [first] = parts;
  if (first === undefined) return null;
  const { gigId, wallet } = first.payment;
  const call: WalletCall = { gigId, wallet, payments: transfers };
  return { parts, call };
}
