import { type Address, checksummed, type Token } from './token.ts';

/**
 * A request to pay as wallets read it from a link or a QR code (https://eips.ethereum.org/EIPS/eip-681): the chain, the
 * token, the recipient and the amount in base units.
 */
export function paymentUri(
  token: Pick<Token, 'address' | 'chainId' | 'isNative'>,
  { to, amount }: { to: Address; amount: bigint },
): string {
  const recipient = checksummed(to);
  if (token.isNative) return `ethereum:${recipient}@${token.chainId}?value=${amount}`;
  return `ethereum:${checksummed(token.address)}@${token.chainId}/transfer?address=${recipient}&uint256=${amount}`;
}
