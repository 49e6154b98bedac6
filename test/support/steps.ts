import type { PayerChain } from '../../src/domain/payments/payer-chain.ts';
import type { PaymentContext } from '../../src/services/payments/sender/context.ts';
import { pulse } from '../../src/services/payments/sender/pulse.ts';

/** The sender of one chain, to be brought on by hand. */
export interface Paying {
  readonly deps: PaymentContext;
  readonly payer: PayerChain;
}

/**
 * Brings the payments on by one step.
 * @returns whether anything changed
 */
export async function stepPayments({ deps, payer }: Paying): Promise<boolean> {
  return (await pulse(deps, payer)) === 'moved';
}
