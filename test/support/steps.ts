import { advanceWallet } from '../../src/services/payments/advance-wallet.ts';
import type { PaymentDeps } from '../../src/services/payments/broadcast.ts';

/**
 * Brings every wallet that has something to pay on by one step, all of them at once.
 * @returns whether anything changed
 */
export async function stepPayments(deps: PaymentDeps): Promise<boolean> {
  const wallets = await deps.store.busySenders();
  const steps = await Promise.all(wallets.map((wallet) => advanceWallet(deps, wallet)));
  return steps.includes('moved');
}
