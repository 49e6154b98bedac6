import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Connections, openConnections } from '../../../src/store/sqlite/connection.ts';
import { planOf, plans, plansOf } from '../../support/plans.ts';
import { MIGRATIONS, temporaryFolder } from '../../support/store.ts';

/** A list that is one parameter. */
const GIVEN = 'SCAN json_each VIRTUAL TABLE INDEX 1:';

/** 50,000 tips of 50,000 accounts, as many gigs, nearly all of them over, and as many mentions, replies and payouts, one in fifty of them still open. */
function seed({ writer }: Connections): void {
  const numbers = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 50000)';
  const platform = "case i % 2 when 0 then 'farcaster' else 'twitter' end";
  const address = "'0x00000000000000000000000000000000000000aa'";
  writer.$client.exec(`
    insert into tokens values (1, 1, ${address}, 8453, 18, 'Degen', 'DEGEN', '', 0, null, 0, 0);
    ${numbers} insert into gigs (created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time,
      duration, gig_type, platform, wallet_address)
      select 1, 'live', 1, 1, '1', '1', i, i + 1, 1, 'mention', ${platform}, printf('0x%040x', i) from n;
    ${numbers} insert into accounts (platform, platform_user_id, username, handle, created_at)
      select ${platform}, i, 'U' || i, 'u' || i, 1 from n;
    update gigs set next_tip_number = 50001 where id = 1;
    ${numbers} insert into tips (created_at, gig_id, number, token_id, amount, status, platform, platform_user_id)
      select 1, 1, i, 1, '5', case i % 5 when 0 then 'claimed' else 'pending' end, ${platform}, i from n;
    ${numbers} insert into mentions (version, platform, post_id, reply_to, thread_id, author_id, text, posted_at, received_at,
      source, state, attempts, due_at)
      select 1, ${platform}, i, i, i, i, 'x', 1, 1, 'webhook', iif(i % 50 = 0, 'received', 'answered'), 0, i from n;
    ${numbers} insert into replies (mention_id, platform, author_id, thread_id, kind, text, created_at, state, attempts,
      post_id, sent_at, due_at)
      select i, ${platform}, i, i, 'answer', 'x', 1, iif(i % 50 = 0, 'queued', 'sent'), 0,
        iif(i % 50 = 0, null, i), iif(i % 50 = 0, null, i), i from n;
    ${numbers} insert into claims (public_id, platform, platform_user_id, post_id, recipient, created_at)
      select i, ${platform}, i, i, ${address}, 1 from n;
    ${numbers} insert into tank_transactions (id, chain_id, nonce, is_over, created_at) select i, 8453, i, i % 50 <> 1, 1 from n;
    ${numbers} insert into tank_attempts select i, printf('0x%064x', i), i, '0x02', '1', '1', '1', 1, null from n;
    ${numbers} insert into payments (kind, chain_id, gig_id, claim_id, token_id, recipient, amount, state, numbers, transaction_id,
      hash, block_number, gas_used, due_at, created_at, updated_at)
      select 'payout', 8453, i, i, 1, ${address}, '5', case i % 50 when 0 then 'planned' when 1 then 'sent' else 'confirmed' end,
        iif(i % 50 = 0, null, i), iif(i % 50 = 0, null, i), iif(i % 50 < 2, null, printf('0x%064x', i)),
        iif(i % 50 < 2, null, 1), iif(i % 50 = 0, 0, 1), 1, 1, 1 from n;
    update tips set payment_id = id, tx_hash = 'x', claimed_at = 1 where status = 'claimed';
  `);
}

describe('the plans of the statements', () => {
  test('behavior: a claim look-up searches the account, then the partial index of pending tips', () => {
    expect(planOf('select', 'from "tips"', 'tips.is_void = 0')).toEqual([
      'SEARCH tips USING COVERING INDEX tips_pending (platform=? AND platform_user_id=?)',
    ]);
    expect(planOf('select "platform_user_id", "username" from "accounts"', '"handle" in (?)')).toEqual([
      'SEARCH accounts USING INDEX accounts_by_handle (platform=? AND handle=?)',
    ]);
    const account = planOf('select "username" from "accounts"', '"platform_user_id" in (?)');
    expect(account).toEqual([
      'SEARCH accounts USING INDEX sqlite_autoindex_accounts_1 (platform=? AND platform_user_id=?)',
    ]);
  });

  test('behavior: whether a label was seen later is searched by the account and by the handle', () => {
    expect(planOf('from "accounts"', '"label_seen_at" > ?')).toEqual([
      'MULTI-INDEX OR',
      'INDEX 1',
      'SEARCH accounts USING INDEX sqlite_autoindex_accounts_1 (platform=? AND platform_user_id=?)',
      'INDEX 2',
      'SEARCH accounts USING INDEX accounts_by_handle (platform=? AND handle=?)',
    ]);
  });

  test('behavior: leases search what is due, in its order, without sorting', () => {
    const leading = [
      'SEARCH mentions USING INDEX mentions_due (platform=? AND due_at<?)',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH earlier USING COVERING INDEX mentions_waiting_by_author (platform=? AND author_id=? AND rowid<?)',
    ];
    const due = plans().filter(
      ({ statement }) => statement.includes('from "mentions"') && statement.includes('"due_at" <= ?'),
    );
    // Several are read, one is leased.
    expect(due.map(({ steps }) => steps)).toEqual([leading, leading]);
    const first = 'SEARCH replies USING INDEX replies_due (platform=? AND worth=? AND due_at<?)';
    const leases = plans().filter(
      ({ statement }) => statement.includes('from "replies"') && statement.includes('"due_at" <= ?'),
    );
    const among = (list: number) => [`LIST SUBQUERY ${list}`, GIVEN, 'CREATE BLOOM FILTER'];
    const elsewhere = [first, ...among(1), ...among(2)];
    const sent =
      'SEARCH sent EXISTS USING COVERING INDEX replies_sent_to_author (platform=? AND author_id=? AND sent_at>?)';
    expect(leases.map(({ steps }) => steps)).toEqual([
      [first],
      elsewhere,
      [...elsewhere, sent],
      // Whether any is due, and whether any has waited too long.
      [first],
      [first],
    ]);
  });

  test('behavior: what was sent of a budget and what waited too long are found in an index', () => {
    expect(planOf('count(*) from "replies"', '"sent_at" >= ?')).toEqual([
      'SEARCH replies USING COVERING INDEX replies_by_sending (platform=? AND sent_at>? AND sent_at<?)',
    ]);
    expect(planOf('count(*) from "replies"', '"state" = ')).toEqual([
      'SEARCH replies USING INDEX replies_by_state (state=?)',
    ]);
    expect(planOf('update "replies"', '"due_at" <= ?')).toEqual([
      'SEARCH replies USING INDEX replies_due (platform=? AND worth=? AND due_at<?)',
    ]);
  });

  test('behavior: what the operator looks at walks an index', () => {
    expect(planOf('from "mentions"', '"state" in (?)', 'order by')).toEqual([
      'SEARCH mentions USING INDEX mentions_by_state (state=? AND rowid<?)',
    ]);
    // As many steps as mentions wait, not as there are.
    expect(planOf('count(*) from "mentions"')).toEqual([
      'SEARCH mentions USING COVERING INDEX mentions_by_state (state=?)',
    ]);
    expect(planOf('from "state_counts" where "state_counts"."subject" in (?)')).toEqual([
      'SEARCH state_counts USING INDEX sqlite_autoindex_state_counts_1 (subject=?)',
    ]);
    expect(planOf('gigs.frozen_reason is not null')).toEqual(['SCAN gigs USING INDEX gigs_frozen']);
  });

  test('behavior: the limits and the look for own posts search an index', () => {
    expect(planOf('count(*) from "replies"', '"author_id" in (?)', '"kind" in (?)')).toEqual([
      'SEARCH replies USING INDEX replies_by_author (platform=? AND author_id=? AND created_at>? AND created_at<?)',
    ]);
    for (const [column, key] of [
      ['author_id', 'to_author'],
      ['thread_id', 'in_thread'],
    ] as const) {
      const ofKey = `(platform=? AND ${column}=?`;
      expect(planOf('select "sent_at"', `"${column}" in (?)`).map((step) => step.replace('COVERING ', ''))).toEqual([
        `SEARCH replies USING INDEX replies_sent_${key} ${ofKey} AND sent_at>?)`,
      ]);
      expect(planOf('count(*) filter', `"${column}" in (?)`)).toEqual([
        `SEARCH replies USING INDEX replies_open_${key} ${ofKey})`,
      ]);
      const ofHeld = column === 'author_id' ? 'replies_unposted' : 'replies_open_in_thread';
      expect(planOf('min("id")', `"${column}" in (?)`)).toEqual([`SEARCH replies USING INDEX ${ofHeld} ${ofKey})`]);
    }
    expect(planOf('from "replies"', 'replies.held_for is not null or', 'order by')).toEqual([
      'SEARCH replies USING INDEX replies_unposted (platform=? AND author_id=?)',
    ]);
    expect(planOf('from "replies"', '"post_id" in (?))')).toEqual([
      'SEARCH replies USING COVERING INDEX replies_by_post (platform=? AND post_id=?)',
    ]);
  });

  test('behavior: the live and the active gigs search those whose window is not over, the other lists walk one index in its order', () => {
    const windows = 'SEARCH gigs USING COVERING INDEX gigs_live_windows (platform=? AND end_time>?)';
    expect(planOf('from "gigs"', '"stopped_at" is null) and +')).toEqual([windows, 'USE TEMP B-TREE FOR ORDER BY']);
    // Of one whose start is to come, the record of its start is read, too.
    expect(planOf('from "gigs"', '"start_time" <= ?')).toEqual([
      windows,
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH gig_transactions USING INDEX gig_transactions_by_gig (gig_id=?)',
      'USE TEMP B-TREE FOR ORDER BY',
    ]);
    expect(planOf('from "gigs"', '"status" in (?) and "gigs"."id" < ?) order by')).toEqual([
      'SEARCH gigs USING COVERING INDEX gigs_by_status (platform=? AND status=? AND rowid<?)',
    ]);
    expect(planOf('from "gigs"', '"id" < ?) and ("gigs"."end_time" <= ?')).toEqual([
      'SEARCH gigs USING INDEX gigs_by_status (platform=? AND status=? AND rowid<?)',
    ]);
    expect(planOf('from "gigs"', '"cancelled_at" is null) order by')).toEqual([
      'SEARCH gigs USING INDEX gigs_by_status (platform=? AND status=? AND rowid<?)',
    ]);
  });

  test('behavior: gigs that are to be settled, refunded or returned are found in an index of their own', () => {
    expect(planOf('from "gigs"', 'gigs.settled_at is null and', '"award_days"')[0]).toContain('gigs_unsettled');
    expect(planOf('from "gigs"', 'gigs.refunded_at is null and')[0]).toContain('gigs_to_refund');
    expect(planOf('from "gigs"', 'gigs.cancelled_at is not null and')[0]).toContain('gigs_cancelled');
  });

  test('behavior: one account’s tip of a gig, an owner and a first answer are found in an index', () => {
    expect(planOf('select "gig_id" from "tips"', '"gig_id" in (?)')).toEqual([
      'SEARCH tips USING INDEX tips_by_account (platform=? AND platform_user_id=? AND gig_id=?)',
    ]);
    expect(planOf('select "gig_id" from "gig_owners"', '"gig_id" in (?) and', '"platform_user_id" in (?)')).toEqual([
      'SEARCH gig_owners USING COVERING INDEX gig_owners_by_account (gig_id=? AND platform=? AND platform_user_id=?)',
    ]);
    expect(planOf('select "gig_id" from "gig_owners"', '"gig_id" < ?')).toEqual([
      'SEARCH gig_owners USING COVERING INDEX gig_owners_gigs (platform=? AND platform_user_id=? AND gig_id<?)',
    ]);
    expect(planOf('select "id" from "gigs"', '"client" in (?)', 'limit')).toEqual([
      'SEARCH gigs USING COVERING INDEX gigs_by_client (client=? AND rowid<?)',
    ]);
    expect(planOf('from "idempotency_keys"')).toEqual([
      'SEARCH idempotency_keys USING INDEX sqlite_autoindex_idempotency_keys_1 (scope=? AND key=?)',
    ]);
  });

  test('behavior: claims, and the tips of a payment, are found in an index', () => {
    expect(planOf('from "claims"', '"post_id" in (?)')).toEqual([
      'SEARCH claims USING INDEX claims_by_post (platform=? AND post_id=?)',
    ]);
    expect(planOf('from "claims"', '"platform_user_id" in (?)', '"recipient"')).toEqual([
      'SEARCH claims USING INDEX claims_by_account (platform=? AND platform_user_id=? AND rowid<?)',
    ]);
    expect(planOf('select "id", "created_at"', 'from "tips"', 'where "tips"."payment_id" in (?)')).toEqual([
      'SEARCH tips USING INDEX tips_by_payment (payment_id=?)',
    ]);
    expect(planOf('update "tips"', 'tips.is_void = 0')).toEqual([
      'SEARCH tips USING COVERING INDEX tips_pending (platform=? AND platform_user_id=?)',
    ]);
    expect(planOf('from "tokens" where "tokens"."address" in (?)')).toEqual([
      'SEARCH tokens USING COVERING INDEX tokens_on_all_chains (address=?)',
    ]);
  });

  test('behavior: nothing else scans or sorts, but for counts and short lists', () => {
    // SQLite looks for children of what these add only when a constraint is violated already (FkIfZero).
    const isOfChildren = ({ statement }: { statement: string }) =>
      /^insert into "(accounts|api_keys|events|gigs|login_links)"/.test(statement);
    const others = plans().filter((plan) => !isOfChildren(plan));
    const steps = others.flatMap((plan) => plan.steps.filter((step) => /SCAN|TEMP B-TREE/.test(step)));
    expect(steps.sort()).toEqual([
      // What has to be told and what was tried in vain, the open alerts, and the gigs whose last audit failed.
      'SCAN alert_deliveries USING INDEX alert_deliveries_due',
      // Those that wait, here and below: all of them, after the clock was set back.
      'SCAN alert_deliveries USING INDEX alert_deliveries_due',
      'SCAN alert_deliveries USING INDEX alert_deliveries_due',
      'SCAN alert_deliveries USING INDEX alert_deliveries_troubled',
      'SCAN alerts USING INDEX alerts_open',
      'SCAN alerts USING INDEX alerts_open',
      ...Array<string>(4).fill('SCAN api_keys'),
      'SCAN audit_events USING INDEX audit_events_id_skips',
      'SCAN audit_faults',
      // No more than the claims whose authors are still to be told what became of them.
      'SCAN claims USING INDEX claims_promised',
      // The tips of each gig, up to a number of them.
      'SCAN counted',
      // Those that wait: once an hour those of deleted endpoints, and all after the clock was set back.
      'SCAN event_deliveries USING COVERING INDEX event_deliveries_due',
      'SCAN event_deliveries USING INDEX event_deliveries_of_gig',
      'SCAN event_deliveries USING INDEX event_deliveries_of_gig',
      // What is not released yet: to release it, and to tell no fact of a chain twice.
      ...Array.from({ length: 2 }, () => 'SCAN events USING INDEX events_unreleased'),
      'SCAN gas_tanks',
      // No more than the owners who may still be told of a gig.
      'SCAN gig_tellings USING INDEX gig_tellings_open',
      'SCAN gigs USING INDEX gigs_frozen',
      // No more than the gigs that run or can be awarded, those whose refund waits, and those to start.
      'SCAN gigs USING INDEX gigs_to_refund',
      'SCAN gigs USING INDEX gigs_to_start',
      'SCAN gigs USING INDEX gigs_to_start',
      'SCAN gigs USING INDEX gigs_unsettled',
      'SCAN gigs USING INDEX gigs_unsettled',
      // Those that are not started: how many are owners' is counted when one of them creates another, and when some are cancelled.
      ...Array.from({ length: 3 }, () => 'SCAN gigs USING INDEX gigs_waiting'),
      // The ids of a page of gigs, for their rules, counts, watches and names; the tips of a payment; the texts of accounts judged
      // together; what payments that are listed, sent or settled together name; accounts and threads that get no reply now; the places of
      // new events, and the types that are read; the accounts that are linked to a wallet, and whether one of them owns a gig.
      ...Array.from({ length: 45 }, () => GIVEN),
      'SCAN login_links',
      // Only the newest is read.
      'SCAN mentions',
      // Those of a gig's awarded accounts among whom the page shows who earned most.
      'SCAN newest',
      // The endpoints to which something is sent now: all and the slow ones, for what is queued and for a test.
      ...Array.from({ length: 4 }, () => 'SCAN other USING INDEX webhook_endpoints_leased'),
      // Those that wait or are under way, to find late ones.
      'SCAN payments USING INDEX payments_planned',
      'SCAN replies USING INDEX replies_due',
      'SCAN replies USING INDEX replies_due',
      'SCAN sessions',
      'SCAN sessions',
      'SCAN sqlite_sequence',
      'SCAN sqlite_sequence',
      // No more than the operator offers.
      'SCAN tokens USING INDEX tokens_offered',
      'SCAN verifier_batches USING INDEX verifier_batches_open',
      'SCAN watches USING INDEX watches_open',
      'SCAN watches USING INDEX watches_open',
      'SCAN watches USING INDEX watches_open',
      'SCAN watches USING INDEX watches_open',
      'SCAN watches USING INDEX watches_open',
      // All endpoints, of which a client has ten: for the page, for what is released, when the clock was set back, and by keys.
      ...Array<string>(3).fill('SCAN webhook_endpoints'),
      ...Array.from({ length: 3 }, () => 'SCAN webhook_endpoints USING INDEX webhook_endpoints_by_client'),
      ...Array.from({ length: 3 }, () => 'SCAN webhook_endpoints USING INDEX webhook_endpoints_due'),
      'SCAN webhook_endpoints USING INDEX webhook_endpoints_leased',
      'SCAN webhook_endpoints USING INDEX webhook_endpoints_troubled',
      // The words of a gig's tips.
      'USE TEMP B-TREE FOR DISTINCT',
      // The weights of the members of a round, when it is divided.
      'USE TEMP B-TREE FOR GROUP BY',
      'USE TEMP B-TREE FOR GROUP BY',
      // The sums of the ten tokens of the overview, and the gas since a day.
      'USE TEMP B-TREE FOR GROUP BY',
      'USE TEMP B-TREE FOR GROUP BY',
      // Late payments by gig and reason.
      'USE TEMP B-TREE FOR GROUP BY',
      'USE TEMP B-TREE FOR GROUP BY',
      // The tokens of the most gigs, the deliveries of an alert, twice the open alerts, and the gigs of owners that wait for funds.
      // The endpoints that something is due for, by the turns of their clients.
      'USE TEMP B-TREE FOR ORDER BY',
      'USE TEMP B-TREE FOR ORDER BY',
      'USE TEMP B-TREE FOR ORDER BY',
      'USE TEMP B-TREE FOR ORDER BY',
      'USE TEMP B-TREE FOR ORDER BY',
      // What is queued for endpoints at once, and the gigs that may be funded; the payments of a gig, and those of them that are no payouts.
      ...Array.from({ length: 5 }, () => 'USE TEMP B-TREE FOR ORDER BY'),
      // The live gigs, the active ones, those that were cancelled of late, the owners of one gig, the tips of one account, what it was or is to be paid, the payments of ten claims, and who earned most.
      ...Array.from({ length: 10 }, () => 'USE TEMP B-TREE FOR ORDER BY'),
    ]);
  });

  test('behavior: every plan is the same on an empty database, on a large one, and when that is opened again', () => {
    const folder = temporaryFolder();
    const place = { path: join(folder.path, 'gigclaim.db'), migrationsFolder: MIGRATIONS };
    const first = openConnections(place);
    seed(first);
    expect(plansOf(first.writer)).toEqual(plans());
    first.close();
    const again = openConnections(place);
    expect(plansOf(again.writer)).toEqual(plans());
    again.close();
    folder.remove();
  });
});
