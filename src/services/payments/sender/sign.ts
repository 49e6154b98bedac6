import type { Fees } from '../../../domain/chain.ts';
import type { PayerChain, SignedBatch } from '../../../domain/payer-chain.ts';
import { takeFitting } from '../../../domain/payment-batch.ts';
import type { SenderDeps } from './deps.ts';
import { offer } from './offer.ts';
import type { Charge } from './pricing.ts';
import type { TriedCall } from './tried-call.ts';

/** How a transaction is signed: under which nonce, with which fees. */
interface Terms {
  readonly nonce: number;
  readonly fees: Fees;
}

/** A signed transaction that is not stored yet. */
export interface SignedCalls extends Terms {
  readonly batch: SignedBatch & { readonly gas: bigint };
  readonly calls: readonly TriedCall[];
  /** Wei of publishing it, beyond its gas. */
  readonly publishing: bigint;
}

/** Signs as many calls as the gas tank can pay for, publishing included; null when it cannot pay for any. */
export async function signAffordable(
  payer: PayerChain,
  all: readonly TriedCall[],
  { balance, ...terms }: Terms & { balance: bigint },
): Promise<SignedCalls | null> {
  let calls = takeFitting(all, payer.chain.batchGas);
  while (calls.length > 0) {
    const batch = await payer.sign({ calls, ...terms });
    const publishing = await payer.publishingCost(batch.raw);
    if (batch.gas * terms.fees.maxFeePerGas + publishing <= balance) return { ...terms, batch, calls, publishing };
    calls = takeFitting(calls, calls.reduce((sum, { gas }) => sum + gas, 0n) / 2n);
  }
  return null;
}

/** Keeps a signed transaction with its payments and broadcasts it. False when one of them has changed meanwhile, or payments are stopped. */
export async function keepAndOffer(
  deps: SenderDeps,
  payer: PayerChain,
  { nonce, fees, batch }: SignedCalls,
  payments: readonly Charge[],
): Promise<boolean> {
  const now = deps.clock();
  const transaction = { chainId: payer.chain.id, nonce, attempt: { ...batch, ...fees, signedAt: now } };
  // Stored before the broadcast: after a crash the same bytes are broadcast again.
  const kept = await deps.store.transaction(
    async (tx) =>
      (await tx.paymentStop()) === null ? await tx.keepTankTransaction(transaction, { payments, now }) : null,
    { narrow: true },
  );
  if (kept === null) return false;
  deps.log.info({ chain: payer.chain.key, nonce, hash: batch.hash, payments: payments.length }, 'payments sent');
  await offer(deps, payer, kept);
  return true;
}
