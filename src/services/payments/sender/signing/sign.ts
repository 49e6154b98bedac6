import type { Fees } from '../../../../domain/chains/chain.ts';
import type { PayerChain, SignedBatch } from '../../../../domain/payments/payer-chain.ts';
import type { TankTransaction } from '../../../../domain/payments/payment.ts';
import { chooseFewer, chooseFitting, fitsChain } from '../../../../domain/payments/payment-batch.ts';
import type { Facts, PaymentContext } from '../context.ts';
import { offer } from '../offer.ts';
import type { Charge, TriedCall } from './pricing.ts';

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

/** Why no call could be signed: the gas tank holds too little, or the chain takes no transaction with this call alone. */
export type Unsigned = { readonly why: 'tank_is_low' } | { readonly why: 'too_large'; readonly call: TriedCall };

/** Signs as many calls as the chain takes in one transaction and the gas tank can pay for, publishing included. */
export async function signAffordable(
  payer: PayerChain,
  all: readonly TriedCall[],
  { balance, ...terms }: Terms & { balance: bigint },
): Promise<SignedCalls | Unsigned> {
  let calls = chooseFitting(all, payer.chain.batchGas);
  for (let [first] = calls; first !== undefined; [first] = calls) {
    const batch = await payer.sign({ calls, ...terms });
    if (fitsChain(payer.chain, batch)) {
      const publishing = await payer.publishingCost(batch);
      if (batch.gas * terms.fees.maxFeePerGas + publishing <= balance) return { ...terms, batch, calls, publishing };
      calls = chooseFitting(calls, calls.reduce((sum, { gas }) => sum + gas, 0n) / 2n);
    } else if (calls.length === 1) return { why: 'too_large', call: first };
    else calls = chooseFewer(calls, payer.chain, batch);
  }
  return { why: 'tank_is_low' };
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
