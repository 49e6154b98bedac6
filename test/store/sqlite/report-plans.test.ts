import { test } from 'vitest';
import { expectPlans } from '../../support/plans.ts';

test('behavior: what a gig’s statement needs is found in an index, its payouts left aside', () => {
  expectPlans({
    'gigReports.list.newest': 'SEARCH tips USING INDEX tips_by_number (gig_id=? AND number<?)',
    'tips.reads.voidOfGig': 'SEARCH tips USING COVERING INDEX tips_void (gig_id=? AND number>?)',
    'tipNumbers.first': 'SEARCH tips USING COVERING INDEX tips_by_number (gig_id=? AND number>?)',
    'tipNumbers.words': [
      'SEARCH tips USING COVERING INDEX tips_by_number (gig_id=? AND number>? AND number<?)',
      'USE TEMP B-TREE FOR DISTINCT',
    ],
  });
});
