import type { Hex } from 'viem';
import type { LocalAccount } from 'viem/accounts';
import type { WalletCall } from '../../../domain/payments/payer-chain.ts';
import { numbersToWords } from '../../../domain/payments/payment-numbers.ts';
import { encodePay } from '../contract/calls.ts';
import type { ContractPayment } from '../contract/payments.ts';
import { signPay } from '../contract/signature.ts';

/**
 * A wallet's payments as the contract takes them.
 * @throws RangeError when there are none, or the numbers of one are missing, repeated or in several words
 */
export function contractPayments({ payments }: WalletCall): ContractPayment[] {
  if (payments.length === 0) throw new RangeError('a call makes at least one payment');
  return payments.map(({ token, to, amount, numbers }) => {
    const [found, ...others] = numbersToWords(numbers);
    if (found === undefined) throw new RangeError('a payment pays at least one number');
    // Each word has an event with an amount of its own.
    if (others.length > 0) throw new RangeError('the numbers of a payment share one word');
    const { word, bits } = found;
    return { token, to, amount, word, bits };
  });
}

/**
 * Calldata of a wallet's call, signed by its key.
 * @throws RangeError as {@link contractPayments}
 * @throws Error when the account is not that of the wallet
 */
export async function signedCall(account: LocalAccount, chainId: number, call: WalletCall): Promise<Hex> {
  const payments = contractPayments(call);
  return encodePay(payments, await signPay(account, { chainId, wallet: call.wallet, payments }));
}
