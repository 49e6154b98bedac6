import { decodeAbiParameters, encodeFunctionData, erc20Abi, type Hex, hexToString, size } from 'viem';
import type { Address } from '../../domain/gigs/token.ts';

const MAX_DECIMALS = 255n;

export const READS = {
  balanceOf: (owner: Address): Hex => encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] }),
  decimals: encodeFunctionData({ abi: erc20Abi, functionName: 'decimals' }),
  name: encodeFunctionData({ abi: erc20Abi, functionName: 'name' }),
  symbol: encodeFunctionData({ abi: erc20Abi, functionName: 'symbol' }),
} as const;

/**
 * A contract's answer as a number.
 * @throws when it is shorter than a word
 */
export function decodeUint(data: Hex): bigint {
  const [value] = decodeAbiParameters([{ type: 'uint256' }], data);
  return value;
}

/**
 * A contract's answer to `decimals()`.
 * @throws when it is not a number from 0 to 255
 */
export function decodeDecimals(data: Hex): number {
  const value = decodeUint(data);
  if (value > MAX_DECIMALS) throw new RangeError(`decimals() answered ${value}`);
  return Number(value);
}

/**
 * A contract's answer to `name()` or `symbol()`, raw. Tokens older than the standard, such as MKR, answer one
 * zero-padded word (bytes32) instead of a string; no encoded string is that short.
 * @throws when it is neither
 */
export function decodeText(data: Hex): string {
  if (size(data) === 32) return hexToString(data, { size: 32 });
  const [text] = decodeAbiParameters([{ type: 'string' }], data);
  return text;
}
