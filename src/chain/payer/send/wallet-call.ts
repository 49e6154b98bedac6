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

interface Signed {
  readonly chainId: number;
  readonly wallet: WalletCall['wallet'];
  readonly data: Hex;
}

/** Signatures are deterministic, so what was signed of these very payments for a simulation is what is sent. */
const signed = new WeakMap<WalletCall['payments'], Signed>();

/**
 * Calldata of a wallet's call, signed by its key once for the same list of payments.
 * @throws RangeError as {@link contractPayments}
 * @throws Error when the account is not that of the wallet
 */
export async function signedCall(account: LocalAccount, chainId: number, call: WalletCall): Promise<Hex> {
  const { wallet } = call;
  const known = signed.get(call.payments);
  if (known?.chainId === chainId && known.wallet === wallet) return known.data;
  const payments = contractPayments(call);
  const data = encodePay(payments, await signPay(account, { chainId, wallet, payments }));
  signed.set(call.payments, { chainId, wallet, data });
  return data;
}
