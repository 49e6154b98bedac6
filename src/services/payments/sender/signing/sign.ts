import type { Fees } from '../../../../domain/chains/chain.ts';
import type { PayerChain, SignedBatch } from '../../../../domain/payments/payer-chain.ts';
import { chooseFewer, chooseFitting, fitsChain } from '../../../../domain/payments/payment-batch.ts';
import type { TriedCall } from './pricing.ts';

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
