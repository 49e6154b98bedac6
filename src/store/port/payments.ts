import type { AccountKey } from '../../domain/account.ts';
import type { Token } from '../../domain/gigs/token.ts';
import type { PaidEvent } from '../../domain/payments/payer-chain.ts';
import type { PaymentKind, PaymentState } from '../../domain/payments/payment.ts';
import type { Page } from './page.ts';

/** Filters payments; all when empty. */
export interface PaymentFilter {
  readonly state?: PaymentState | undefined;
  readonly kind?: PaymentKind | undefined;
  readonly gigId?: number | undefined;
}

/** Payments to be summed: those from the id `from` on. */
export interface PaymentsToSum extends Page, PaymentFilter {
  readonly from: number;
}

/** The sum of payments in one token, in base units. */
export interface TokenSum {
  readonly token: Token;
  readonly count: number;
  readonly amount: bigint;
}

export interface PaymentSums {
  readonly sums: readonly TokenSum[];
  /** Whether they are the sums of all that was asked for. */
  readonly isWhole: boolean;
}

/** Where and when a payment was marked, and the gas that it used there. */
export interface MarkedIn {
  readonly hash: `0x${string}`;
  readonly blockNumber: bigint;
  /** Its part of the gas of our transaction that held it, whatever has paid it; 0 when there was none. */
  readonly gasUsed: bigint;
}

/** A payment as the chain has made it; the recipient may differ from what was planned. */
export interface MadePayment extends MarkedIn {
  readonly id: number;
  readonly recipient: PaidEvent['to'];
  readonly numbers: readonly bigint[];
}

export interface MissedPayment {
  readonly id: number;
  readonly reason: string;
  readonly dueAt: number;
  /** It was tried on the chain, and is counted. */
  readonly hasFailed: boolean;
  readonly gasUsed: bigint;
}

/** What planned payments of a chain have in common. */
export type PaymentScope = { readonly chainId: number } & (
  | { readonly kind: 'client'; readonly of: string }
  | { readonly kind: 'gig' | 'token'; readonly of: number }
);

/** What payments of a gig to one account have cost that failed on the chain. */
export interface AccountFailures extends AccountKey {
  readonly gigId: number;
  readonly failures: number;
  readonly gasUsed: bigint;
  /** When one of them last failed, epoch milliseconds. */
  readonly failedAt: number;
}

/** Payments of a gig that are planned or sent, with the same reason. */
export interface LatePayments {
  readonly chainId: number;
  readonly gigId: number;
  readonly state: 'planned' | 'sent';
  readonly reason: string | null;
  readonly payments: number;
}
