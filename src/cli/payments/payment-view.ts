import { formatAmount } from '../../domain/amount.ts';
import { chainById } from '../../domain/chains/chain.ts';
import { factsJson } from '../../domain/facts/fact.ts';
import { LISTED_PAYMENT_FACTS } from '../../domain/facts/payment-facts.ts';
import { checksummed } from '../../domain/gigs/token.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { plain } from '../output.ts';

const SHOWN_REASON = 60;

/** A payment as lists show it in JSON. Amounts are decimal text in whole tokens. */
export function paymentItem(payment: Payment) {
  return { id: payment.id, ...factsJson(LISTED_PAYMENT_FACTS, { payment }) };
}

/** The row of a payment in a table. */
export function paymentRow(payment: Payment) {
  const { token } = payment;
  return {
    id: payment.id,
    kind: payment.kind,
    state: payment.state,
    gig: payment.gigId,
    claim: payment.claimId,
    amount: `${formatAmount(payment.amount, token.decimals)} ${token.symbol}`,
    chain: chainById(payment.chainId)?.key ?? String(payment.chainId),
    recipient: checksummed(payment.recipient),
    hash: payment.hash,
    reason: payment.reason === null ? null : plain(payment.reason, SHOWN_REASON),
  };
}
