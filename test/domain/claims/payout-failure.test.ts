import { expect, test } from 'vitest';
import { explainFailure } from '../../../src/domain/claims/payout-failure.ts';

test.each([
  ['the chain reverted it: out of gas', 'the transaction was reverted'],
  ['nothing moved', 'the token transferred nothing'],
  ['the transfer would revert: ERC20: paused', 'the token rejects the transfer'],
  ['the transfer of token 0x1 fails', 'the token rejects the transfer'],
  ['the token answers false', 'the token rejects the transfer'],
  ['the payment would revert: Paused()', 'the token rejects the transfer'],
  ['the payment needs more gas or bytes than the chain takes', 'the chain does not take a transaction of its size'],
  ['the endpoint finds its transaction too large: 131073 bytes', 'the chain does not take a transaction of its size'],
  ['the recipient reverts', 'the recipient does not take it'],
  ['it would burn 200002 gas', 'it needs too much gas'],
  ['the payment needs more gas than a block has', 'it needs too much gas'],
  ['the payment fails with the gas that was estimated', 'it needs too much gas'],
  ['no reason given', 'it needs too much gas'],
  ['it was sent 3 times', 'it failed too often'],
  ['another payment of it is confirmed', 'it was paid by another payment'],
  ['it failed on the chain 3 times', 'it failed too often, try again in a day'],
  ['send your coins to 0x1', 'the payment could not be made'],
  ['', 'the payment could not be made'],
  [null, 'the payment could not be made'],
])('security: %j is told as %j, without words of a token', (reason, words) => {
  expect(explainFailure(reason)).toBe(words);
});
