import { expect, test } from 'vitest';
import { planOf, plans } from '../../support/plans.ts';

/** A list that is one parameter. */
const GIVEN = 'SCAN json_each VIRTUAL TABLE INDEX 1:';

test('behavior: what the sender of a chain asks for is found in indices that hold no history', () => {
  const step = 'SEARCH payments USING';
  expect(planOf('from "payments"', "payments.state = 'planned'", '"due_at" <= ?')).toEqual([
    `${step} INDEX payments_planned (chain_id=? AND due_at<?)`,
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH m USING COVERING INDEX payments_by_gig (gig_id=? AND kind=? AND state=?)',
  ]);
  expect(planOf('min("due_at") from "payments"')).toEqual([`${step} COVERING INDEX payments_planned (chain_id=?)`]);
  expect(planOf('min("chain_id") from "payments"')).toEqual([`${step} COVERING INDEX payments_planned (chain_id>?)`]);
  expect(planOf('min("chain_id") from "tank_transactions"')).toEqual([
    'SEARCH tank_transactions USING COVERING INDEX tank_transactions_open (chain_id>?)',
  ]);
  expect(planOf('from "tank_transactions"', 'order by')).toEqual([
    'SEARCH tank_transactions USING INDEX tank_transactions_open (chain_id=?)',
  ]);
  expect(planOf('from "tank_attempts"', 'order by')).toEqual([
    'SEARCH tank_attempts USING INDEX tank_attempts_by_transaction (transaction_id=?)',
  ]);
  expect(planOf('from "payments"', "payments.state = 'sent'", '"transaction_id" in (?)', 'order by')).toEqual([
    `${step} INDEX payments_sent (transaction_id=?)`,
  ]);
  expect(planOf('from "payments"', '"block_number" > ?', 'order by')).toEqual([
    `${step} INDEX payments_confirmed (chain_id=? AND block_number>?)`,
  ]);
  expect(planOf('from "tips"', '"gig_id" in (?)', '"number" in (?)')).toEqual([
    'SEARCH tips USING INDEX tips_by_number (gig_id=? AND number=?)',
  ]);
  expect(planOf('select "payment_id", "number" from "tips"')).toEqual([
    'SEARCH tips USING INDEX tips_by_payment (payment_id=?)',
    'LIST SUBQUERY 1',
    GIVEN,
  ]);
  expect(planOf('from "payments" where "payments"."id" in (select')).toEqual([
    `${step} INTEGER PRIMARY KEY (rowid=?)`,
    'LIST SUBQUERY 1',
    GIVEN,
  ]);
  expect(planOf('from "gigs"', 'from "gig_transactions"', '"gigs"."id" in (select')).toEqual([
    'SEARCH gigs USING INTEGER PRIMARY KEY (rowid=?)',
    'LIST SUBQUERY 3',
    GIVEN,
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH api_keys USING INTEGER PRIMARY KEY (rowid=?)',
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH gig_transactions USING INDEX gig_transactions_by_gig (gig_id=?)',
  ]);
});

test('behavior: what is sent and settled at once is found by what was given', () => {
  const payments = 'SEARCH payments USING INTEGER PRIMARY KEY (rowid=?)';
  expect(planOf('from "payments"', '+"payments"."chain_id" = ?')).toEqual([
    payments,
    'LIST SUBQUERY 1',
    GIVEN,
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH gigs USING INTEGER PRIMARY KEY (rowid=?)',
  ]);
  expect(planOf('update "payments"', 'given."gas"')).toEqual([GIVEN, payments]);
  expect(planOf('update "payments"', 'given."hash"')).toEqual([
    GIVEN,
    payments,
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH tank_attempts USING INDEX tank_attempts_by_hash (hash=?)',
  ]);
  expect(planOf('update "payments"', 'given."reason"')).toEqual([GIVEN, payments]);
  expect(planOf('update "tips"', 'given."hash"')).toEqual([
    GIVEN,
    'SEARCH tips USING INDEX tips_by_payment (payment_id=?)',
  ]);
  expect(planOf('insert into "gig_payouts"')).toEqual([GIVEN]);
});

test('behavior: what budgets count, and the payments of a claim, of a gig and to an account, are found in an index', () => {
  const step = 'SEARCH payments USING';
  expect(planOf('sum("gas_used")', '"client" in (?)')).toEqual([
    `${step} INDEX payments_by_gas (gig_id=? AND updated_at>?)`,
    'LIST SUBQUERY 2',
    'SEARCH gigs USING INDEX gigs_by_client (client=?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH api_keys USING INTEGER PRIMARY KEY (rowid=?)',
  ]);
  expect(planOf('sum("gas_used")', '"client" glob')).toEqual([
    `${step} INDEX payments_by_gas (gig_id=? AND updated_at>?)`,
    'LIST SUBQUERY 1',
    'SEARCH gigs USING COVERING INDEX gigs_by_client (client>? AND client<?)',
  ]);
  expect(planOf('"failed_at" from "payments"', '"failed_at" >= ?')).toEqual([
    `${step} INDEX payments_failed (token_id=? AND failed_at>?)`,
  ]);
  expect(planOf('from "payments" where "payments"."claim_id" in (?)')).toEqual([
    `${step} INDEX payments_by_claim (claim_id=?)`,
  ]);
  // Every payment of a gig is read only when its wallet has paid something that the ledger does not know.
  expect(planOf('from "payments" where "payments"."gig_id" in (?)')).toEqual([
    `${step} INDEX payments_by_gig (gig_id=?)`,
    'USE TEMP B-TREE FOR ORDER BY',
  ]);
  expect(planOf('select "numbers" from "payments"', '+"payments"."state"')).toEqual([
    `${step} INDEX payments_by_gig (gig_id=?)`,
  ]);
  expect(planOf('select "numbers" from "payments"', '"kind" in')).toEqual([
    `${step} INDEX payments_by_gig (gig_id=? AND kind=? AND state=?)`,
  ]);
  expect(planOf('select "id", "numbers" from "payments"')).toEqual([
    `${step} INDEX payments_by_gig (gig_id=? AND kind=? AND state=? AND rowid>?)`,
  ]);
  expect(
    planOf('from "payments"', '"gig_id" in (?)', '"kind" in (?)', '"state" in (?)', 'limit 0 + ?', ' desc'),
  ).toEqual([`${step} INDEX payments_by_gig (gig_id=? AND kind=? AND state=? AND rowid<?)`]);
  expect(planOf('from "payments" where ("payments"."state" in (?)', '"kind" in (?)', 'limit 0 + ?')).toEqual([
    `${step} INDEX payments_by_kind (kind=? AND state=? AND rowid<?)`,
  ]);
  expect(planOf('from "payments"', '"gig_id" in (?)', `"kind" in ('fee'`, 'order by')).toEqual([
    `${step} INDEX payments_by_gig (gig_id=? AND kind=?)`,
    'USE TEMP B-TREE FOR ORDER BY',
  ]);
  expect(planOf('select count(*) from "payments"', '"gig_id" in (?)')).toEqual([
    `${step} COVERING INDEX payments_by_gig (gig_id=? AND kind=? AND state=?)`,
  ]);
  expect(planOf('from "payments"', '"block_number" > ?', '+"payments"."gig_id" = ?')).toEqual([
    `${step} INDEX payments_confirmed (chain_id=? AND block_number>?)`,
  ]);
  expect(planOf('select "amount" from "payments"')).toEqual([`${step} INDEX payments_by_gig (gig_id=? AND kind=?)`]);
  const ofClaims = [
    `${step} INDEX payments_by_claim (claim_id=?)`,
    'LIST SUBQUERY 1',
    'SEARCH claims USING COVERING INDEX claims_by_account (platform=? AND platform_user_id=?)',
    'USE TEMP B-TREE FOR ORDER BY',
  ];
  const toAccount = ['from "payments"', '"claim_id" in (select'] as const;
  expect(planOf(...toAccount, '+"payments"."state" = \'confirmed\'')).toEqual(ofClaims);
  expect(planOf(...toAccount, `"kind" = 'payout') and`)).toEqual(ofClaims);
  expect(planOf('from "payments"', 'payments.claim_id is null', 'limit 0 + ?')).toEqual([
    `${step} INDEX payments_adopted (claim_id=? AND rowid<?)`,
    'SEARCH tips EXISTS USING INDEX tips_by_payment (payment_id=?)',
  ]);
});

test('behavior: payouts that no claim has planned are found among those alone, for whatever they are looked up', () => {
  const found = plans().filter(({ statement }) =>
    statement.includes('payments.claim_id is null and not payments.kind'),
  );
  expect(found).toHaveLength(5);
  for (const { steps } of found) {
    const searched = steps.filter((each) => / payments /.test(each));
    expect(searched.map((each) => each.split(' (')[0])).toEqual(['SEARCH payments USING INDEX payments_adopted']);
  }
});
