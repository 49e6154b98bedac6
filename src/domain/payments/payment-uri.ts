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
