import type { Address, Token } from './token.ts';

/** `payout` pays a claim, `fee` moves a gig's fee to the treasury, `gas` tops up a gig wallet for its own transfers. */
export const TRANSFER_KINDS = ['payout', 'fee', 'gas'] as const;
export type TransferKind = (typeof TRANSFER_KINDS)[number];

/**
 * planned → signed → broadcast → confirmed | failed. `planned` has no nonce, `signed` is stored before its first
 * broadcast. `replaced`: an unknown transaction spent its nonce for good, and another transfer was planned instead.
 */
export const TRANSFER_STATES = ['planned', 'signed', 'broadcast', 'confirmed', 'failed', 'replaced'] as const;
export type TransferState = (typeof TRANSFER_STATES)[number];

/** A transfer in one of these states may still move money, so its sender starts no other one. */
export const OPEN_STATES: readonly TransferState[] = ['signed', 'broadcast'];

/** One signed version of a transfer. All attempts share its nonce, so at most one is included. */
export interface TransferAttempt {
  readonly hash: `0x${string}`;
  /** The signed bytes, broadcast unchanged at every retry. */
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
  /** The paying gig, or, for `gas`, the gig that is topped up. */
  readonly gigId: number;
  readonly claimId: number | null;
  readonly token: Token;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly state: TransferState;
  readonly nonce: number | null;
  /** Why it failed or what it waits for; null when there is nothing to say. */
  readonly reason: string | null;
  /** The attempt that was included. */
  readonly hash: `0x${string}` | null;
  readonly blockNumber: bigint | null;
  /** Wei of gas that the included attempt cost its sender. */
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

/** The reason of a transfer that the gas tank cannot pay for. */
export const TANK_IS_LOW = 'the gas tank is too low';
