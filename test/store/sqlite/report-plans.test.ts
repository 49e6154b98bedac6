import { expect, test } from 'vitest';
import { planOf } from '../../support/plans.ts';

test('behavior: what a gig’s statement needs is found in an index, its payouts left aside', () => {
  expect(planOf('from "tips"', '"number" < ?', 'order by')).toEqual([
    'SEARCH tips USING INDEX tips_by_number (gig_id=? AND number<?)',
  ]);
  expect(planOf('"number" from "tips"', 'tips.is_void = 1', 'limit 0 + ?')).toEqual([
    'SEARCH tips USING COVERING INDEX tips_void (gig_id=? AND number>?)',
  ]);
  expect(planOf('min("number") from "tips"')).toEqual([
    'SEARCH tips USING COVERING INDEX tips_by_number (gig_id=? AND number>?)',
  ]);
  expect(planOf('select distinct', 'from "tips"')).toEqual([
    'SEARCH tips USING COVERING INDEX tips_by_number (gig_id=? AND number>? AND number<?)',
    'USE TEMP B-TREE FOR DISTINCT',
  ]);
});
