import { expect, test } from 'vitest';
import { seedAddress } from '../../support/store.ts';
import { DAY, END, HOUR, MINUTE, START } from './gigs.ts';
import { openForEachTest, world } from './world.ts';

openForEachTest();

test('behavior: every gate that an account can fail is the reason why it earns nothing', async () => {
  const owners = [world.account(world.person('owner'))];
  const gig = await world.gig({ gates: { minFollowers: 10 }, owners });
  const people = {
    early: { at: START - 1 },
    late: { at: END + 1 },
    author: {},
    owner: {},
    gigclaim: {},
    blocked: {},
    withdrawn: {},
    unscored: { score: null },
    poor: { score: 0.54 },
    new: { registeredAt: START - 6 * DAY },
    made: { registeredAt: START + 1 },
    lonely: { followers: 9 },
    spammer: {},
    bare: { addresses: [] },
    fine: {},
    twin: { addresses: [seedAddress(3)] },
    copy: { addresses: [seedAddress(3)] },
  };
  for (const [name, { at, ...facts }] of Object.entries<Parameters<typeof world.person>[1] & { at?: number }>(people)) {
    const there = ['author', 'owner', 'gigclaim'].includes(name);
    const id = there ? '' : world.person(name, facts);
    world.clock.now += 1;
    world.like(name, at ?? world.clock.now);
    if (name === 'spammer') world.labels.set(id, 'spam');
    if (name !== 'blocked') continue;
    await world.store.transaction((tx) => tx.blockAccount(world.account(id), { reason: 'fraud', now: START }));
  }
  await world.engine.until(START + HOUR);
  world.unlike('withdrawn');
  await world.engine.until(END + DAY);
  expect(await world.outcome(gig)).toEqual({
    early: 'before_start',
    late: 'after_end',
    author: 'own_account',
    owner: 'own_account',
    gigclaim: 'own_account',
    blocked: 'blocked',
    withdrawn: 'withdrawn',
    unscored: 'score_unknown',
    poor: 'score_too_low',
    new: 'too_young',
    made: 'too_young',
    lonely: 'too_few_followers',
    spammer: 'labelled_spam',
    bare: 'no_verified_address',
    fine: 'awarded',
    twin: 'awarded',
    copy: 'same_address',
  });
});

test('behavior: a decision is on record with what was known then', async () => {
  const gig = await world.gig({ holdMs: 0 });
  const poor = world.account(world.person('poor', { score: 0.2, followers: 3 }));
  world.like('poor');
  await world.engine.until(START + HOUR);
  expect(await world.store.evaluations(gig.id, poor)).toMatchObject([
    { state: 'refused', reason: 'score_too_low', facts: { username: 'poor', score: 200_000, followers: 3 } },
  ]);
});

test('behavior: an account that answers lack is asked about after a minute, five and an hour; then it is gone', async () => {
  const gig = await world.gig({ holdMs: 0 });
  const amy = world.account(world.person('amy'));
  world.likes('amy', 'eve');
  world.network.faults.answers = 'missing_users';
  await world.engine.until(START + 20 * MINUTE);
  expect(await world.outcome(gig)).toEqual({ amy: 'held', eve: 'awarded' });
  const asked = (await world.store.evaluations(gig.id, amy)).map(({ at }) => at);
  expect(asked.map((at) => (at - (asked[0] ?? 0)) / MINUTE)).toEqual([0, 1, 6]);
  world.network.faults.answers = 'sound';
  await world.engine.until(START + 2 * HOUR);
  expect(await world.outcome(gig)).toEqual({ amy: 'awarded', eve: 'awarded' });
  const states = (await world.store.evaluations(gig.id, amy)).map(({ state }) => state);
  expect(states).toEqual(['held', 'held', 'held', 'eligible', 'awarded']);
  world.like('ben');
  world.network.faults.answers = 'missing_users';
  await world.engine.until(world.clock.now + 2 * HOUR);
  expect(await world.outcome(gig)).toEqual({ amy: 'awarded', eve: 'awarded', ben: 'account_gone' });
});

test('security: a follower of whom is not told whether they follow is neither refused nor paid, and costs no other', async () => {
  const star = world.person('star');
  const gig = await world.gig({ gigType: 'follow', holdMs: 0, target: { kind: 'account', accountId: star } });
  await world.engine.until(START + MINUTE);
  const amy = world.person('amy');
  for (const who of ['amy', 'eve']) world.follow(who);
  const { reader } = world;
  let isTold = false;
  const readAccounts: typeof reader.readAccounts = async (ids, query) => {
    const found = new Map(await reader.readAccounts(ids, query));
    const facts = found.get(amy);
    if (facts !== undefined && !isTold) found.set(amy, { ...facts, follows: null });
    return found;
  };
  const engine = world.engineWith({ readAccounts });
  await engine.until(START + 5 * HOUR);
  expect(await world.outcome(gig)).toEqual({ amy: 'held', eve: 'awarded' });
  isTold = true;
  await engine.until(START + 7 * HOUR);
  expect(await world.outcome(gig)).toEqual({ amy: 'awarded', eve: 'awarded' });
});

test('behavior: an account that deletes itself in the hold is withdrawn with its likes, or gone with its follow', async () => {
  const star = world.person('star');
  const likes = await world.gig();
  const follows = await world.gig({ gigType: 'follow', target: { kind: 'account', accountId: star } });
  await world.engine.until(START + HOUR);
  world.like('amy');
  world.follow('amy');
  await world.engine.until(START + 2 * HOUR);
  world.act({ kind: 'delete', who: 'amy', account: 'amy' });
  await world.engine.until(END + 2 * DAY);
  expect(Object.values(await world.outcome(likes))).toEqual(['withdrawn']);
  expect(Object.values(await world.outcome(follows))).toEqual(['account_gone']);
});
