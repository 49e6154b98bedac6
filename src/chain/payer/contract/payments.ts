import { type Address, NATIVE_TOKEN_ADDRESS } from '../../../domain/gigs/token.ts';
import { bitOf, type NumberWord, numbersToWords } from '../../../domain/payments/payment-numbers.ts';

/** One transfer out of a wallet, and the numbers that it pays. */
export interface ContractPayment extends NumberWord {
  /** An ERC-20, or NATIVE_TOKEN_ADDRESS. */
  readonly token: Address;
  readonly to: Address;
  /** Base units. */
  readonly amount: bigint;
}

/**
 * The payments that pay tips to one recipient: one for each word that holds some of the numbers, so usually one.
 * @throws RangeError when there are no tips, a number occurs twice or is not from 0 to 2^256 - 1, or an amount is negative
 */
export function paymentsOf(claim: {
  token: Address;
  to: Address;
  tips: readonly { readonly number: bigint; readonly amount: bigint }[];
}): ContractPayment[] {
  const { token, to, tips } = claim;
  if (tips.length === 0) throw new RangeError('a payment pays at least one number');
  const amounts = new Map<bigint, bigint>();
  for (const { number, amount } of tips) {
    if (amount < 0n) throw new RangeError(`the amount of number ${number} is negative`);
    const { word } = bitOf(number);
    amounts.set(word, (amounts.get(word) ?? 0n) + amount);
  }
  return numbersToWords(tips.map(({ number }) => number)).map(({ word, bits }) => ({
    token,
    to,
    amount: amounts.get(word) ?? 0n,
    word,
    bits,
  }));
}

/**
 * Payments that only mark numbers as paid: of nothing, from the wallet to itself.
 * @throws RangeError when there are none, one occurs twice or is not from 0 to 2^256 - 1
 */
export function markingPayments(wallet: Address, numbers: Iterable<bigint>): ContractPayment[] {
  const tips = Array.from(numbers, (number) => ({ number, amount: 0n }));
  return paymentsOf({ token: NATIVE_TOKEN_ADDRESS, to: wallet, tips });
}
