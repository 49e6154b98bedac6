import { describe, expect, test } from 'vitest';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { awardAs, decideAs, sampleAccount, sampleAct, seedActs, seedWatchedGig } from '../../support/earning.ts';
import { seedAddress, seedTips } from '../../support/store.ts';
import { openEarlier, triggersOf } from './earlier.ts';
import { useRawStore } from './raw.ts';

let gig: Gig;

const ORDER = 'a round is divided after the one before it is over';
const STAYS = 'a divided round cannot be';
const MEMBER = 'a member of a divided round';

/** Gig 1 for 100 units: accounts 1 and 2 have parts in round 1, 3 in round 2, 4 is held. Round 1 gives 5 and 7. */
const { store, change, write, sql, exec, run } = useRawStore(async (store) => {
  gig = await seedWatchedGig(store, { rewardAmount: 100n });
  const acts = [1, 2, 3, 4].map((id) => sampleAct(id));
  await seedActs(store, gig, acts);
  await store.transaction(async (tx) => {
    await decideAs(tx, gig, sampleAccount(1), { part: { round: 1, weight: 5n } });
    await decideAs(tx, gig, sampleAccount(2), { part: { round: 1, weight: 7n } });
    await decideAs(tx, gig, sampleAccount(3), { part: { round: 2, weight: 5n } });
  });
});

const FIRST = { number: 1, pool: 12n, total: 12n, members: 2, reserved: 12n, now: 9 };
const divide = (round: Partial<typeof FIRST> = {}) => write.divideRound(gig.id, { ...FIRST, ...round });
const handOut = (amount: bigint, isOver: boolean) => write.handOut(gig.id, 1, { amount, isOver });

describe('a round', () => {
  test('behavior: has its weights and members, is divided, handed out, and over', async () => {
    expect(await store.lastRound(gig.id)).toBeNull();
    expect((await store.roundWeights(gig.id, 1)).sort((a, b) => Number(a.weight - b.weight))).toEqual([
      { weight: 5n, count: 1 },
      { weight: 7n, count: 1 },
    ]);
    const members = await store.roundMembers(gig.id, 1, { limit: 9 });
    expect(members.map(({ platformUserId, weight }) => [platformUserId, weight])).toEqual([
      ['1', 5n],
      ['2', 7n],
    ]);
    await divide();
    expect(await store.lastRound(gig.id)).toEqual({
      gigId: gig.id,
      number: 1,
      state: 'divided',
      pool: 12n,
      total: 12n,
      members: 2,
      reserved: 12n,
      dividedAt: 9,
    });
    expect((await store.gig(gig.id))?.reservedAmount).toBe(12n);
    await change(async (tx) => {
      await awardAs(tx, gig, sampleAccount(1), { amount: 5n });
      await tx.handOut(gig.id, 1, { amount: 5n, isOver: false });
    });
    expect(await store.gig(gig.id)).toMatchObject({ reservedAmount: 7n, awardedAmount: 5n });
    await expect(handOut(7n, true)).rejects.toThrow('a round is over when no member waits');
    await change(async (tx) => {
      await awardAs(tx, gig, sampleAccount(2), { amount: 7n });
      await tx.handOut(gig.id, 1, { amount: 7n, isOver: true });
    });
    expect(await store.gig(gig.id)).toMatchObject({ reservedAmount: 0n, awardedAmount: 12n });
    expect(await store.lastRound(gig.id)).toMatchObject({ state: 'over', reserved: 0n });
    await expect(handOut(0n, true)).rejects.toThrow('round 1 is not being handed out');
  });

  test('security: reserves no more than the reward holds, and hands out just that', async () => {
    await expect(divide({ pool: 101n, reserved: 101n })).rejects.toThrow('its reward does not hold');
    await expect(divide({ pool: 11n })).rejects.toThrow('rounds_reserved_of_pool');
    await seedTips(store, gig, [{ ...sampleAccount(9), amount: 89n }]);
    await expect(divide()).rejects.toThrow('its reward does not hold');
    expect(await store.lastRound(gig.id)).toBeNull();
    await divide({ pool: 11n, reserved: 11n });
    await expect(handOut(12n, false)).rejects.toThrow('are not what is reserved');
    await expect(handOut(10n, true)).rejects.toThrow('are not what is reserved');
    expect((await store.gig(gig.id))?.reservedAmount).toBe(11n);
  });

  test('security: they are divided in their order, one after the other is over', async () => {
    await expect(divide({ number: 2 })).rejects.toThrow(ORDER);
    await divide();
    await expect(divide()).rejects.toThrow(ORDER);
    await expect(divide({ number: 2 })).rejects.toThrow(ORDER);
  });
});

describe('a divided round, in raw SQL', () => {
  test('security: stays as it was divided, reserves only less, and does not go', async () => {
    await divide();
    for (const [column, value] of [
      ['gig_id', '2'],
      ['number', '2'],
      ['pool', "'13'"],
      ['total', "'13'"],
      ['members', '3'],
      ['divided_at', '1'],
    ] as const) {
      expect(run(`update rounds set ${column} = ${value}`), column).toThrow(`${STAYS} changed`);
    }
    expect(run("update rounds set reserved = '13'")).toThrow('a divided round reserves no more');
    expect(run("update rounds set state = 'over'")).toThrow('a round is over when no member waits');
    expect(run('delete from rounds')).toThrow(`${STAYS} deleted`);
    expect(run('insert or replace into rounds select * from rounds')).toThrow(ORDER);
    for (const reserved of ['11', '13', '101']) {
      expect(run(`update gigs set reserved_amount = '${reserved}'`)).toThrow(
        'a gig reserves what its divided round does',
      );
    }
  });

  test('security: nobody enters or leaves it, but with its share', async () => {
    await divide();
    const enter = decideAs(write, gig, sampleAccount(4), { part: { round: 1, weight: 1n } });
    await expect(enter).rejects.toThrow('nobody enters a round that is divided');
    const of = (id: number) => `where platform_user_id = '${id}'`;
    expect(run(`update earnings set round = 1 ${of(3)}`)).toThrow('nobody enters');
    for (const set of [
      'round = 2',
      "weight = '6'",
      'round = null, weight = null',
      "state = 'held'",
      "state = 'refused', reason = 'blocked'",
      "state = 'refused', reason = 'share_too_small', round = 2",
    ]) {
      expect(run(`update earnings set ${set} ${of(1)}`), set).toThrow(`${MEMBER} keeps`);
    }
    sql().pragma('foreign_keys = off');
    expect(run(`delete from earnings ${of(1)}`)).toThrow(`${MEMBER} cannot be deleted`);
    const columns = 'gig_id, platform, platform_user_id, state, observation_id, ranked_at, due_at, updated_at';
    expect(run(`insert or replace into earnings (${columns}) select ${columns} from earnings ${of(1)}`)).toThrow(
      `${MEMBER} cannot be replaced`,
    );
    expect(
      run(`insert into earnings (${columns}, round, weight) select gig_id, platform, '8', 'eligible', 1, 1, 1, 1, 1, '5'
        from earnings ${of(1)}`),
    ).toThrow('an earning begins outside of rounds');
    // Those of rounds that are not divided may.
    exec(`update earnings set state = 'refused', reason = 'share_too_small' ${of(2)}`);
    exec(`update earnings set round = 3, weight = '1' ${of(3)}`);
    exec(`update earnings set state = 'held', round = null, weight = null ${of(3)}`);
  });

  test('security: nobody is awarded a share before', async () => {
    const award = (id: number) => change((tx) => awardAs(tx, gig, sampleAccount(id)));
    await expect(award(1)).rejects.toThrow('a share is awarded after its round is divided');
    await divide();
    await award(1);
    await expect(award(3)).rejects.toThrow('a share is awarded after its round is divided');
  });

  test.each([
    "update earnings set weight = '1' where platform_user_id = '4'",
    "update earnings set round = 0, weight = '1' where platform_user_id = '3'",
    "update earnings set round = 1.5, weight = '1' where platform_user_id = '3'",
    "update earnings set weight = '-1' where platform_user_id = '3'",
    "update gigs set reserved_amount = ''",
    "insert into rounds values (1, 1, 'divided', '1', '1', -1, '1', 1)",
    "insert into rounds values (1, 1, 'divided', '1', 'x', 1, '1', 1)",
    "insert into rounds values (1, 1, 'divided', '10', '1', 1, '11', 1)",
    "insert into rounds values (99, 1, 'divided', '1', '1', 1, '1', 1)",
  ])('error: refuses %s', (statement) => {
    expect(run(statement)).toThrow(/constraint failed|reserves/);
  });
});

test('behavior: a database from before rounds keeps its gigs, earnings and triggers', async () => {
  const { earlier: before, upgrade, look } = openEarlier(5);
  before.exec(`insert into platforms (id) values ('farcaster');
    insert into accounts (platform, platform_user_id, created_at) values ('farcaster', '7', 1);
    insert into tokens (created_at, chain_id, address, is_native, symbol, name, decimals, image_url)
    values (1, 31337, '${seedAddress(1)}', 0, 'T', 'T', 6, '');
    insert into gigs (created_at, status, production, token_id, reward_amount, fee_amount, start_time, end_time, duration,
    gig_type, platform, wallet_address, next_tip_number, awarded_amount)
    values (1, 'live', 1, 1, '100', '1', 1, 2, 1, 'like', 'farcaster', '${seedAddress(2)}', 1, '40');
    insert into tips (created_at, gig_id, token_id, amount, status, platform, platform_user_id, number)
    values (1, 1, 1, '40', 'pending', 'farcaster', '7', 0);
    insert into watches (gig_id, platform, target_kind, target_id, target_author, next_at, earned)
    values (1, 'farcaster', 'post', '0xab', '5', 1, '40');
    insert into observations (id, gig_id, platform, platform_user_id, kind, object_id, first_seen_at, last_seen_at,
    ranked_at, source) values (1, 1, 'farcaster', '7', 'like', '', 1, 1, 1, 'look'), (2, 1, 'farcaster', '8', 'like', '', 1, 1, 1, 'look');
    insert into earnings (gig_id, platform, platform_user_id, state, observation_id, ranked_at, due_at, updated_at)
    values (1, 'farcaster', '7', 'eligible', 1, 1, 1, 1), (1, 'farcaster', '8', 'eligible', 2, 1, 1, 1);
    update earnings set state = 'awarded', tip_id = 1, amount = '40' where platform_user_id = '7'`);
  const guards = triggersOf(before);
  const store = await upgrade();
  expect(await store.gig(1)).toMatchObject({ rewardAmount: 100n, awardedAmount: 40n, reservedAmount: 0n });
  const none = { round: null, weight: null };
  expect(await store.earning(1, sampleAccount(7))).toMatchObject({ state: 'awarded', amount: 40n, tipId: 1, ...none });
  expect(await store.awardable(1, { limit: 9 })).toMatchObject([{ earning: { platformUserId: '8', ...none } }]);
  expect(await store.lastRound(1)).toBeNull();
  const upgraded = (await store.gig(1)) as Gig;
  await store.transaction((tx) => tx.setUsername({ ...sampleAccount(8), username: null }, 2));
  await store.transaction((tx) => awardAs(tx, upgraded, sampleAccount(8)));
  expect(triggersOf(look())).toEqual(expect.arrayContaining(guards));
});
