import { describe, expect, test } from 'vitest';
import { expectPlans, planOf } from '../../support/plans.ts';

describe('what operators search for', () => {
  test.each([
    [['from "mentions"', '"post_id" >= ?'], 'SEARCH mentions USING COVERING INDEX mentions_by_post'],
    [['from "claims"', '"post_id" >= ?'], 'SEARCH claims USING COVERING INDEX claims_by_post'],
    [['from "replies"', '"post_id" >= ?'], 'SEARCH replies USING COVERING INDEX replies_by_post'],
    [['from "gigs"', '"external_url" in (?)'], 'SEARCH gigs USING COVERING INDEX gigs_by_url'],
    [['from "gigs"', '"title" in (?)', 'order by'], 'SEARCH gigs USING COVERING INDEX gigs_by_title'],
    [['from "observations"', '"object_id" >= ?'], 'SEARCH observations USING INDEX observations_by_post'],
    [['from "payments"', '"hash" in (?)) order by'], 'SEARCH payments USING INDEX payments_by_hash'],
    [['from "gigs"', '"wallet_address" in (?)'], 'SEARCH gigs USING COVERING INDEX gigs_by_wallet'],
    [['from "claims"', '"recipient" in (?)'], 'SEARCH claims USING COVERING INDEX claims_by_recipient'],
    [['from "payments"', '"recipient" in (?)', 'order by'], 'SEARCH payments USING INDEX payments_by_recipient'],
    [['from "events"', '"uid" in (?)'], 'SEARCH events USING INDEX events_by_uid'],
    [
      ['select "place" from "event_deliveries" where ("event_deliveries"."event_id" in (?)'],
      'SEARCH event_deliveries USING COVERING INDEX event_deliveries_once',
    ],
    [['from "audit_events"', '"request_id" in (?)'], 'SEARCH audit_events USING INDEX audit_events_by_request'],
    [
      ['from "mentions"', '"author_id" in (?)', 'order by "mentions"."id" desc'],
      'SEARCH mentions USING INDEX mentions_by_author',
    ],
  ])('behavior: goes by an index and sorts nothing: %j', (parts, step) => {
    const steps = planOf(...parts);
    expect(steps).toHaveLength(1);
    expect(steps[0]).toContain(step);
  });

  test('behavior: the tips of an account are sorted by what their index alone holds', () => {
    expectPlans({
      'select "id" from "tips" … order by': [
        'SEARCH tips USING COVERING INDEX tips_by_account (platform=? AND platform_user_id=?)',
        'USE TEMP B-TREE FOR ORDER BY',
      ],
    });
  });

  test('behavior: the attempts of a transaction lead to what was included', () => {
    const steps = planOf('from "payments"', '"payments"."hash" in (select');
    expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([]);
    expect(steps[0]).toContain('SEARCH payments USING INDEX payments_by_hash');
    const sent = planOf('from "payments"', '"payments"."transaction_id" = (select', 'limit');
    expect(sent[0]).toContain('SEARCH payments USING INDEX payments_sent');
  });
});
