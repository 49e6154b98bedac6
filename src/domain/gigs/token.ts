import { getAddress } from 'viem/utils';

/** A `0x` address in lower case, as the store keeps and compares it. */
export type Address = `0x${string}`;

/** The address that stands for a chain's native asset (EIP-7528), in lower case. */
export const NATIVE_TOKEN_ADDRESS: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';

export interface TokenUnit {
  readonly decimals: number;
  readonly symbol: string;
}

export interface TokenPlace {
  readonly address: Address;
  readonly isNative: boolean;
}

export interface Token extends TokenUnit, TokenPlace {
  readonly id: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly chainId: number;
  readonly name: string;
  /** Empty when there is none. */
  readonly imageUrl: string;
  readonly coingeckoId: string | null;
}

/** An address with its EIP-55 checksum, the form for output. */
export function checksummed(address: Address): string {
  return getAddress(address);
}
