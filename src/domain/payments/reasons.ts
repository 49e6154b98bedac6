/**
 * How the reasons of payments begin that other code tells apart. The ledger keeps reasons: when a
 * beginning changes, the earlier one stays known where it is read.
 */
export const REASON = {
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
} as const;

/** The beginnings of reasons that concern the operator when they last. */
export const REFUSED_FOR_LONG: readonly string[] = [REASON.triedAgain, REASON.nodeLags, REASON.untried, REASON.defect];
