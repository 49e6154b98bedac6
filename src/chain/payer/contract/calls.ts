import { decodeFunctionResult, encodeFunctionData, type Hex, prepareEncodeFunctionData } from 'viem';
import type { Address } from '../../../domain/gigs/token.ts';
import { PAY_BATCH, TIP_PAYER } from './artifact.ts';
import type { ContractPayment } from './payments.ts';
import type { CompactSignature } from './signature.ts';

/** Prepared once, because a selector is a hash. */
const PAY = prepareEncodeFunctionData({ abi: TIP_PAYER.abi, functionName: 'pay' });
const PAY_MANY = prepareEncodeFunctionData({ abi: PAY_BATCH.abi, functionName: 'payMany' });

export interface BatchCall {
  readonly wallet: Address;
  /** What the wallet's payments may use of the transaction's gas; the batch reverts when it cannot give that much. */
  readonly gasLimit: bigint;
  /** Calldata of `encodePay`. */
  readonly data: Hex;
}

/** Calldata for the wallet itself: makes all payments or none. */
export function encodePay(payments: readonly ContractPayment[], { r, vs }: CompactSignature): Hex {
  return encodeFunctionData({ ...PAY, args: [payments, r, vs] });
}

/** Calldata for PayBatch: each wallet by itself. */
export function encodePayMany(calls: readonly BatchCall[]): Hex {
  return encodeFunctionData({ ...PAY_MANY, args: [calls] });
}

/** How many wallets failed, by what a call of `payMany` returned. @throws when it is not that */
export function decodeFailedCount(data: Hex): bigint {
  return decodeFunctionResult({ abi: PAY_BATCH.abi, functionName: 'payMany', data });
}

/** Calldata that reads a word of marks from a wallet that delegates. */
export function encodePaid(word: bigint): Hex {
  return encodeFunctionData({ abi: TIP_PAYER.abi, functionName: 'paid', args: [word] });
}
