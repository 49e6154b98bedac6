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
      'from "earnings" … +"earnings"."due_at" <= ?': `${step} INDEX earnings_held (gig_id=?)`,
      [`min("due_at") from "earnings" … 'held'`]: `${step} COVERING INDEX earnings_held_due (gig_id=?)`,
      [`min("due_at") from "earnings" … 'eligible'`]: `${step} COVERING INDEX earnings_candidates (gig_id=?)`,
    });
    const byRank = 'order by "earnings"."ranked_at"';
    expect(planOf('select "gig_id"', 'from "earnings"', "earnings.state = 'eligible' and \"", byRank, 'limit')).toEqual(
      [`${step} INDEX earnings_eligible (gig_id=?)`],
    );
    expectPlans({
      [`select "gig_id" … earnings.state = 'eligible' … order by "earnings"."due_at"`]: [
        `${step} INDEX earnings_candidates (gig_id=? AND due_at<?)`,
      ],
      'min("ranked_at") from "earnings"': `${step} COVERING INDEX earnings_held (gig_id=?)`,
      'select "gig_id" … earnings.round is not null … order by': [
        `${step} INDEX earnings_in_round (gig_id=? AND round=?)`,
      ],
      'group by "earnings"."weight"': [
        `${step} COVERING INDEX earnings_in_round (gig_id=? AND round=?)`,
        'USE TEMP B-TREE FOR GROUP BY',
      ],
      // Both ends, so that each held account is counted once for a page.
      'select count(*) from "earnings"': [
        `${step} COVERING INDEX earnings_held (gig_id=? AND (ranked_at,observation_id)>(?,?) AND (ranked_at,observation_id)<(?,?))`,
      ],
    });
    for (const state of ['held', 'eligible']) {
      expectPlans({
        [`select "platform", "platform_user_id" from "earnings" … state = '${state}'`]: [
          `${step} INDEX earnings_${state} (gig_id=?)`,
        ],
      });
    }
  });

  test('behavior: every change of an earning is found by its key, however many are in a state', () => {
    const byKey = [`${step} INDEX sqlite_autoindex_earnings_1 ${ofAccount}`];
    expect(planOf('update "earnings"', '"observation_id" = ?', 'returning')).toEqual(byKey);
    expect(planOf('update "earnings"', '"tip_id" = ?')).toEqual(byKey);
    expect(planOf('update "earnings"', "in ('held', 'eligible')")).toEqual(byKey);
  });

  test('behavior: an act is found by its account, with or without what it is', () => {
    const act = 'SEARCH observations USING INDEX observations_by_act (gig_id=? AND platform=? AND platform_user_id=?';
    expectPlans({
      '"last_seen_at" … from "observations" … "platform_user_id" in (?)': `${act})`,
    });
    const known = `${act.replace('INDEX', 'COVERING INDEX')} AND kind=? AND object_id=?)`;
    expectPlans({
      'select "id" from "observations" … "platform_user_id" in (?)': known,
      'update "observations" set "last_seen_at" = max(': `${act} AND kind=? AND object_id=?)`,
      'update "observations" set "undone_at"': `${act} AND kind=? AND object_id=?)`,
    });
  });

  test('behavior: lists walk one index in their order', () => {
    const voided = ['CORRELATED SCALAR SUBQUERY 1', 'SEARCH tips USING INTEGER PRIMARY KEY (rowid=?)'];
    expectPlans({
      'from "earnings" where ("earnings"."gig_id" in (?) and "earnings"."observation_id" < ?)': [
        `${step} INDEX earnings_by_gig (gig_id=? AND observation_id<?)`,
        ...voided,
      ],
      'from "earnings" … "state" in (?)) and "earnings"."observation_id" < ?': [
        `${step} INDEX earnings_by_state (gig_id=? AND state=? AND observation_id<?)`,
        ...voided,
      ],
      [`from "earnings" … state <> 'awarded' … desc`]: [
        `${step} INDEX earnings_by_account (platform=? AND platform_user_id=? AND observation_id<?)`,
        ...voided,
      ],
      // Sorted are those alone that the walk through the index is limited to.
      'from (select … json_extract': [
        'CO-ROUTINE newest',
        `${step} INDEX earnings_by_state (gig_id=? AND state=?)`,
        ...voided,
        'SCAN newest',
        'USE TEMP B-TREE FOR ORDER BY',
      ],
      'from "evaluations"': `SEARCH evaluations USING INDEX evaluations_by_account ${ofAccount}`,
      'from "blocked_accounts" … order by': 'SEARCH blocked_accounts USING INTEGER PRIMARY KEY (rowid<?)',
    });
  });

  test('behavior: the entrants of a draw are walked in the order of the key, page by page', () => {
    expectPlans({
      'select "platform", "platform_user_id" from "earnings" … > (?, ?)': [
        `${step} INDEX sqlite_autoindex_earnings_1 (gig_id=? AND (platform,platform_user_id)>(?,?))`,
      ],
      'from "draw_winners" … order by': [
        'SEARCH draw_winners USING INDEX sqlite_autoindex_draw_winners_1 (gig_id=?)',
        'SEARCH earnings USING INDEX sqlite_autoindex_earnings_1 (gig_id=? AND platform=? AND platform_user_id=?) LEFT-JOIN',
      ],
    });
  });

  test('behavior: the overviews of a page of gigs read those gigs alone', () => {
    const ids = ['LIST SUBQUERY 1', 'SCAN json_each VIRTUAL TABLE INDEX 1:'];
    for (const table of ['earning_rules', 'watches']) {
      expectPlans({
        [`from "${table}" … json_each`]: [`SEARCH ${table} USING INTEGER PRIMARY KEY (rowid=?)`, ...ids],
      });
    }
    expectPlans({
      'from "rounds" … json_each': ['SEARCH rounds USING COVERING INDEX sqlite_autoindex_rounds_1 (gig_id=?)', ...ids],
      'from "earning_counts" … json_each': [
        'SEARCH earning_counts USING INDEX sqlite_autoindex_earning_counts_1 (gig_id=?)',
        ...ids,
      ],
    });
  });

  test('behavior: watches that are over cost the others nothing', () => {
    expectPlans({
      'from "watches" … "next_at" <= ?': 'SEARCH watches USING INDEX watches_due (platform=? AND next_at<?)',
      'from "watches" … desc limit 0 + ?': 'SEARCH watches USING INDEX watches_open (platform=?)',
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
