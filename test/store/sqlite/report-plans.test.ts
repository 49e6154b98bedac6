import { test } from 'vitest';
import { expectPlans } from '../../support/plans.ts';

test('behavior: what a gig’s statement needs is found in an index, its payouts left aside', () => {
  expectPlans({
    'from "tips" … "number" < ? … order by': 'SEARCH tips USING INDEX tips_by_number (gig_id=? AND number<?)',
    '"number" from "tips" … tips.is_void = 1 … limit 0 + ?':
      'SEARCH tips USING COVERING INDEX tips_void (gig_id=? AND number>?)',
    'min("number") from "tips"': 'SEARCH tips USING COVERING INDEX tips_by_number (gig_id=? AND number>?)',
    'select distinct … from "tips"': [
      'SEARCH tips USING COVERING INDEX tips_by_number (gig_id=? AND number>? AND number<?)',
      'USE TEMP B-TREE FOR DISTINCT',
    ],
  });
});
