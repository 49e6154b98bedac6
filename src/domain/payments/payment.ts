import type { Fees } from '../chains/chain.ts';
import type { Address, Token } from '../gigs/token.ts';

/**
 * `payout` pays a claim's tips, `fee` moves a gig's fee to the treasury. `mark` moves nothing: it marks the numbers of tips,
 * and of a fee, that were paid before wallets paid by the contract. `refund` returns what a settled gig has not awarded;
 * `return` what its ledger does not need: all that a cancelled gig holds, a surplus, or another asset.
 */
export const PAYMENT_KINDS = ['payout', 'fee', 'mark', 'refund', 'return'] as const;
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

/**
 * planned → sent → confirmed, or back to planned, or failed. `sent`: a stored transaction of the gas tank holds it.
 * `confirmed`: its numbers are marked in a settled block; a reorganisation can make it planned again.
 */
export const PAYMENT_STATES = ['planned', 'sent', 'confirmed', 'failed'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

interface PaymentAim {
  readonly kind: PaymentKind;
  readonly chainId: number;
  readonly gigId: number;
  /** The claim that planned it; null for other kinds, and for a payout that the ledger knows from the chain alone. */
  readonly claimId: number | null;
  readonly recipient: Address;
  readonly amount: bigint;
}

/** One intended payment out of a gig's wallet. Amounts are base units of `token`, times epoch milliseconds. */
export interface Payment extends PaymentAim {
  readonly id: number;
  /** The place of a `return` among those of its gig, from 0 to {@link MOST_RETURNS} - 1; null for other kinds. */
  readonly place: number | null;
  /** The gig's wallet, which pays. */
  readonly wallet: Address;
  readonly token: Token;
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

export interface NewPayment extends PaymentAim {
  readonly tokenId: number;
  /** Of a `return` alone. */
  readonly place?: number | null;
}

export interface NumberedPayment extends Payment {
  /** As signed or marked; of a planned one, its tips' numbers now, or the fee's. Lowest first. */
  readonly numbers: readonly bigint[];
}

/** A planned payment with what decides whether it may be sent. */
export interface PaymentCandidate extends NumberedPayment {
  /** The client whose gas it counts against; null for a gig that operators alone reach, or that an operator's key made. */
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
  /** The chain's newest block then; null in one from before this was noted. */
  readonly signedBlock: bigint | null;
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

/** The reason of payments while the database's server is another one than before. */
export const IS_STOPPED = 'all payments are stopped until the wallets are reconciled';

export const TANK_IS_LOW = 'the gas tank is too low';

/**
 * The number of a gig's fee in its wallet. Fee, refund and returns have numbers of one word, so that one question tells
 * which of them were paid.
 */
export const FEE_NUMBER = 2n ** 255n;

export const REFUND_NUMBER = FEE_NUMBER + 64n;

/** The number of a gig's first return in its wallet; the others follow it. */
export const FIRST_RETURN_NUMBER = FEE_NUMBER + 128n;

/** How many returns a gig can make: the rest of the word. */
export const MOST_RETURNS = 128;

/** What decides on the numbers of a payment that pays no tips. */
interface Numbered {
  readonly kind: PaymentKind;
  readonly place: number | null;
}

/** The number of a payment that is made once for each gig, or for each place; null for payouts and marks. */
export function ownNumber({ kind, place }: Numbered): bigint | null {
  if (kind === 'fee') return FEE_NUMBER;
  if (kind === 'refund') return REFUND_NUMBER;
  return kind === 'return' && place !== null ? FIRST_RETURN_NUMBER + BigInt(place) : null;
}

/** The kind and place of the payment that has this number; null for those of tips. */
export function kindOfNumber(number: bigint): Numbered | null {
  if (number === FEE_NUMBER) return { kind: 'fee', place: null };
  if (number === REFUND_NUMBER) return { kind: 'refund', place: null };
  const place = number - FIRST_RETURN_NUMBER;
  return place >= 0n && place < BigInt(MOST_RETURNS) ? { kind: 'return', place: Number(place) } : null;
}

/** Whether a number is that of money which went back: of a refund or a return. */
export function isOfReturn(number: bigint): boolean {
  const kind = kindOfNumber(number)?.kind;
  return kind === 'refund' || kind === 'return';
}

const NOTHING_LEFT = {
  payout: () => 'its tips were claimed or planned again since',
  mark: () => 'its tips were claimed or planned again since',
  fee: (gigId) => `the fee of gig ${gigId} was paid or planned again since`,
  refund: (gigId) => `the refund of gig ${gigId} was planned again since`,
  return: (gigId) => `this return of gig ${gigId}, or a later one of the same token, was planned since`,
} as const satisfies Record<PaymentKind, (gigId: number) => string>;

/** Why a failed payment is not planned again, as a clause. */
export function whyNothingLeft({ kind, gigId }: Payment): string {
  return NOTHING_LEFT[kind](gigId);
}
