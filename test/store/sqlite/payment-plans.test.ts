import { expect, test } from 'vitest';
import { expectPlans, planOf, plans } from '../../support/plans.ts';

/** A list that is one parameter. */
const GIVEN = 'SCAN json_each VIRTUAL TABLE INDEX 1:';

test('behavior: what the sender of a chain asks for is found in indices that hold no history', () => {
  const step = 'SEARCH payments USING';
  expectPlans({
    [`from "payments" … payments.state = 'planned' … "due_at" <= ?`]: [
      `${step} INDEX payments_planned (chain_id=? AND due_at<?)`,
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH m USING COVERING INDEX payments_by_gig (gig_id=? AND kind=? AND state=?)',
    ],
    'min("due_at") from "payments"': `${step} COVERING INDEX payments_planned (chain_id=?)`,
    'min("chain_id") from "payments"': `${step} COVERING INDEX payments_planned (chain_id>?)`,
    'min("chain_id") from "tank_transactions"':
      'SEARCH tank_transactions USING COVERING INDEX tank_transactions_open (chain_id>?)',
    'from "tank_transactions" … order by': 'SEARCH tank_transactions USING INDEX tank_transactions_open (chain_id=?)',
    'from "tank_attempts" … order by':
      'SEARCH tank_attempts USING INDEX tank_attempts_by_transaction (transaction_id=?)',
    [`from "payments" … 'sent' … "transaction_id" in (?) … order by`]: `${step} INDEX payments_sent (transaction_id=?)`,
    'from "payments" … "block_number" > ? … order by': [
      `${step} INDEX payments_confirmed (chain_id=? AND block_number>?)`,
    ],
    'from "tips" … "gig_id" in (?) … "number" in (?)': 'SEARCH tips USING INDEX tips_by_number (gig_id=? AND number=?)',
    'select "payment_id", "number" from "tips"': [
      'SEARCH tips USING INDEX tips_by_payment (payment_id=?)',
      'LIST SUBQUERY 1',
      GIVEN,
    ],
    'from "payments" where "payments"."id" in (select': [
      `${step} INTEGER PRIMARY KEY (rowid=?)`,
      'LIST SUBQUERY 1',
      GIVEN,
    ],
    'from "gigs" … from "gig_transactions" … "gigs"."id" in (select': [
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
    'from "payments" … +"payments"."chain_id" = ?': [
      payments,
      'LIST SUBQUERY 1',
      GIVEN,
      'CORRELATED SCALAR SUBQUERY 2',
      'SEARCH gigs USING INTEGER PRIMARY KEY (rowid=?)',
    ],
    'update "payments" … given."gas"': [GIVEN, payments],
    'update "payments" … given."hash"': [
      GIVEN,
      payments,
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH tank_attempts USING INDEX tank_attempts_by_hash (hash=?)',
    ],
    'update "payments" … given."reason"': [GIVEN, payments],
    'update "tips" … given."hash"': [GIVEN, 'SEARCH tips USING INDEX tips_by_payment (payment_id=?)'],
    'insert into "gig_payouts"': GIVEN,
  });
});

test('behavior: what budgets count, and the payments of a claim, of a gig and to an account, are found in an index', () => {
  const step = 'SEARCH payments USING';
  expectPlans({
    'sum("gas_used") … "client" in (?)': [
      `${step} INDEX payments_by_gas (gig_id=? AND updated_at>?)`,
      'LIST SUBQUERY 2',
      'SEARCH gigs USING INDEX gigs_by_client (client=?)',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH api_keys USING INTEGER PRIMARY KEY (rowid=?)',
    ],
    'sum("gas_used") … "client" glob': [
      `${step} INDEX payments_by_gas (gig_id=? AND updated_at>?)`,
      'LIST SUBQUERY 1',
      'SEARCH gigs USING COVERING INDEX gigs_by_client (client>? AND client<?)',
    ],
    '"failed_at" from "payments" … "failed_at" >= ?': `${step} INDEX payments_failed (token_id=? AND failed_at>?)`,
    'from "payments" where "payments"."claim_id" in (?)': `${step} INDEX payments_by_claim (claim_id=?)`,
    // Every payment of a gig is read only when its wallet has paid something that the ledger does not know.
    'from "payments" where "payments"."gig_id" in (?)': [
      `${step} INDEX payments_by_gig (gig_id=?)`,
      'USE TEMP B-TREE FOR ORDER BY',
    ],
    'select "numbers" from "payments" … +"payments"."state"': `${step} INDEX payments_by_gig (gig_id=?)`,
    'select "numbers" from "payments" … "kind" in': `${step} INDEX payments_by_gig (gig_id=? AND kind=? AND state=?)`,
    'select "id", "numbers" from "payments"': [
      `${step} INDEX payments_by_gig (gig_id=? AND kind=? AND state=? AND rowid>?)`,
    ],
    'select "id", "kind" … from "payments" … "gig_id" in (?) … "kind" in (?) … "state" in (?) … limit 0 + ? …  desc': [
      `${step} INDEX payments_by_gig (gig_id=? AND kind=? AND state=? AND rowid<?)`,
    ],
    'select "id", "kind" … from "payments" where (("payments"."state" in (?) … "kind" in (?) …  desc limit 0 + ?': [
      `${step} INDEX payments_by_kind (kind=? AND state=? AND rowid<?)`,
    ],
    [`from "payments" … "gig_id" in (?) … "kind" in ('fee' … order by`]: [
      `${step} INDEX payments_by_gig (gig_id=? AND kind=?)`,
      'USE TEMP B-TREE FOR ORDER BY',
    ],
    'select count(*) from "payments" … "gig_id" in (?)': [
      `${step} COVERING INDEX payments_by_gig (gig_id=? AND kind=? AND state=?)`,
    ],
    'from "payments" … "block_number" > ? … +"payments"."gig_id" = ?': [
      `${step} INDEX payments_confirmed (chain_id=? AND block_number>?)`,
    ],
    'select "amount" from "payments"': `${step} INDEX payments_by_gig (gig_id=? AND kind=?)`,
  });
  const ofClaims = [
    `${step} INDEX payments_by_claim (claim_id=?)`,
    'LIST SUBQUERY 1',
    'SEARCH claims USING COVERING INDEX claims_by_account (platform=? AND platform_user_id=?)',
    'USE TEMP B-TREE FOR ORDER BY',
  ];
  const toAccount = ['from "payments"', '"claim_id" in (select'] as const;
  expect(planOf(...toAccount, '+"payments"."state" = \'confirmed\'')).toEqual(ofClaims);
  expect(planOf(...toAccount, `"kind" = 'payout') and`)).toEqual(ofClaims);
  expectPlans({
    'from "payments" … payments.claim_id is null … limit 0 + ?': [
      `${step} INDEX payments_adopted (claim_id=? AND rowid<?)`,
      'SEARCH tips EXISTS USING INDEX tips_by_payment (payment_id=?)',
    ],
  });
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
