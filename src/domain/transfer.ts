import type { Address, Token } from './token.ts';

/**
 * `payout` pays a claim, `fee` moves a gig's platform fee to the treasury, `gas` brings a gig wallet what its own
 * transfers burn.
 */
export type TransferKind = 'payout' | 'fee' | 'gas';

/**
 * planned → signed → broadcast → confirmed | failed. `planned` has no nonce yet. `signed` is on disk with its bytes
 * before anybody has seen them; `broadcast` has been offered to the chain at least once. `replaced`: its nonce was
 * spent by somebody else's transaction, for good, and another transfer was planned in its place.
 */
export type TransferState = 'planned' | 'signed' | 'broadcast' | 'confirmed' | 'failed' | 'replaced';

/** A transfer in one of these may still move money, so its sender starts no other one. */
export const OPEN_STATES: readonly TransferState[] = ['signed', 'broadcast'];

/** One signed attempt of a transfer. All attempts of one transfer share its nonce, so at most one of them lands. */
export interface TransferAttempt {
  readonly hash: `0x${string}`;
  /** The bytes that are broadcast, now and at every retry. */
  readonly raw: `0x${string}`;
  /** Wei for each unit of gas. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly gas: bigint;
  /** Epoch milliseconds. */
  readonly signedAt: number;
}

/** One intended payment from one wallet. Amounts are base units of `token`, times epoch milliseconds. */
export interface Transfer {
  readonly id: number;
  readonly kind: TransferKind;
  readonly chainId: number;
  readonly sender: Address;
  /** The gig it is for: the one that pays, or, for `gas`, the one that is topped up. */
  readonly gigId: number;
  readonly claimId: number | null;
  readonly token: Token;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly state: TransferState;
  readonly nonce: number | null;
  /** Why it failed, or what it waits for, in words; null when there is nothing to say. */
  readonly reason: string | null;
  /** The attempt that landed. */
  readonly hash: `0x${string}` | null;
  readonly blockNumber: bigint | null;
  /** Wei that landing cost the sender. */
  readonly gasSpent: bigint | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Every signed attempt, oldest first. */
  readonly attempts: readonly TransferAttempt[];
}

export type NewTransfer = Pick<
  Transfer,
  'kind' | 'chainId' | 'sender' | 'gigId' | 'claimId' | 'recipient' | 'amount'
> & {
  readonly tokenId: number;
};

/** What a top-up waits for that the gas tank cannot pay for. */
export const TANK_IS_LOW = 'the gas tank is too low';
