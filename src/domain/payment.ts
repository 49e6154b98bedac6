import type { Fees } from './chain.ts';
import type { Address, Token } from './token.ts';

/**
 * `payout` pays a claim's tips, `fee` moves a gig's fee to the treasury. `mark` moves nothing: it marks the numbers of tips,
 * and of a fee, that were paid before wallets paid by the contract.
 */
export const PAYMENT_KINDS = ['payout', 'fee', 'mark'] as const;
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

/**
 * planned → sent → confirmed, or back to planned, or failed. `sent`: a stored transaction of the gas tank holds it.
 * `confirmed`: its numbers are marked in a settled block; a reorganisation can make it planned again.
 */
export const PAYMENT_STATES = ['planned', 'sent', 'confirmed', 'failed'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/** One intended payment out of a gig's wallet. Amounts are base units of `token`, times epoch milliseconds. */
export interface Payment {
  readonly id: number;
  readonly kind: PaymentKind;
  readonly chainId: number;
  readonly gigId: number;
  /** The gig's wallet, which pays. */
  readonly wallet: Address;
  /** The claim that planned it; null for other kinds, and for a payout that the ledger knows from the chain alone. */
  readonly claimId: number | null;
  readonly token: Token;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly state: PaymentState;
  /** Why it failed or what it waits for; null when there is nothing to say. */
  readonly reason: string | null;
  /** The transaction of the gas tank that holds it, or that held it last; null before the first, or when another sent it. */
  readonly transactionId: number | null;
  /** The transaction that paid it, also when another process sent that; null until it is confirmed. */
  readonly hash: `0x${string}` | null;
  readonly blockNumber: bigint | null;
  /** Gas that it has used so far, failed attempts included; while it is sent, at most what it will have used. */
  readonly gasUsed: bigint;
  /** What of it is reserved for the transaction that holds it; 0 unless it is sent. */
  readonly gasReserved: bigint;
  /** How often it failed on the chain since it was planned. */
  readonly failures: number;
  /** It is not sent before then. */
  readonly dueAt: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type NewPayment = Pick<Payment, 'kind' | 'chainId' | 'gigId' | 'claimId' | 'recipient' | 'amount'> & {
  readonly tokenId: number;
};

/** A payment with the numbers of its wallet that it marks. */
export interface NumberedPayment extends Payment {
  /** As signed or marked; of a planned one, its tips' numbers now, or the fee's. Lowest first. */
  readonly numbers: readonly bigint[];
}

/** A planned payment with what decides whether it may be sent. */
export interface PaymentCandidate extends NumberedPayment {
  /** The gig's client; null when operators alone reach it. */
  readonly client: string | null;
  /** Why its gig is frozen; null when it is not. */
  readonly freeze: string | null;
  /** Whether the block of its gig's funding is still to be checked. */
  readonly awaitsFunding: boolean;
  /** Whether the operator allows its token to take more gas than others. */
  readonly isAllowed: boolean;
}

/** One signed version of a transaction of the gas tank. All have its nonce, so at most one is included. */
export interface TankAttempt extends Fees {
  readonly hash: `0x${string}`;
  /** The signed bytes, broadcast unchanged at every retry. */
  readonly raw: `0x${string}`;
  /** The gas limit. */
  readonly gas: bigint;
  /** Epoch milliseconds. */
  readonly signedAt: number;
}

/** A transaction of the gas tank, which makes payments. It is over once its nonce is spent in a settled block. */
export interface TankTransaction {
  readonly id: number;
  readonly chainId: number;
  readonly nonce: number;
  readonly isOver: boolean;
  /** When it was last broadcast, epoch milliseconds; null before the first time. */
  readonly broadcastAt: number | null;
  readonly createdAt: number;
  /** Oldest first, at least one. */
  readonly attempts: readonly [TankAttempt, ...TankAttempt[]];
}

/** The reason of a payment that the gas tank cannot pay for. */
export const TANK_IS_LOW = 'the gas tank is too low';

/** The number of a gig's fee in its wallet: the first one of the range of fees. */
export const FEE_NUMBER = 2n ** 255n;
