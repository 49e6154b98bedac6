import type { AccountKey } from '../account.ts';
import type { Address } from '../gigs/token.ts';
import type { EnsName } from './ens-name.ts';

/**
 * Where a name leads. `unset`: it has no address. `unanswered`: it is kept outside the chain, by a server that is not asked, or
 * gives no valid answer.
 */
export type Resolution = { readonly address: Address } | 'unset' | 'unanswered';

/** Finds the addresses of names. */
export interface NameResolver {
  /** The address in a settled block. @throws AdapterError when the chain does not answer */
  resolve(name: EnsName): Promise<Resolution>;
}

/** A question to a server that keeps names, as EIP-3668 has it. */
export interface GatewayQuestion {
  readonly sender: `0x${string}`;
  readonly data: `0x${string}`;
  readonly urls: readonly string[];
}

/** Asks such a server. @throws AdapterError when none of the URLs may be asked, or answers */
export type AskGateway = (question: GatewayQuestion, stop: AbortSignal) => Promise<`0x${string}`>;

/** A name that an account has asked to be paid to. */
export interface KnownName extends AccountKey {
  readonly name: EnsName;
  /** Where it led when the account was told, in lower case. */
  readonly address: Address;
  /** When the account was told, epoch milliseconds. */
  readonly askedAt: number;
  /** When it has confirmed the address; null before that. */
  readonly confirmedAt: number | null;
}
