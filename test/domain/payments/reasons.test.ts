import { expect, test } from 'vitest';
import { IS_STOPPED, PAYMENT_KINDS, PAYMENT_STATES, TANK_IS_LOW } from '../../../src/domain/payments/payment.ts';
import { REASON, REFUSED_FOR_LONG } from '../../../src/domain/payments/reasons.ts';

test('behavior: ledgers hold these beginnings of reasons, kinds and states', () => {
  expect(REASON).toEqual({
    payerMissing: 'the payer contracts are not deployed',
    clientUsedUp: 'the client’s daily gas budget is used up',
    clientTooSmall: 'it needs more gas than its client has',
    gigUsedUp: 'its gig has used up',
    tokenFails: 'its token failed on the chain',
    tooExpensive: 'it would cost more than',
    recipientFails: 'its account’s payments by this gig',
    recipientListed: 'the screening oracle lists its recipient',
    screeningSilent: 'the screening oracle gives no answer about its recipient',
    triedAgain: 'it is tried again: ',
    nodeLags: 'the node that tried it',
    untried: 'the node could not try it: ',
    defect: 'the service could not try it',
    tooLarge: 'the payment needs more gas or bytes',
    tooMuchGas: 'the payment needs more gas',
    wouldRevert: 'the payment would revert',
    failsWithEstimate: 'the payment fails with the gas',
    wouldBurn: 'it would burn',
    sentOften: 'it was sent',
    paidByAnother: 'another payment of it',
    failedOnChain: 'it failed on the chain',
    tokenTransfer: 'the transfer of token',
    tokenAnswers: 'the token answers',
    recipient: 'the recipient',
    noneGiven: 'no reason given',
  });
  const { triedAgain, nodeLags, untried, defect } = REASON;
  expect(REFUSED_FOR_LONG).toEqual([triedAgain, nodeLags, untried, defect]);
  expect(IS_STOPPED).toBe('all payments are stopped until the wallets are reconciled');
  expect(TANK_IS_LOW).toBe('the gas tank is too low');
  expect(PAYMENT_KINDS).toEqual(['payout', 'fee', 'mark', 'refund', 'return']);
  expect(PAYMENT_STATES).toEqual(['planned', 'sent', 'confirmed', 'failed']);
});
