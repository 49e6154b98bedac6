import { type Gig, requiredFunds } from '../gigs/gig.ts';
import type { SigningDomain } from './deposit.ts';
import { networkOf, type SentPayment } from './payment-json.ts';

/** The words of x402 for a payment that is refused; its own facilitators say the same. */
export const PAYMENT_FAULTS = [
  'invalid_payload',
  'invalid_exact_evm_scheme',
  'invalid_exact_evm_network_mismatch',
  'invalid_exact_evm_recipient_mismatch',
  'invalid_exact_evm_payload_authorization_value_mismatch',
  'invalid_exact_evm_missing_eip712_domain',
  'invalid_exact_evm_payload_authorization_valid_after',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_signature',
  'invalid_exact_evm_nonce_already_used',
  'invalid_exact_evm_insufficient_balance',
  'invalid_exact_evm_transaction_simulation_failed',
  'invalid_exact_evm_transaction_failed',
  'invalid_transaction_state',
] as const;
export type PaymentFault = (typeof PAYMENT_FAULTS)[number];

/** An authorization must last so much longer than the newest block, in seconds: a block has to come. */
const LEAST_SECONDS = 6;
/** One that lasts longer would keep its gig from another payment as long. */
export const MOST_SECONDS = 3_600;

/**
 * What a payment lacks to be that of a gig, by the gig's terms and the chain's time; null when it lacks nothing.
 * @param due.at the time of the newest block, `due.now` that of the clock, which no block is compared with; epoch milliseconds
 */
export function findPaymentFault(
  { accepted, to, authorization }: SentPayment,
  {
    gig,
    domain,
    at,
    now,
  }: { readonly gig: Gig; readonly domain: SigningDomain | null; readonly at: number; readonly now: number },
): PaymentFault | null {
  const { amount, validAfter, validBefore } = authorization;
  const seconds = at / 1_000;
  if (accepted.scheme !== 'exact') return 'invalid_exact_evm_scheme';
  if (accepted.network !== networkOf(gig.token.chainId)) return 'invalid_exact_evm_network_mismatch';
  if (accepted.asset !== gig.token.address || domain === null) return 'invalid_exact_evm_missing_eip712_domain';
  if (to !== gig.walletAddress) return 'invalid_exact_evm_recipient_mismatch';
  if (amount !== requiredFunds(gig) || accepted.amount !== amount) {
    return 'invalid_exact_evm_payload_authorization_value_mismatch';
  }
  if (validAfter >= seconds) return 'invalid_exact_evm_payload_authorization_valid_after';
  const isTooShort = validBefore < seconds + LEAST_SECONDS;
  // The newest block of an idle chain is old.
  const isTooLong = validBefore > Math.max(seconds, now / 1_000) + MOST_SECONDS;
  return isTooShort || isTooLong ? 'invalid_exact_evm_payload_authorization_valid_before' : null;
}
