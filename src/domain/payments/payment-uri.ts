import { type Address, checksummed, type TokenPlace } from '../gigs/token.ts';

/**
 * A payment request for a link or QR code (https://eips.ethereum.org/EIPS/eip-681): chain, token, recipient, and amount
 * in base units.
 */
export function paymentUri(
  token: TokenPlace & { readonly chainId: number },
  { to, amount }: { to: Address; amount: bigint },
): string {
  const recipient = checksummed(to);
  if (token.isNative) return `ethereum:${recipient}@${token.chainId}?value=${amount}`;
  return `ethereum:${checksummed(token.address)}@${token.chainId}/transfer?address=${recipient}&uint256=${amount}`;
}

/** A transaction of a wallet, as JSON-RPC has it. */
export interface PaymentCall {
  /** With its checksum. */
  readonly to: string;
  /** Wei. */
  readonly value: bigint;
  /** Hex; null for a transfer of the native asset. */
  readonly data: string | null;
}

const TRANSFER = '0xa9059cbb';

/** A payment as a transaction: of a native asset its transfer, of a token a call of `transfer(address,uint256)`. */
export function paymentCall(token: TokenPlace, { to, amount }: { to: Address; amount: bigint }): PaymentCall {
  if (token.isNative) return { to: checksummed(to), value: amount, data: null };
  const words = [to.slice(2).toLowerCase(), amount.toString(16)].map((word) => word.padStart(64, '0'));
  return { to: checksummed(token.address), value: 0n, data: `${TRANSFER}${words.join('')}` };
}
