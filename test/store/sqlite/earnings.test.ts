import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  awardAs,
  decideAs,
  SAMPLE_TARGET,
  sampleAccount,
  sampleReply,
  seedActs,
  seedWatchedGig,
} from '../../support/earning.ts';
import { seedAddress, seedGig, seedTips } from '../../support/store.ts';
import { BROKEN_EARNINGS } from '../broken.ts';
import { useRawStore } from './raw.ts';

const AWARDED = 'an awarded earning cannot be';
const RECORD = 'an evaluation cannot be';
const FROZEN = 'the earning rules of a live gig cannot be changed';
const NO_AWARD = 'an award is a tip of its gig to its account';

/** Gig 1, watched: account 1 awarded tip 1, 2 eligible with tip 2 by request, 3 held, 4 refused. Gig 2 has rules. */
const { store, sql, exec, run, read, columns } = useRawStore(async (store) => {
  const gig = await seedWatchedGig(store);
  const acts = [1, 2, 3, 4].map((id) => sampleReply(id, `0x${id}`));
  await seedActs(store, gig, acts);
  await store.transaction(async (tx) => {
    const accepted = (id: number) => ({ addresses: [seedAddress(id)], textHash: `${id}`.repeat(64) });
    for (const id of [1, 2]) await decideAs(tx, gig, sampleAccount(id), accepted(id));
    await awardAs(tx, gig, sampleAccount(1));
    await decideAs(tx, gig, sampleAccount(4), { to: 'refused', reason: 'withdrawn' });
    await tx.blockAccount(sampleAccount(9), { reason: 'a ring', now: 1 });
  });
  await seedTips(store, gig, [{ ...sampleAccount(2), amount: 5n }]);
  const second = await seedGig(store);
  await store.transaction((tx) => tx.storeEarningRules(second.id, { given: '{}', rules: '{}', target: SAMPLE_TARGET }));
});

describe('an awarded earning, in raw SQL', () => {
  test('security: changes in no column', () => {
    expect(columns('earnings')).toHaveLength(15);
    for (const column of columns('earnings')) {
      const change = run(`update earnings set ${column} = ${column} where platform_user_id = '1'`);
      expect(change, column).toThrow(/an awarded earning cannot be changed|an earning keeps its gig and its account/);
    }
  });

  test('security: is neither deleted nor replaced', () => {
    sql().pragma('foreign_keys = off');
    expect(run("delete from earnings where platform_user_id = '1'")).toThrow(`${AWARDED} deleted`);
    const copy = `insert or replace into earnings
      select gig_id, platform, platform_user_id, 'held', null, observation_id, ranked_at, due_at, facts, null, null, 1, null, null, null
      from earnings where platform_user_id = '1'`;
    expect(run(copy)).toThrow(`${AWARDED} replaced`);
  });

  test('security: has a tip of its own, of its gig, account and amount, and does not begin as one', () => {
    const award = (tip: number, amount: string, id: number) =>
      exec(
        `update earnings set state = 'awarded', tip_id = ${tip}, amount = '${amount}' where platform_user_id = '${id}'`,
      );
    for (const [tip, amount] of [
      [1, '5'],
      [2, '6'],
      [9, '5'],
    ] as const) {
      expect(() => award(tip, amount, 2)).toThrow(NO_AWARD);
    }
    expect(() => award(2, '5', 3)).toThrow(NO_AWARD);
    const born = `insert into earnings select gig_id, platform, '8', 'awarded', null, 1, 1, 1, null, '5', 2, 1, null, null, null
      from earnings where platform_user_id = '1'`;
    expect(run(born)).toThrow('an earning begins without an award');
    award(2, '5', 2);
  });
});

describe('the record of decisions, in raw SQL', () => {
  test('security: only grows', () => {
    for (const column of columns('evaluations')) {
      expect(run(`update evaluations set ${column} = ${column} where id = 1`), column).toThrow(`${RECORD} changed`);
    }
    expect(run('delete from evaluations where id = 1')).toThrow(`${RECORD} deleted`);
    expect(run('insert or replace into evaluations select * from evaluations where id = 1')).toThrow(
      `${RECORD} replaced`,
    );
    exec(
      "insert into evaluations (gig_id, platform, platform_user_id, at, state) values (1, 'farcaster', '3', 1, 'held')",
    );
  });
});

describe('the rules of a live gig, in raw SQL', () => {
  test('security: neither come, change nor go', () => {
    const insert = (gig: number) =>
      `insert into earning_rules select ${gig}, given, rules, target_kind, target_id, target_author from earning_rules`;
    expect(run(insert(1))).toThrow(FROZEN);
    expect(run('update earning_rules set gig_id = 1')).toThrow(FROZEN);
    exec("update earning_rules set given = null, rules = '[]' where gig_id = 2");
    exec("update gigs set status = 'live', production = 1 where id = 2");
    for (const column of ['given', 'rules', 'target_kind', 'target_id', 'target_author', 'gig_id']) {
      expect(run(`update earning_rules set ${column} = ${column}`), column).toThrow(FROZEN);
    }
    expect(run('delete from earning_rules')).toThrow(FROZEN);
    expect(run(insert(2).replace('insert', 'insert or replace'))).toThrow(FROZEN);
  });
});

describe('what the triggers keep', () => {
  test('behavior: the counts follow statements that no method of the store makes', async () => {
    const counts = async () =>
      Object.fromEntries((await store.earningCounts(1)).map(({ state, count }) => [state, count]));
    expect(await counts()).toEqual({ awarded: 1, eligible: 1, held: 1, refused: 1 });
    exec("update earnings set state = 'refused', reason = 'blocked' where state in ('held', 'eligible')");
    await setImmediate();
    expect(await counts()).toEqual({ awarded: 1, refused: 3 });
    exec("delete from earnings where platform_user_id = '3'");
    await setImmediate();
    expect(await counts()).toEqual({ awarded: 1, refused: 2 });
  });

  test('behavior: only accepted accounts hold an address or a text', () => {
    const holders = () =>
      read('select platform_user_id from earning_addresses union all select platform_user_id from earning_texts');
    expect(holders()).toEqual(['1', '2', '1', '2']);
    exec("update earnings set state = 'refused', reason = 'blocked' where platform_user_id = '2'");
    expect(holders()).toEqual(['1', '1']);
  });
});

describe('the schema of earning, in raw SQL', () => {
  test.for([
    ...BROKEN_EARNINGS,
    "insert into earnings select gig_id, platform, platform_user_id, 'held', null, 3, 1, 1, null, null, null, 1, null, null, null from earnings where state = 'held'",
    "update observations set kind = 'like' where id = 3",
    "update observations set object_id = '' where id = 3",
    'update observations set letters = null where id = 3',
    'update observations set letters = -1 where id = 3',
    "update observations set platform_user_id = '4', object_id = '0x4' where id = 3",
    'update earning_counts set n = -1',
    'delete from tips where id = 1',
  ])('error: refuses %s', (statement) => {
    expect(run(statement)).toThrow(/constraint failed/);
  });
});
