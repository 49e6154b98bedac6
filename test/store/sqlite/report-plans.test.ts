import { expect, test } from 'vitest';
import { planOf } from '../../support/plans.ts';

test('behavior: what a gig’s statement needs is found in an index, its payouts left aside', () => {
  expect(planOf('from "tips"', '"number" < ?', 'order by')).toEqual([
    'SEARCH tips USING INDEX tips_by_number (gig_id=? AND number<?)',
  ]);
  expect(planOf('select "amount" from "tips"', 'tips.is_void = 1')).toEqual([
    'SEARCH tips USING COVERING INDEX tips_void (gig_id=?)',
  ]);
  expect(planOf('select "id"', 'from "payments"', '"kind" = ?', '+"payments"."gig_id" = ?')).toEqual([
    'SEARCH payments USING INDEX payments_by_kind (kind=? AND state=?)',
  ]);
  const searched = { fee: '(gig_id=?)', refund: '(gig_id=?)', return: '(gig_id=? AND place>?)' };
  for (const [kind, columns] of Object.entries(searched)) {
    expect(planOf('select "id", "kind"', 'from "payments"', `payments.kind = '${kind}'`)).toEqual([
      `SEARCH payments USING INDEX payments_one_${kind} ${columns}`,
    ]);
  }
});
