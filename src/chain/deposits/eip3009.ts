import { encodeFunctionData, type Hex, hashTypedData, parseAbi, parseAbiItem, size, toEventSelector } from 'viem';
import type { SignedTransfer, SigningDomain } from '../../domain/x402/deposit.ts';

const ABI = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
]);
const BY_KEY = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
]);
const BY_BYTES = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);

/** `AuthorizationUsed(authorizer, nonce)`. */
export const USED_TOPIC = toEventSelector(
  parseAbiItem('event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)'),
);

/** `AuthorizationCanceled(authorizer, nonce)`. */
export const CANCELLED_TOPIC = toEventSelector(
  parseAbiItem('event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)'),
);

/** What EIP-1271 answers of a signature that counts. */
export const CONFIRMED = '0x1626ba7e';

export const CALLS = {
  name: encodeFunctionData({ abi: ABI, functionName: 'name' }),
  version: encodeFunctionData({ abi: ABI, functionName: 'version' }),
  separator: encodeFunctionData({ abi: ABI, functionName: 'DOMAIN_SEPARATOR' }),
  state: (payer: Hex, nonce: Hex) =>
    encodeFunctionData({ abi: ABI, functionName: 'authorizationState', args: [payer, nonce] }),
  confirm: (hash: Hex, signature: Hex) =>
    encodeFunctionData({ abi: ABI, functionName: 'isValidSignature', args: [hash, signature] }),
} as const;

const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** What the payer signs. */
export function transferHash(
  { payer: from, to, amount: value, validAfter, validBefore, nonce, token }: SignedTransfer,
  { chainId, domain }: { readonly chainId: number; readonly domain: SigningDomain },
): Hex {
  return hashTypedData({
    domain: { ...domain, chainId, verifyingContract: token },
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message: { from, to, value, validAfter: BigInt(validAfter), validBefore: BigInt(validBefore), nonce },
  });
}

const KEY_SIGNATURE_BYTES = 65;

/** A signature of a key as the token's older form takes it; null for one of another length. */
export function signatureParts(signature: Hex): { readonly r: Hex; readonly s: Hex; readonly v: number } | null {
  if (size(signature) !== KEY_SIGNATURE_BYTES) return null;
  const last = Number(`0x${signature.slice(130)}`);
  // Some wallets write the parity alone.
  return { r: `0x${signature.slice(2, 66)}`, s: `0x${signature.slice(66, 130)}`, v: last < 27 ? last + 27 : last };
}

/** Calldata of the transfer. Only newer tokens have the form for signatures of contracts. */
export function transferCall(transfer: SignedTransfer): Hex {
  const { payer, to, amount, validAfter, validBefore, nonce, signature, signer } = transfer;
  const terms = [payer, to, amount, BigInt(validAfter), BigInt(validBefore), nonce] as const;
  const parts = signer === 'contract' ? null : signatureParts(signature);
  return parts === null
    ? encodeFunctionData({ abi: BY_BYTES, args: [...terms, signature] })
    : encodeFunctionData({ abi: BY_KEY, args: [...terms, parts.v, parts.r, parts.s] });
}
