import { type Address, NATIVE_TOKEN_ADDRESS, type Token } from '../../../src/domain/gigs/token.ts';
import type { PaymentCandidate } from '../../../src/domain/payments/payment.ts';
import type { PaymentPolicy } from '../../../src/domain/payments/payment-limits.ts';
import { payment, token } from '../../bot/samples.ts';

export const WALLET: Address = `0x${'11'.repeat(20)}`;
export const TO: Address = `0x${'22'.repeat(20)}`;
export const TOKEN: Token = token({ address: `0x${'33'.repeat(20)}` });
export const NATIVE: Token = { ...TOKEN, id: 2, address: NATIVE_TOKEN_ADDRESS, isNative: true };

export const POLICY: PaymentPolicy = {
  clientGasPerDay: 1_000_000n,
  ownersGasPerDay: 2_000_000n,
  gigGas: 500_000n,
  gigGasPerTip: 100_000n,
  tokenGas: 200_000n,
  transfers: 6n,
  allowance: 10n,
  tokenFailures: 3,
  paymentFailures: 3,
  accountFailures: 3,
  payments: 100,
};

/** A planned payout of 10 units with number 0. */
export function planned(change: Partial<PaymentCandidate> = {}): PaymentCandidate {
  return {
    ...payment({ gigId: 1, wallet: WALLET, token: TOKEN, recipient: TO, amount: 10n }),
    numbers: [0n],
    client: 'acme',
    freeze: null,
    awaitsFunding: false,
    isAllowed: false,
    ...change,
  };
}

export const NO_GAS = { claims: 0n, fees: 0n };
export const unused = {
  gig: { gasUsed: 0n, tips: 5 },
  clientGas: NO_GAS,
  ownersGas: null,
  tokenFailures: 0,
  ownFailures: null,
};
