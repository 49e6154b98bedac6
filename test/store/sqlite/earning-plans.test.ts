import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Connections, openConnections } from '../../../src/store/sqlite/connection.ts';
import { expectPlans, planOf, plans, plansOf } from '../../support/plans.ts';
import { MIGRATIONS, temporaryFolder } from '../../support/store.ts';

/** 20,000 acts and earnings of one gig, in every state, and as many watched gigs, nearly all of them over. */
function seed({ writer }: Connections): void {
  const numbers = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)';
  const address = "'0x00000000000000000000000000000000000000aa'";
  writer.$client.exec(`
    insert into tokens values (1, 1, ${address}, 8453, 18, 'Degen', 'DEGEN', '', 0, null, 0, 0);
    ${numbers} insert into gigs (created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time,
      duration, gig_type, platform, wallet_address)
      select 1, 'created', 0, 1, '1', '1', i, i + 1, 1, 'like', 'farcaster', printf('0x%040x', i) from n;
    ${numbers} insert into earning_rules select i, null, '{}', 'post', '0xab', '5' from n;
    update gigs set status = 'live', production = 1;
    ${numbers} insert into watches (gig_id, platform, target_kind, target_id, target_author, next_at, over_at)
      select i, 'farcaster', 'post', '0xab', '5', i, iif(i % 50 = 0, null, 1) from n;
    ${numbers} insert into observations (id, gig_id, platform, platform_user_id, kind, object_id, first_seen_at, last_seen_at,
      ranked_at, source) select i, 1, 'farcaster', i, 'like', '', i, i, i, 'look' from n;
    ${numbers} insert into earnings (gig_id, platform, platform_user_id, state, reason, observation_id, ranked_at, due_at, updated_at)
      select 1, 'farcaster', i, case i % 3 when 0 then 'held' when 1 then 'eligible' else 'refused' end,
        iif(i % 3 = 2, 'withdrawn', null), i, i, i, 1 from n;
    ${numbers} insert into evaluations (gig_id, platform, platform_user_id, at, state, reason)
      select 1, 'farcaster', i, 1, 'refused', 'withdrawn' from n;
    ${numbers} insert into earning_addresses select 1, printf('0x%040x', i), 'farcaster', i from n;
    ${numbers} insert into earning_texts select 1, printf('%064x', i), 'farcaster', i from n;
    ${numbers} insert into blocked_accounts (platform, platform_user_id, blocked_at, reason) select 'farcaster', i, 1, 'x' from n;
  `);
}

describe('the plans of what is earned', () => {
  const step = 'SEARCH earnings USING';
  const ofAccount = '(gig_id=? AND platform=? AND platform_user_id=?)';

  test('behavior: settling and awarding walk their accounts by rank, in indices that hold no others', () => {
    expectPlans({
      'earnings.reads.settleable.due': `${step} INDEX earnings_held (gig_id=?)`,
      'earnings.nextHeldDue.first': `${step} COVERING INDEX earnings_held_due (gig_id=?)`,
      'bounties.first': `${step} COVERING INDEX earnings_candidates (gig_id=?)`,
    });
    expectPlans({
      'earnings.reads.awardable.eligible': `${step} INDEX earnings_eligible (gig_id=?)`,
      'bounties.due': [`${step} INDEX earnings_candidates (gig_id=? AND due_at<?)`],
      'earnings.reads.firstHeldRank.first': `${step} COVERING INDEX earnings_held (gig_id=?)`,
      'rounds.members': [`${step} INDEX earnings_in_round (gig_id=? AND round=?)`],
      'rounds.ofRound': [
        `${step} COVERING INDEX earnings_in_round (gig_id=? AND round=?)`,
        'USE TEMP B-TREE FOR GROUP BY',
      ],
      // Both ends, so that each held account is counted once for a page.
      'earnings.reads.awardable.countBetween': [
        `${step} COVERING INDEX earnings_held (gig_id=? AND (ranked_at,observation_id)>(?,?) AND (ranked_at,observation_id)<(?,?))`,
      ],
    });
    for (const state of ['held', 'eligible']) {
      expectPlans({
        [`earningChanges.writes.refuseOpenEarnings.${state}`]: `${step} INDEX earnings_${state} (gig_id=?)`,
      });
    }
  });

  test('behavior: every change of an earning is found by its key, however many are in a state', () => {
    const byKey = [`${step} INDEX sqlite_autoindex_earnings_1 ${ofAccount}`];
    expect(planOf('earningChanges.writes.decideEarning.move.update')).toEqual(byKey);
    expect(planOf('earningChanges.writes.awardEarning.move.update')).toEqual(byKey);
    expect(planOf('earningChanges.writes.refuseOpenEarnings.move.update')).toEqual(byKey);
  });

  test('behavior: an act is found by its account, with or without what it is', () => {
    const act = 'SEARCH observations USING INDEX observations_by_act (gig_id=? AND platform=? AND platform_user_id=?';
    expectPlans({
      'observations.reads.observations.all': `${act})`,
    });
    const known = `${act.replace('INDEX', 'COVERING INDEX')} AND kind=? AND object_id=?)`;
    expectPlans({
      'observations.known': known,
      'observations.see': `${act} AND kind=? AND object_id=?)`,
      'observations.undo.update': `${act} AND kind=? AND object_id=?)`,
    });
  });

  test('behavior: lists walk one index in their order', () => {
    const voided = ['CORRELATED SCALAR SUBQUERY 1', 'SEARCH tips USING INTEGER PRIMARY KEY (rowid=?)'];
    expectPlans({
      'earnings.all.newest': [`${step} INDEX earnings_by_gig (gig_id=? AND observation_id<?)`, ...voided],
      'earnings.inState.newest': [
        `${step} INDEX earnings_by_state (gig_id=? AND state=? AND observation_id<?)`,
        ...voided,
      ],
      'earnings.ofAccount.newest': [
        `${step} INDEX earnings_by_account (platform=? AND platform_user_id=? AND observation_id<?)`,
        ...voided,
      ],
      // Sorted are those alone that the walk through the index is limited to.
      'topEarnings.top': [
        'CO-ROUTINE newest',
        `${step} INDEX earnings_by_state (gig_id=? AND state=?)`,
        ...voided,
        'SCAN newest',
        'USE TEMP B-TREE FOR ORDER BY',
      ],
      'evaluations.all': `SEARCH evaluations USING INDEX evaluations_by_account ${ofAccount}`,
      'blockedAccounts.newest': 'SEARCH blocked_accounts USING INTEGER PRIMARY KEY (rowid<?)',
    });
  });

  test('behavior: the entrants of a draw are walked in the order of the key, page by page', () => {
    expectPlans({
      'draws.reads.entrants.page': [
        `${step} INDEX sqlite_autoindex_earnings_1 (gig_id=? AND (platform,platform_user_id)>(?,?))`,
      ],
      'draws.winners': [
        'SEARCH draw_winners USING INDEX sqlite_autoindex_draw_winners_1 (gig_id=?)',
        'SEARCH earnings USING INDEX sqlite_autoindex_earnings_1 (gig_id=? AND platform=? AND platform_user_id=?) LEFT-JOIN',
      ],
    });
  });

  test('behavior: the overviews of a page of gigs read those gigs alone', () => {
    const ids = ['LIST SUBQUERY 1', 'SCAN json_each VIRTUAL TABLE INDEX 1:'];
    expectPlans({
      'earningOverviews.withRules': ['SEARCH earning_rules USING INTEGER PRIMARY KEY (rowid=?)', ...ids],
      'earningOverviews.watched': ['SEARCH watches USING INTEGER PRIMARY KEY (rowid=?)', ...ids],
      'earningOverviews.divided': ['SEARCH rounds USING COVERING INDEX sqlite_autoindex_rounds_1 (gig_id=?)', ...ids],
      'earningOverviews.readCounts.counts': [
        'SEARCH earning_counts USING INDEX sqlite_autoindex_earning_counts_1 (gig_id=?)',
        ...ids,
      ],
    });
  });

  test('behavior: watches that are over cost the others nothing', () => {
    expectPlans({
      'watches.reads.due': 'SEARCH watches USING INDEX watches_due (platform=? AND next_at<?)',
      'watches.reads.open': 'SEARCH watches USING INDEX watches_open (platform=?)',
    });
  });

  test('behavior: every plan is the same on an empty database and on a large one', () => {
    const folder = temporaryFolder();
    const connections = openConnections({ path: join(folder.path, 'gigclaim.db'), migrationsFolder: MIGRATIONS });
    seed(connections);
    expect(plansOf(connections.writer)).toEqual(plans());
    connections.close();
    folder.remove();
  });
});
