import { decodeErrorResult, type Hex, zeroHash } from 'viem';
import { type Address, NATIVE_TOKEN_ADDRESS } from '../../../domain/gigs/token.ts';
import { bitsToNumbers } from '../../../domain/payments/payment-numbers.ts';
import { REASON } from '../../../domain/payments/reasons.ts';
import { revertReason } from '../../evm/revert.ts';
import { PAY_BATCH, TIP_PAYER } from './artifact.ts';
import { lowerCased } from './events.ts';

const ERRORS = [...TIP_PAYER.abi, ...PAY_BATCH.abi] as const;

export type PayRefusal =
  /** Other payments have marked these numbers: their TipsPaid events tell to whom. */
  | { readonly kind: 'already_paid'; readonly numbers: readonly bigint[] }
  /** Not signed by the wallet for these payments, this chain and this contract. */
  | { readonly kind: 'bad_signature' }
  /** A payment without a number. */
  | { readonly kind: 'no_numbers' }
  /** The token or the recipient failed; sanitized text for people. */
  | { readonly kind: 'transfer_failed'; readonly token: Address; readonly to: Address; readonly reason: string }
  /** The wallet has no code of TipPayer. */
  | { readonly kind: 'not_delegated' }
  /** The transaction has too little gas for the wallet at this place. */
  | { readonly kind: 'not_enough_gas'; readonly index: number }
  /** Nothing came back: the call ran out of its gas, or its data is not a call of the contract. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'unknown'; readonly reason: string };

/** A token that answers false has given no reason: its answer is a word of zeroes. */
function transferReason(answer: Hex): string {
  if (answer === zeroHash) return `${REASON.tokenAnswers} that the transfer fails`;
  return revertReason({ text: '', data: answer });
}

/** What the data of a revert says, of TipPayer, of PayBatch, or in the answer of a PayFailed. */
export function decodeRevert(data: Hex): PayRefusal {
  if (data === '0x') return { kind: 'silent' };
  let error: ReturnType<typeof decodeErrorResult<typeof ERRORS>>;
  try {
    error = decodeErrorResult({ abi: ERRORS, data });
  } catch {
    // An error of another contract, or a wrong encoding.
    return { kind: 'unknown', reason: revertReason({ text: '', data }) };
  }
  switch (error.errorName) {
    case 'AlreadyPaid': {
      const [word, bits] = error.args;
      return { kind: 'already_paid', numbers: bitsToNumbers({ word, bits }) };
    }
    case 'BadSignature':
      return { kind: 'bad_signature' };
    case 'NoNumbers':
      return { kind: 'no_numbers' };
    case 'TransferFailed': {
      const [token, to, answer] = error.args;
      return { kind: 'transfer_failed', token: lowerCased(token), to: lowerCased(to), reason: transferReason(answer) };
    }
    case 'NotDelegated':
      return { kind: 'not_delegated' };
    case 'NotEnoughGas':
      return { kind: 'not_enough_gas', index: Number(error.args[0]) };
    default:
      return { kind: 'unknown', reason: revertReason({ text: '', data }) };
  }
}

/** Why a wallet or a batch refused, in plain words. */
export function describeRefusal(refusal: PayRefusal): string {
  switch (refusal.kind) {
    case 'already_paid':
      return `the wallet has paid these numbers before: ${refusal.numbers.join(', ')}`;
    case 'bad_signature':
      return 'the wallet did not sign these payments on this chain';
    case 'no_numbers':
      return 'a payment has no number';
    case 'transfer_failed':
      return refusal.token === NATIVE_TOKEN_ADDRESS
        ? `${REASON.recipient} ${refusal.to} would not take the native asset: ${refusal.reason}`
        : `${REASON.tokenTransfer} ${refusal.token} would fail: ${refusal.reason}`;
    case 'not_delegated':
      return 'the wallet does not delegate to the payer contract';
    case 'not_enough_gas':
      return 'the transaction has too little gas';
    case 'silent':
      return `${REASON.noneGiven}; the payment may need more gas than it may have`;
    case 'unknown':
      return refusal.reason;
  }
}
