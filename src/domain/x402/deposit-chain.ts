import type { Decide, Fees } from '../chains/chain.ts';
import type { Address } from '../gigs/token.ts';
import type { SignedBatch } from '../payments/payer-chain.ts';
import type { Authorization, SignedTransfer, Signer, SigningDomain } from './deposit.ts';

/** A simulated deposit failed. One refusal proves nothing, because nodes lag and fail. */
export class DepositRefused extends Error {
  override readonly name = 'DepositRefused';
}

/** An authorization that was used: the transaction and the block. */
export interface UsedIn {
  readonly hash: `0x${string}`;
  readonly blockNumber: bigint;
}

/** An authorization, and the blocks in which its events are looked for, both included. */
export interface AuthorizationQuery {
  token: Address;
  payer: Address;
  nonce: Authorization['nonce'];
  from: bigint;
  to: bigint;
}

/** One enabled chain, as deposits need it. Every failure is an AdapterError. */
export interface DepositChain {
  /** As that of the same chain's reader: all of a decision is asked of one endpoint. */
  readonly decide: Decide;
  /** What payers of a token sign by, as its contract says and its domain separator confirms; null of one that takes no authorizations. */
  signingDomain(token: Address): Promise<SigningDomain | null>;
  /** Whether a token has used an authorization, or its payer has cancelled it, by this block. */
  isSpent(query: {
    token: Address;
    payer: Address;
    nonce: Authorization['nonce'];
    blockNumber: bigint;
  }): Promise<boolean>;
  /** Where an authorization was used, in these blocks, both included; null when it was not. */
  findUse(query: AuthorizationQuery): Promise<UsedIn | null>;
  /** Whether the token says, by its event in these blocks, that the payer has cancelled it. */
  isCancelled(query: AuthorizationQuery): Promise<boolean>;
  /** How the payer has signed it; null when it has not. */
  signerOf(transfer: SignedTransfer, domain: SigningDomain): Promise<Signer | null>;
  /**
   * Simulates a deposit in the newest block.
   * @returns its gas, a margin included
   * @throws DepositRefused when it would revert, or takes more gas than {@link MOST_DEPOSIT_GAS}
   */
  simulate(transfer: SignedTransfer): Promise<{ gas: bigint }>;
  /** Signs a transaction of the gas tank that makes a deposit. Nothing is sent. */
  sign(
    transfer: SignedTransfer,
    terms: { readonly gas: bigint; readonly nonce: number; readonly fees: Fees },
  ): Promise<SignedBatch & { gas: bigint }>;
}

/** @throws AdapterError (`never`, `unreachable`) when the chain is not enabled here */
export type DepositChains = (chainId: number) => DepositChain;
