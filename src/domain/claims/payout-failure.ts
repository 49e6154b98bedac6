import { troubleReason } from '../chains/endpoint-trouble.ts';
import { REASON } from '../payments/reasons.ts';

/** Safe words for each prefix of a reason: tokens choose part of a reason's text. */
const WORDS: readonly (readonly [begins: string, words: string])[] = [
  ['the chain reverted it', 'the transaction was reverted'],
  ['nothing moved', 'the token transferred nothing'],
  ['the transfer would revert', 'the token rejects the transfer'],
  [REASON.tokenTransfer, 'the token rejects the transfer'],
  [REASON.tokenAnswers, 'the token rejects the transfer'],
  [troubleReason('too_large', ''), 'the chain does not take a transaction of its size'],
  [REASON.tooLarge, 'the chain does not take a transaction of its size'],
  [REASON.recipient, 'the recipient does not take it'],
  [REASON.wouldBurn, 'it needs too much gas'],
  [REASON.tooMuchGas, 'it needs too much gas'],
  [REASON.failsWithEstimate, 'it needs too much gas'],
  [REASON.noneGiven, 'it needs too much gas'],
  [REASON.wouldRevert, 'the token rejects the transfer'],
  [REASON.sentOften, 'it failed too often'],
  [REASON.paidByAnother, 'it was paid by another payment'],
  [REASON.failedOnChain, 'it failed too often, try again in a day'],
];

/**
 * Why a payment failed, in words that are safe to post.
 * @param reason the ledger's reason, which may contain a token's own words
 */
export function explainFailure(reason: string | null): string {
  return WORDS.find(([begins]) => reason?.startsWith(begins))?.[1] ?? 'the payment could not be made';
}
