import type { Payment } from '../../../domain/payments/payment.ts';
import type { PaymentPolicy } from '../../../domain/payments/payment-limits.ts';
import type { ChainFacts, StepTiming } from '../../../domain/payments/payment-step.ts';
import type { ScreeningOracles } from '../../../domain/settings/screening.ts';
import type { DepositChains } from '../../../domain/x402/deposit-chain.ts';
import type { JobContext } from '../../context.ts';

/** How long the sender waits, in milliseconds unless it is said otherwise. */
export interface SenderTiming extends StepTiming {
  /** For how long a simulation must refuse a payment before it fails permanently. */
  readonly refusedMs: number;
  /** The same when the node, not the contract, may be the cause. */
  readonly barelyRefusedMs: number;
  /** After its first failure on the chain; each further one makes it four times as long. */
  readonly failedMs: number;
  /** Until what a payment waits for is looked at again: the gas tank, a node that lags, a block that has to settle. */
  readonly lookMs: number;
  /** Until a payment of a gig that was funded a moment ago is looked at again. */
  readonly fundedMs: number;
  /** Until a payment is tried again that the endpoint could not simulate. */
  readonly unansweredMs: number;
  /**
   * How many blocks must lie on a payment that has taken a tip's number before the tip gets another: until then a
   * reorganisation may give the old number back, to bytes that are signed with it.
   */
  readonly renumberBlocks: bigint;
}

export const SENDER_TIMING: SenderTiming = {
  rebroadcastMs: 15_000,
  raiseMs: 90_000,
  settleMs: 1_000,
  refusedMs: 10_000,
  barelyRefusedMs: 30_000,
  failedMs: 15_000,
  lookMs: 4_000,
  fundedMs: 2_000,
  unansweredMs: 30_000,
  renumberBlocks: 64n,
};

export const PAYMENT_POLICY: PaymentPolicy = {
  clientGasPerDay: null,
  ownersGasPerDay: null,
  gigGas: 2_000_000n,
  gigGasPerTip: 1_000_000n,
  tokenGas: 200_000n,
  transfers: 6n,
  allowance: 10n,
  tokenFailures: 3,
  paymentFailures: 3,
  accountFailures: 3,
  payments: 250,
};

/** What pays: the senders of all chains. */
export interface PaymentContext extends JobContext {
  readonly timing: SenderTiming;
  readonly policy: PaymentPolicy;
  /** Absent: no deposits are sent. */
  readonly deposits?: { readonly chains: DepositChains; readonly gasPerDay: bigint | null } | undefined;
  /** Whom to ask about recipients; nobody when absent. */
  readonly screeningOracles?: ScreeningOracles;
  /** Called when payments of a chain begin to wait because the gas tank is too low for them. */
  readonly tankIsLow?: (chainId: number) => void;
}

/** What a chain says now, and the wei that the gas tank holds. */
export interface Facts extends ChainFacts {
  readonly balance: bigint;
}

/** The log fields of a payment. */
export function fieldsOf({ id, kind, gigId, claimId, state }: Payment) {
  return { paymentId: id, kind, gigId, claimId, state };
}
