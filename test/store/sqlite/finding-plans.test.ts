import { describe, expect, test } from 'vitest';
import { expectPlans, planOf } from '../../support/plans.ts';

describe('what operators search for', () => {
  test.each([
    ['finding.reads.findPosts.ofMentions', 'SEARCH mentions USING COVERING INDEX mentions_by_post'],
    ['finding.reads.findPosts.ofClaims', 'SEARCH claims USING COVERING INDEX claims_by_post'],
    ['finding.reads.findPosts.ofReplies', 'SEARCH replies USING COVERING INDEX replies_by_post'],
    ['finding.reads.findPosts.ofGigs', 'SEARCH gigs USING COVERING INDEX gigs_by_url'],
    ['finding.titled', 'SEARCH gigs USING COVERING INDEX gigs_by_title'],
    ['finding.reads.findPosts.ofActs', 'SEARCH observations USING INDEX observations_by_post'],
    ['finding.reads.paymentsByHash.marked', 'SEARCH payments USING INDEX payments_by_hash'],
    ['finding.reads.findAddress.ofWallet', 'SEARCH gigs USING COVERING INDEX gigs_by_wallet'],
    ['finding.reads.findAddress.ofClaims', 'SEARCH claims USING COVERING INDEX claims_by_recipient'],
    ['finding.reads.findAddress.ofOthers', 'SEARCH payments USING INDEX payments_by_recipient'],
    ['finding.byUid', 'SEARCH events USING INDEX events_by_uid'],
    ['finding.delivered', 'SEARCH event_deliveries USING COVERING INDEX event_deliveries_once'],
    ['finding.ofRequest', 'SEARCH audit_events USING INDEX audit_events_by_request'],
    ['accountRecords.posted', 'SEARCH mentions USING INDEX mentions_by_author'],
  ])('behavior: goes by an index and sorts nothing: %s', (name, step) => {
    const steps = planOf(name);
    expect(steps).toHaveLength(1);
    expect(steps[0]).toContain(step);
  });

  test('behavior: the tips of an account are sorted by what their index alone holds', () => {
    expectPlans({
      'accountRecords.earned': [
        'SEARCH tips USING COVERING INDEX tips_by_account (platform=? AND platform_user_id=?)',
        'USE TEMP B-TREE FOR ORDER BY',
      ],
    });
  });

  test('behavior: the attempts of a transaction lead to what was included', () => {
    const steps = planOf('finding.reads.paymentsByHash.replaced');
    expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([]);
    expect(steps[0]).toContain('SEARCH payments USING INDEX payments_by_hash');
    const sent = planOf('finding.reads.paymentsByHash.sent');
    expect(sent[0]).toContain('SEARCH payments USING INDEX payments_sent');
  });
});
