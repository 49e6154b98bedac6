import type { WalletCall } from '../../../../domain/payments/payer-chain.ts';
import type { PaymentCandidate } from '../../../../domain/payments/payment.ts';

/** A payment, and how many words of numbers it marks. */
export interface Part {
  readonly payment: PaymentCandidate;
  readonly words: number;
  /** Its part of the call's gas, in proportion to the other parts'. */
  readonly weight: bigint;
}

/** A wallet's call that a simulation has accepted, with the gas limit for it. */
export interface TriedCall extends WalletCall {
  readonly gas: bigint;
  readonly parts: readonly Part[];
}
