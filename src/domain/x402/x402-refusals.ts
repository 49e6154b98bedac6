import { refusalRow, waitHeader } from '../refusal-row.ts';
import { headerText, type PaymentRequired, type PaymentResponse } from './payment-json.ts';

interface OfPayment {
  readonly required: PaymentRequired;
}

interface OfFailure extends OfPayment {
  /** Of a payment that was tried; null for one that was not. */
  readonly response: PaymentResponse | null;
}

const FULL_SECONDS = 60;

/** What is refused of a gig that is created and paid for in one call. */
export const X402_REFUSALS = {
  payment_required: refusalRow<OfPayment>(402, 'The gig waits for its payment; `accepts` says how to pay', {
    api: 'Pay the gig’s funding as accepts says, and send the payment in PAYMENT-SIGNATURE',
    body: ({ required }) => required,
    headers: ({ required }) => ({ 'payment-required': headerText(required), 'cache-control': 'no-store' }),
  }),
  payment_refused: refusalRow<OfFailure>(402, 'The payment does not match the gig, or failed; `error` says why', {
    body: ({ required }) => required,
    headers: ({ required, response }) => ({
      'payment-required': headerText(required),
      ...(response && { 'payment-response': headerText(response) }),
      'cache-control': 'no-store',
    }),
  }),
  x402_off: refusalRow(503, 'The operator has not turned on payments by x402', {
    api: 'Gigs cannot be paid in their creation here: the operator has not set X402=true',
    person: 'Gigs cannot be paid in their creation here.',
  }),
  x402_full: refusalRow(503, 'Too many gigs wait for their payment, or the day’s gas for payments is used up', {
    api: 'No more gigs can be paid in their creation now; try again later',
    headers: () => waitHeader(FULL_SECONDS),
  }),
};
