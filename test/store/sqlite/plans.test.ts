import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Connections, openConnections } from '../../../src/store/sqlite/connection.ts';
import { expectPlans, planOf, plans, plansOf } from '../../support/plans.ts';
import { MIGRATIONS, temporaryFolder } from '../../support/store.ts';

/** How often each of them is there. */
function tally(all: readonly unknown[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(all, String)].map(([each, same]) => [each, same.length]));
}

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
    expectPlans({
      'createPendingLookup.pending.pending':
        'SEARCH tips USING COVERING INDEX tips_pending (platform=? AND platform_user_id=?)',
      'createPendingLookup.account.byHandle':
        'SEARCH accounts USING INDEX accounts_by_handle (platform=? AND handle=?)',
    });
    const account = planOf('createPendingLookup.account.byKey');
    expect(account).toEqual([
      'SEARCH accounts USING INDEX sqlite_autoindex_accounts_1 (platform=? AND platform_user_id=?)',
    ]);
  });

  test('behavior: whether a label was seen later is searched by the account and by the handle', () => {
    expectPlans({
      'accounts.keepLabel.label.newer': [
        'MULTI-INDEX OR',
        'INDEX 1',
        'SEARCH accounts USING INDEX sqlite_autoindex_accounts_1 (platform=? AND platform_user_id=?)',
        'INDEX 2',
        'SEARCH accounts USING INDEX accounts_by_handle (platform=? AND handle=?)',
      ],
    });
  });

  test('behavior: leases search what is due, in its order, without sorting', () => {
    const leading = [
      'SEARCH mentions USING INDEX mentions_due (platform=? AND due_at<?)',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH earlier USING COVERING INDEX mentions_waiting_by_author (platform=? AND author_id=? AND rowid<?)',
    ];
    // Several are read, one is leased.
    expectPlans({ 'mentions.reads.due': leading, 'mentions.writes.due': leading });
    const first = 'SEARCH replies USING INDEX replies_due (platform=? AND worth=? AND due_at<?)';
    const among = (list: number) => [`LIST SUBQUERY ${list}`, GIVEN, 'CREATE BLOOM FILTER'];
    const elsewhere = [first, ...among(1), ...among(2)];
    const sent =
      'SEARCH sent EXISTS USING COVERING INDEX replies_sent_to_author (platform=? AND author_id=? AND sent_at>?)';
    expectPlans({
      'replyLeases.next.every': first,
      'replyLeases.next.isElsewhere': elsewhere,
      'replyLeases.next.isKnown': [...elsewhere, sent],
      'replyLeases.reads.isReplyDue.due': first,
      // Whether any has waited too long.
      'replyLeases.perished': first,
    });
  });

  test('behavior: what was sent of a budget and what waited too long are found in an index', () => {
    expectPlans({
      'replies.reads.sent':
        'SEARCH replies USING COVERING INDEX replies_by_sending (platform=? AND sent_at>? AND sent_at<?)',
      'replies.reads.beingSent': 'SEARCH replies USING INDEX replies_by_state (state=?)',
      'replyLeases.giveUp': 'SEARCH replies USING INDEX replies_due (platform=? AND worth=? AND due_at<?)',
    });
  });

  test('behavior: what the operator looks at walks an index', () => {
    expectPlans({
      'mentions.reads.inState.newest': 'SEARCH mentions USING INDEX mentions_by_state (state=? AND rowid<?)',
      // As many steps as mentions wait, not as there are.
      'queues.waiting': 'SEARCH mentions USING COVERING INDEX mentions_by_state (state=?)',
      'queues.read.bySubject': 'SEARCH state_counts USING INDEX sqlite_autoindex_state_counts_1 (subject=?)',
      'gigs.frozen': 'SCAN gigs USING INDEX gigs_frozen',
    });
  });

  test('behavior: the limits and the look for own posts search an index', () => {
    expectPlans({
      'replies.reads.ofAuthorAndKind':
        'SEARCH replies USING INDEX replies_by_author (platform=? AND author_id=? AND created_at>? AND created_at<?)',
    });
    for (const [column, key] of [
      ['author_id', 'to_author'],
      ['thread_id', 'in_thread'],
    ] as const) {
      const ofKey = `(platform=? AND ${column}=?`;
      const window = `replyLimits.reads.${column === 'author_id' ? 'toAuthor' : 'toThread'}`;
      expect(planOf(`${window}.sent`).map((step) => step.replace('COVERING ', ''))).toEqual([
        `SEARCH replies USING INDEX replies_sent_${key} ${ofKey} AND sent_at>?)`,
      ]);
      const ofHeld = column === 'author_id' ? 'replies_unposted' : 'replies_open_in_thread';
      expectPlans({
        [`${window}.open`]: `SEARCH replies USING INDEX replies_open_${key} ${ofKey})`,
        [`${window}.held`]: `SEARCH replies USING INDEX ${ofHeld} ${ofKey})`,
      });
    }
    expectPlans({
      'replies.unposted': 'SEARCH replies USING INDEX replies_unposted (platform=? AND author_id=?)',
      'replies.reads.isOwnPost.ofPost':
        'SEARCH replies USING COVERING INDEX replies_by_post (platform=? AND post_id=?)',
    });
  });

  test('behavior: the live and the active gigs search those whose window is not over, the other lists walk one index in its order', () => {
    const windows = 'SEARCH gigs USING COVERING INDEX gigs_live_windows (platform=? AND end_time>?)';
    expectPlans({
      'gigs.reads.gigs.lists.live.newest': [windows, 'USE TEMP B-TREE FOR ORDER BY'],
      // Of one whose start is to come, the record of its start is read, too.
      'gigs.reads.gigs.lists.active.newest': [
        windows,
        'CORRELATED SCALAR SUBQUERY 1',
        'SEARCH gig_transactions USING INDEX gig_transactions_by_gig (gig_id=?)',
        'USE TEMP B-TREE FOR ORDER BY',
      ],
      'gigs.reads.gigs.lists.all.newest':
        'SEARCH gigs USING COVERING INDEX gigs_by_status (platform=? AND status=? AND rowid<?)',
      'gigs.reads.gigs.lists.over.newest':
        'SEARCH gigs USING INDEX gigs_by_status (platform=? AND status=? AND rowid<?)',
      'gigs.reads.gigs.lists.waiting.newest':
        'SEARCH gigs USING INDEX gigs_by_status (platform=? AND status=? AND rowid<?)',
    });
  });

  test('behavior: gigs that are to be settled, refunded or returned are found in an index of their own', () => {
    expect(planOf('gigEnds.settle.found')[0]).toContain('gigs_unsettled');
    expect(planOf('gigEnds.refund.found')[0]).toContain('gigs_to_refund');
    expect(planOf('gigEnds.give.found')[0]).toContain('gigs_cancelled');
  });

  test('behavior: one account’s tip of a gig, an owner and a first answer are found in an index', () => {
    expectPlans({
      'tips.reads.fromGig': 'SEARCH tips USING INDEX tips_by_account (platform=? AND platform_user_id=? AND gig_id=?)',
      'gigOwners.reads.owner':
        'SEARCH gig_owners USING COVERING INDEX gig_owners_by_account (gig_id=? AND platform=? AND platform_user_id=?)',
      'gigOwners.reads.listed.newest':
        'SEARCH gig_owners USING COVERING INDEX gig_owners_gigs (platform=? AND platform_user_id=? AND gig_id<?)',
      'gigOwners.reads.created.newest': 'SEARCH gigs USING COVERING INDEX gigs_by_client (client=? AND rowid<?)',
      'idempotencyKeys.ofKey':
        'SEARCH idempotency_keys USING INDEX sqlite_autoindex_idempotency_keys_1 (scope=? AND key=?)',
    });
  });

  test('behavior: claims, and the tips of a payment, are found in an index', () => {
    expectPlans({
      'claims.ofPost': 'SEARCH claims USING INDEX claims_by_post (platform=? AND post_id=?)',
      'claims.ofAccount.newest':
        'SEARCH claims USING INDEX claims_by_account (platform=? AND platform_user_id=? AND rowid<?)',
      'payments.reads.tipsOfPayment.paid': 'SEARCH tips USING INDEX tips_by_payment (payment_id=?)',
      'claims.writes.pending': 'SEARCH tips USING COVERING INDEX tips_pending (platform=? AND platform_user_id=?)',
      'gigs.token': 'SEARCH tokens USING COVERING INDEX tokens_on_all_chains (address=?)',
    });
  });

  test('behavior: a list that goes both ways walks the same index from either end', () => {
    const newest = plans().flatMap(({ names }) => names.filter((name) => name.endsWith('.newest')));
    const all = new Set(plans().flatMap(({ names }) => names));
    const pairs = newest.flatMap((name) => {
      const other = name.replace(/newest$/, 'oldest');
      return all.has(other) ? [[name, other] as const] : [];
    });
    for (const [name, other] of pairs) {
      expect(planOf(other), other).toEqual(planOf(name).map((step) => step.replace('<?)', '>?)')));
    }
    expect(pairs).toHaveLength(28);
  });

  test('behavior: nothing else scans or sorts, but for counts and short lists', () => {
    // SQLite looks for children of what these add only when a constraint is violated already (FkIfZero).
    const isOfChildren = ({ statement }: { statement: string }) =>
      /^insert into "(accounts|api_keys|events|gigs|login_links)"/.test(statement);
    const others = plans().filter((plan) => !isOfChildren(plan));
    const steps = others.flatMap((plan) => plan.steps.filter((step) => /SCAN|TEMP B-TREE/.test(step)));
    expect(tally(steps)).toEqual({
      // What has to be told and what was tried in vain, the open alerts, and the gigs whose last audit failed. All
      // that waits, here and below, after the clock was set back.
      'SCAN alert_deliveries USING INDEX alert_deliveries_due': 3,
      'SCAN alert_deliveries USING INDEX alert_deliveries_troubled': 1,
      'SCAN alerts USING INDEX alerts_open': 2,
      'SCAN api_keys': 4,
      'SCAN audit_events USING INDEX audit_events_id_skips': 1,
      'SCAN audit_faults': 1,
      // No more than the claims whose authors are still to be told what became of them.
      'SCAN claims USING INDEX claims_promised': 1,
      // The tips of each gig, up to a number of them.
      'SCAN counted': 1,
      'SCAN deposits USING INDEX deposits_waiting': 2,
      // Those that wait: once an hour those of deleted endpoints, and all after the clock was set back.
      'SCAN event_deliveries USING COVERING INDEX event_deliveries_due': 1,
      'SCAN event_deliveries USING INDEX event_deliveries_of_gig': 2,
      // What is not released yet: to release it, and to tell no fact of a chain twice.
      'SCAN events USING INDEX events_unreleased': 2,
      'SCAN gas_tanks': 1,
      // No more than the owners who may still be told of a gig.
      'SCAN gig_tellings USING INDEX gig_tellings_open': 1,
      'SCAN gigs USING INDEX gigs_frozen': 1,
      // No more than the gigs that run or can be awarded, those whose refund waits, and those to start.
      'SCAN gigs USING INDEX gigs_to_refund': 1,
      'SCAN gigs USING INDEX gigs_to_start': 2,
      'SCAN gigs USING INDEX gigs_unsettled': 2,
      // Those that are not started: how many are owners' is counted when one of them creates another, and when some
      // are cancelled.
      'SCAN gigs USING INDEX gigs_waiting': 4,
      // The ids of a page of gigs, for their rules, counts, watches and names; the tips of a payment; the texts of
      // accounts judged together; what payments that are listed, sent or settled together name; accounts and threads
      // that get no reply now; the places of new events, and the types that are read; the accounts that are linked to
      // a wallet, and whether one of them owns a gig; the topics of news.
      [GIVEN]: 56,
      'SCAN login_links': 1,
      // Only the newest is read.
      'SCAN mentions': 1,
      // Those of a gig's awarded accounts among whom the page shows who earned most.
      'SCAN newest': 1,
      // And once an hour, to forget what has waited for a month.
      'SCAN notifications USING INDEX notifications_due': 2,
      // A hundred rows at most.
      'SCAN odd_answers': 1,
      'SCAN odd_answers USING COVERING INDEX odd_answers_by_time': 1,
      'SCAN odd_answers USING INDEX odd_answers_by_time': 1,
      // The endpoints to which something is sent now: all and the slow ones, for what is queued and for a test.
      'SCAN other USING INDEX webhook_endpoints_leased': 4,
      // Those that wait or are under way, to find late ones.
      'SCAN payments USING INDEX payments_planned': 1,
      'SCAN replies USING INDEX replies_due': 2,
      'SCAN sessions': 2,
      'SCAN sqlite_sequence': 2,
      // Those that have a price, each ten minutes.
      'SCAN tokens': 1,
      // No more than the operator offers.
      'SCAN tokens USING INDEX tokens_offered': 1,
      'SCAN verifier_batches USING INDEX verifier_batches_open': 1,
      'SCAN watches USING INDEX watches_open': 5,
      // All endpoints, of which a client has ten: for the page, for what is released, when the clock was set back,
      // and by keys.
      'SCAN webhook_endpoints': 3,
      'SCAN webhook_endpoints USING INDEX webhook_endpoints_by_client': 3,
      'SCAN webhook_endpoints USING INDEX webhook_endpoints_due': 3,
      'SCAN webhook_endpoints USING INDEX webhook_endpoints_leased': 1,
      'SCAN webhook_endpoints USING INDEX webhook_endpoints_troubled': 1,
      // The words of a gig's tips, and the tokens that have a price.
      'USE TEMP B-TREE FOR DISTINCT': 2,
      // The weights of the members of a round when it is divided, the sums of the ten tokens of the overview and the
      // gas since a day, and late payments by gig and reason: two each.
      'USE TEMP B-TREE FOR GROUP BY': 8,
      // The tokens of the most gigs, the deliveries of an alert, twice the open alerts, and the gigs of owners that
      // wait for funds; the endpoints that something is due for, by the turns of their clients; what is queued for
      // endpoints at once, and the gigs that may be funded; the payments of a gig, and those of them that are no
      // payouts; the live gigs and the active ones, from either end, those that were cancelled of late, the owners of
      // one gig, the tips of one account, what it was or is to be paid, the payments of ten claims, and who earned most.
      'USE TEMP B-TREE FOR ORDER BY': 23,
    });
  });

  test('behavior: a statement is called as the constant that keeps it, but for those that a list alone keeps', () => {
    const called = Map.groupBy(
      plans().flatMap(({ names }) => names),
      (name) => name,
    );
    expect([...called].flatMap(([name, same]) => (same.length > 1 ? [name] : [])).sort()).toEqual([
      'events.writes.insertEvents.nameAll.queries',
      'notifications.writes.forgetNotifications',
      'queues.longWaits',
      'queues.waits',
      'sessions.writes.allLeft',
    ]);
  });

  test('error: a name that no statement has, or several, fails and says so', () => {
    expect(() => planOf('mentions.reads.dew')).toThrow(
      /^no statement is called mentions\.reads\.dew; near it are mentions\.reads\.due, /,
    );
    expect(() => planOf('sessions.writes.allLeft')).toThrow(/^4 statements are called sessions\.writes\.allLeft$/);
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
