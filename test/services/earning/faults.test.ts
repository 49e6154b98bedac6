import { describe, expect, test } from 'vitest';
import type { ApiFault } from '../../../sandbox/networks/faults.ts';
import { isOverdue } from '../../../src/domain/earning/watch.ts';
import { AdapterError } from '../../../src/domain/errors.ts';
import { EARNING_TIMING } from '../../../src/services/earning/context.ts';
import { sampleReply, seedActs } from '../../support/earning.ts';
import { LOOK_MS } from './engine.ts';
import { DAY, END, HOUR, MINUTE, START } from './gigs.ts';
import { openForEachTest, world } from './world.ts';

openForEachTest();

/** Everybody of a crowd likes the cast; the answers are their names. */
function likeAll(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `fan${index}`;
    world.clock.now += 1;
    world.like(name);
    return name;
  });
}

describe('a platform that does not answer', () => {
  test.each<ApiFault>(['rate_limited', 'payment_required', 'server_error', 'hang', 'drop_answer', 'html'])(
    'error: nothing is decided while it says %s, it is asked less and less, and all goes on afterwards',
    async (fault) => {
      const gig = await world.gig({ holdMs: HOUR });
      likeAll(3);
      await world.engine.until(START + 50 * MINUTE);
      world.network.faults.api = fault;
      const before = world.calls();
      await world.impatient().until(START + 5 * HOUR);
      expect(Object.values(await world.outcome(gig))).toEqual(['held', 'held', 'held']);
      expect(world.calls() - before).toBeLessThan(20);
      world.network.faults.api = 'none';
      await world.engine.until(START + 6 * HOUR);
      expect(Object.values(await world.outcome(gig))).toEqual(['awarded', 'awarded', 'awarded']);
      expect(await world.store.watch(gig.id)).toMatchObject({ failures: 0 });
    },
  );

  test('error: an outage over the end of a gig refuses nobody that was seen in time', async () => {
    const gig = await world.gig();
    likeAll(2);
    await world.engine.until(START + HOUR);
    world.network.faults.api = 'server_error';
    await world.engine.until(END + DAY);
    expect(await world.store.watch(gig.id)).toMatchObject({ overAt: null });
    world.network.faults.api = 'none';
    await world.engine.until(END + 2 * DAY);
    expect(Object.values(await world.outcome(gig))).toEqual(['awarded', 'awarded']);
  });

  test('error: a sweep that breaks off goes on where it was, though each try gets a few pages only', async () => {
    const { store, clock, reader } = world;
    const gig = await world.gig({ holdMs: 0, each: 1n });
    likeAll(1_500);
    let left = 0;
    const pages: (string | null)[] = [];
    const scarce = world.engineWith({
      async readActs(query) {
        if (left === 0) world.network.faults.api = 'rate_limited';
        left -= 1;
        pages.push(query.cursor);
        return await reader.readActs(query);
      },
    });
    for (let round = 0; round < 40; round += 1) {
      left = 4;
      world.network.faults.api = 'none';
      await scarce.work();
      if ((await store.earnedAmount(gig.id)) === 1_500n) break;
      const watch = await store.watch(gig.id);
      clock.now = Math.max(clock.now, watch?.nextAt ?? 0);
    }
    expect((await store.watch(gig.id))?.sweptAt).not.toBeNull();
    expect(await store.earnedAmount(gig.id)).toBe(1_500n);
    expect(pages.length).toBeLessThan(50);
  });
});

test('error: while a platform tells nothing of accounts its acts are read, it is asked less and less, and after a day it is told', async () => {
  const { store, clock, reader } = world;
  const gig = await world.gig({ holdMs: HOUR, each: 1n });
  likeAll(1);
  let asked = 0;
  let isDown = true;
  const halved = world.engineWith({
    async readAccounts(...query) {
      asked += 1;
      if (isDown) throw new AdapterError({ retry: 'safe', reason: 'server_error', message: 'no' });
      return await reader.readAccounts(...query);
    },
  });
  await halved.until(START + 3 * HOUR);
  world.like('later');
  await halved.until(START + 3 * HOUR + LOOK_MS);
  expect(await world.outcome(gig)).toEqual({ fan0: 'held', later: 'held' });
  expect(asked).toBeLessThan(12);
  const isLate = async () => {
    const watch = await store.watch(gig.id);
    return watch !== null && isOverdue(watch, { now: clock.now, pauses: EARNING_TIMING });
  };
  await halved.until(START + 20 * HOUR);
  expect(await isLate()).toBe(false);
  await halved.until(START + 27 * HOUR);
  expect(await isLate()).toBe(true);
  expect(asked).toBeLessThan(70);
  isDown = false;
  await halved.until(START + 28 * HOUR);
  expect(await world.outcome(gig)).toEqual({ fan0: 'awarded', later: 'awarded' });
  expect(await store.watch(gig.id)).toMatchObject({ failures: 0 });
});

describe('a target that the platform does not know any more', () => {
  /** An engine whose platform says so of the acts that are read while `isGone`. */
  function forgetting() {
    const told = { isGone: false, times: 0 };
    const engine = world.engineWith({
      async readActs(query) {
        if (!told.isGone) return await world.reader.readActs(query);
        told.times += 1;
        return null;
      },
    });
    return { engine, told };
  }

  test('error: said once, it is a wrong answer: acts are read on, and nothing is decided meanwhile', async () => {
    const gig = await world.gig({ holdMs: 0 });
    const { engine, told } = forgetting();
    await engine.until(START + MINUTE);
    told.isGone = true;
    await engine.until(START + LOOK_MS);
    expect(told.times).toBeGreaterThan(0);
    expect(await world.store.watch(gig.id)).toMatchObject({ goneAt: null });
    told.isGone = false;
    likeAll(1);
    await engine.until(START + 3 * LOOK_MS);
    expect(await world.outcome(gig)).toEqual({ fan0: 'awarded' });
    // What was said then does not count for later.
    told.isGone = true;
    const { times } = told;
    while (told.times === times) await engine.until(world.clock.now + MINUTE);
    expect(await world.store.watch(gig.id)).toMatchObject({ goneAt: null });
  });

  test('behavior: said again minutes later, it is gone, and what was seen counts', async () => {
    const gig = await world.gig({ holdMs: HOUR });
    const { engine, told } = forgetting();
    likeAll(1);
    await engine.until(START + MINUTE);
    told.isGone = true;
    await engine.until(START + HOUR);
    const watch = await world.store.watch(gig.id);
    expect(watch?.goneAt).toBeGreaterThanOrEqual(START + LOOK_MS + 5 * MINUTE);
    expect(told.times).toBeLessThan(9);
    await engine.until(END + DAY);
    expect(await world.outcome(gig)).toEqual({ fan0: 'awarded' });
  });
});

describe('odd answers', () => {
  test('error: pages that name themselves as the next are never taken for a sweep', async () => {
    const gig = await world.gig({ holdMs: 0 });
    likeAll(2);
    world.network.faults.answers = 'looping_cursor';
    await world.engine.until(START + 5 * HOUR);
    expect(await world.store.watch(gig.id)).toMatchObject({ sweptAt: null, sweep: null });
    expect(Object.values(await world.outcome(gig))).toEqual(['held', 'held']);
    expect(world.calls()).toBeLessThan(60);
    world.network.faults.answers = 'sound';
    await world.engine.until(START + 7 * HOUR);
    expect(Object.values(await world.outcome(gig))).toEqual(['awarded', 'awarded']);
  });

  test('error: empty pages in between hide nothing from a look or a sweep', async () => {
    const star = world.person('star');
    const likes = await world.gig({ each: 1n });
    const follows = await world.gig({ each: 1n, gigType: 'follow', target: { kind: 'account', accountId: star } });
    world.network.faults.answers = 'empty_page';
    await world.engine.until(START + MINUTE);
    for (const who of likeAll(230)) world.follow(who);
    await world.engine.until(START + LOOK_MS + 2 * MINUTE);
    expect(await world.store.earningCounts(follows.id)).toEqual([{ state: 'held', count: 230 }]);
    await world.engine.until(END + DAY);
    expect(await world.store.earningCounts(likes.id)).toEqual([{ state: 'awarded', count: 230 }]);
    expect(await world.store.earningCounts(follows.id)).toEqual([{ state: 'awarded', count: 230 }]);
  });

  test('error: a cursor that is refused begins the sweep anew', async () => {
    const { store, reader } = world;
    const gig = await world.gig({ holdMs: 0, each: 1n });
    likeAll(1_200);
    let refused = 0;
    const forgetful = world.engineWith({
      readActs(query) {
        const isDeep = query.cursor !== null && refused < 1;
        const isSweep = isDeep && world.calls() > 11;
        if (isSweep) refused += 1;
        return reader.readActs(isSweep ? { ...query, cursor: 'forgotten' } : query);
      },
    });
    await forgetful.until(START + 4 * HOUR);
    expect(refused).toBe(1);
    expect(await store.earningCounts(gig.id)).toEqual([{ state: 'awarded', count: 1_200 }]);
  });

  test('error: accounts without a score are refused for that, and a broken answer decides nothing', async () => {
    const gig = await world.gig({ holdMs: 0 });
    likeAll(1);
    world.network.faults.answers = 'broken';
    await world.engine.until(START + HOUR);
    expect(await world.outcome(gig)).toEqual({});
    world.network.faults.answers = 'no_score';
    await world.engine.until(START + 3 * HOUR);
    expect(await world.outcome(gig)).toEqual({ fan0: 'score_unknown' });
  });
});

test('error: what is seen by a clock that is set back does not look older than the last sweep, as if it had been undone', async () => {
  const gig = await world.gig({ holdMs: 0 });
  const { clock, engine, store } = world;
  await engine.until(START + HOUR);
  likeAll(1);
  await engine.until(START + 3 * HOUR);
  clock.now = START + 30 * MINUTE;
  await store.transaction((tx) => tx.endWaits({ now: clock.now, leaseMs: MINUTE }));
  world.like('late');
  await engine.until(END + DAY);
  expect(await world.outcome(gig)).toEqual({ fan0: 'awarded', late: 'awarded' });
});

describe('more than one at work', () => {
  test('security: two engines on one store award nobody twice', async () => {
    const { store, clock } = world;
    const gig = await world.gig({ holdMs: HOUR, each: 1n });
    likeAll(250);
    const other = world.engineWith({});
    for (let hour = 0; hour < 30; hour += 1) {
      // A minute's lease is over while both still work with it.
      await Promise.all([world.engine.work(), other.work(), world.engine.step(), other.step()]);
      clock.now += hour % 2 === 0 ? HOUR : 3 * MINUTE;
      const slow = other.step();
      clock.now += 3 * MINUTE;
      await Promise.all([slow, world.engine.step(), world.engine.step()]);
    }
    await world.engine.until(END + DAY);
    expect(await store.earningCounts(gig.id)).toEqual([{ state: 'awarded', count: 250 }]);
    const earnings = await store.earnings({ gigId: gig.id, limit: 1_000 });
    expect(new Set(earnings.map(({ tipId }) => tipId)).size).toBe(250);
    expect((await store.gig(gig.id))?.awardedAmount).toBe(250n);
  });

  test('behavior: an act that is seen while the platform is asked about the account is judged with the others', async () => {
    const { store, clock, reader } = world;
    const gig = await world.gig({ gigType: 'reply', holdMs: HOUR });
    const first = world.reply('amy', 'A first reply of enough letters');
    let raced = false;
    const racing = world.engineWith({
      async readPosts(ids) {
        const found = await reader.readPosts(ids);
        if (raced) return found;
        raced = true;
        const late = world.reply('amy', 'A second reply of enough letters');
        const { now } = clock;
        const reply = sampleReply(world.idOf('amy'), late.id, { actedAt: now, rankedAt: now });
        await seedActs(store, gig, [reply], { source: 'webhook', now, dueAt: now + HOUR });
        return found;
      },
    });
    await racing.until(START + MINUTE);
    world.act({ kind: 'delete', who: 'amy', post: first.id });
    await racing.until(END + DAY);
    expect(raced).toBe(true);
    expect(await world.outcome(gig)).toEqual({ amy: 'awarded' });
  });
});
