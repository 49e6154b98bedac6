/** Safe words for each prefix of a reason: tokens choose part of a reason's text. */
const WORDS: readonly (readonly [begins: string, words: string])[] = [
  ['the chain reverted it', 'the transaction was reverted'],
  ['nothing moved', 'the token transferred nothing'],
  ['the transfer would revert', 'the token rejects the transfer'],
  ['the transfer of token', 'the token rejects the transfer'],
  ['the token answers', 'the token rejects the transfer'],
  ['the endpoint finds its transaction too large', 'the chain does not take a transaction of its size'],
  ['the payment needs more gas or bytes', 'the chain does not take a transaction of its size'],
  ['the recipient', 'the recipient does not take it'],
  ['it would burn', 'it needs too much gas'],
  ['the payment needs more gas', 'it needs too much gas'],
  ['the payment fails with the gas', 'it needs too much gas'],
  ['no reason given', 'it needs too much gas'],
  ['the payment would revert', 'the token rejects the transfer'],
  ['it was sent', 'it failed too often'],
  ['another payment of it', 'it was paid by another payment'],
  ['it failed on the chain', 'it failed too often, try again in a day'],
];

/**
 * Why a payment failed, in words that are safe to post.
 * @param reason the ledger's reason, which may contain a token's own words
 */
export function explainFailure(reason: string | null): string {
  return WORDS.find(([begins]) => reason?.startsWith(begins))?.[1] ?? 'the payment could not be made';
}
