import { expect, test } from 'vitest';
import { expectPlans, planOf } from '../../support/plans.ts';

/** A list that is one parameter. */
const GIVEN = 'SCAN json_each VIRTUAL TABLE INDEX 1:';

test('behavior: what the sender of a chain asks for is found in indices that hold no history', () => {
  const step = 'SEARCH payments USING';
  expectPlans({
    'paymentLists.reads.due': [
      `${step} INDEX payments_planned (chain_id=? AND due_at<?)`,
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH m USING COVERING INDEX payments_by_gig (gig_id=? AND kind=? AND state=?)',
    ],
    'paymentLists.reads.next': `${step} COVERING INDEX payments_planned (chain_id=?)`,
    'paymentLists.reads.chainsWithPayments.planned': `${step} COVERING INDEX payments_planned (chain_id>?)`,
    'paymentLists.reads.chainsWithPayments.open':
      'SEARCH tank_transactions USING COVERING INDEX tank_transactions_open (chain_id>?)',
    'tankTransactions.openOnChain': 'SEARCH tank_transactions USING INDEX tank_transactions_open (chain_id=?)',
    'tankTransactions.complete.attempts':
      'SEARCH tank_attempts USING INDEX tank_attempts_by_transaction (transaction_id=?)',
    'payments.inTransaction': `${step} INDEX payments_sent (transaction_id=?)`,
    'payments.above': [`${step} INDEX payments_confirmed (chain_id=? AND block_number>?)`],
    'payments.reads.unpaidTipsByNumber.byNumber': 'SEARCH tips USING INDEX tips_by_number (gig_id=? AND number=?)',
    'payments.number.findNumbers.ofTips': [
      'SEARCH tips USING INDEX tips_by_payment (payment_id=?)',
      'LIST SUBQUERY 1',
      GIVEN,
    ],
    'payments.find.byIds': [`${step} INTEGER PRIMARY KEY (rowid=?)`, 'LIST SUBQUERY 1', GIVEN],
    'paymentLists.reads.withConditions.ofGigs': [
      'SEARCH gigs USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 3',
      GIVEN,
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH api_keys USING INTEGER PRIMARY KEY (rowid=?)',
      'CORRELATED SCALAR SUBQUERY 2',
      'SEARCH gig_transactions USING INDEX gig_transactions_by_gig (gig_id=?)',
    ],
  });
});

test('behavior: what is sent and settled at once is found by what was given', () => {
  const payments = 'SEARCH payments USING INTEGER PRIMARY KEY (rowid=?)';
  expectPlans({
    'tankTransactions.writes.insertTankTransaction.mayBeSent.sendable': [
      payments,
      'LIST SUBQUERY 1',
      GIVEN,
      'CORRELATED SCALAR SUBQUERY 2',
      'SEARCH gigs USING INTEGER PRIMARY KEY (rowid=?)',
    ],
    'tankTransactions.writes.insertTankTransaction.send': [GIVEN, payments],
    'paymentChanges.writes.confirmPayments.confirm': [
      GIVEN,
      payments,
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH tank_attempts USING INDEX tank_attempts_by_hash (hash=?)',
    ],
    'paymentChanges.writes.replanPayments.replan': [GIVEN, payments],
    'paymentChanges.writes.confirmPayments.claimTips': [
      GIVEN,
      'SEARCH tips USING INDEX tips_by_payment (payment_id=?)',
    ],
    'paymentChanges.writes.confirmPayments.sums.sums.keep': GIVEN,
  });
});

test('behavior: what budgets count, and the payments of a claim, of a gig and to an account, are found in an index', () => {
  const step = 'SEARCH payments USING';
  expectPlans({
    'paymentBudgets.ofClient': [
      `${step} INDEX payments_by_gas (gig_id=? AND updated_at>?)`,
      'LIST SUBQUERY 2',
      'SEARCH gigs USING INDEX gigs_by_client (client=?)',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH api_keys USING INTEGER PRIMARY KEY (rowid=?)',
    ],
    'paymentBudgets.ofOwners': [
      `${step} INDEX payments_by_gas (gig_id=? AND updated_at>?)`,
      'LIST SUBQUERY 1',
      'SEARCH gigs USING COVERING INDEX gigs_by_client (client>? AND client<?)',
    ],
    'paymentBudgets.reads.rows': `${step} INDEX payments_failed (token_id=? AND failed_at>?)`,
    'payments.ofClaim': `${step} INDEX payments_by_claim (claim_id=?)`,
    // Every payment of a gig is read only when its wallet has paid something that the ledger does not know.
    'payments.ofGig': [`${step} INDEX payments_by_gig (gig_id=?)`, 'USE TEMP B-TREE FOR ORDER BY'],
    'payments.reads.marked': `${step} INDEX payments_by_gig (gig_id=?)`,
    'payments.reads.byOthers': `${step} INDEX payments_by_gig (gig_id=? AND kind=? AND state=?)`,
    'payments.reads.byPayouts': [`${step} INDEX payments_by_gig (gig_id=? AND kind=? AND state=? AND rowid>?)`],
    'paymentLists.reads.payments.rows.partOfGig.newest': [
      `${step} INDEX payments_by_gig (gig_id=? AND kind=? AND state=? AND rowid<?)`,
    ],
    'paymentLists.reads.payments.rows.part.newest': [`${step} INDEX payments_by_kind (kind=? AND state=? AND rowid<?)`],
    'payments.reads.otherPaymentsOfGig.ofGig': [
      `${step} INDEX payments_by_gig (gig_id=? AND kind=?)`,
      'USE TEMP B-TREE FOR ORDER BY',
    ],
    'gigPayouts.planned': [`${step} COVERING INDEX payments_by_gig (gig_id=? AND kind=? AND state=?)`],
    'gigPayouts.later': [`${step} INDEX payments_confirmed (chain_id=? AND block_number>?)`],
    'gigPayouts.fee': `${step} INDEX payments_by_gig (gig_id=? AND kind=?)`,
  });
  const ofClaims = [
    `${step} INDEX payments_by_claim (claim_id=?)`,
    'LIST SUBQUERY 1',
    'SEARCH claims USING COVERING INDEX claims_by_account (platform=? AND platform_user_id=?)',
    'USE TEMP B-TREE FOR ORDER BY',
  ];
  expectPlans({
    'payouts.claimed.found': ofClaims,
    'payouts.planned.found': ofClaims,
    'payouts.adopted.found': [
      `${step} INDEX payments_adopted (claim_id=? AND rowid<?)`,
      'SEARCH tips EXISTS USING INDEX tips_by_payment (payment_id=?)',
    ],
  });
});

test('behavior: payouts that no claim has planned are found among those alone, for whatever they are looked up', () => {
  const found = [
    'earningHolders.reads.all',
    'earningHolders.reads.eligible',
    'gigEnds.reads.lost',
    'gigEnds.reads.lostOf',
    'payouts.adopted.found',
  ];
  for (const name of found) {
    const searched = planOf(name).filter((each) => / payments /.test(each));
    expect(searched.map((each) => each.split(' (')[0])).toEqual(['SEARCH payments USING INDEX payments_adopted']);
  }
});
