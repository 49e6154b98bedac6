import { expect, test } from 'vitest';
import type { Rule } from '../../../src/domain/earning/rules/index.ts';
import { DAY, E18, END, HOUR, MINUTE, START } from './gigs.ts';
import { openForEachTest, world } from './world.ts';

openForEachTest();

const SPLIT: Rule = { type: 'split', roundMs: 6 * HOUR, maxAmount: 100n * E18 };

test('security: who claims within a long hold to have been first gains nothing by it', async () => {
  const gig = await world.gig({ each: 50n * E18 });
  await world.engine.until(START + HOUR);
  world.likes('ann', 'ben');
  await world.engine.until(START + 11 * HOUR);
  for (const who of ['mal', 'max']) world.like(who, START);
  await world.engine.until(END + 2 * DAY);
  const late = 'reward_used_up';
  expect(await world.outcome(gig)).toEqual({ ann: 'awarded', ben: 'awarded', mal: late, max: late });
});

test('security: who claims within the hold of a round to have acted in it is in the round in which it acted', async () => {
  const gig = await world.gig({ rule: SPLIT });
  await world.engine.until(START + HOUR);
  world.like('ann');
  await world.engine.until(START + 17 * HOUR);
  world.like('mal', START + 1);
  await world.engine.until(END + 2 * DAY);
  const earnings = await world.store.earnings({ gigId: gig.id, limit: 10 });
  expect(earnings.map(({ state, round }) => [state, round])).toEqual([
    ['awarded', 3],
    ['awarded', 1],
  ]);
});

test('security: among more acts than a look reads, a claim gains an hour at most', async () => {
  const gig = await world.gig({ each: 1n, rewardAmount: 500n });
  // Several pages, of which a look reads the first.
  for (let index = 0; index < 250; index += 1) world.like(`fan${index}`, START);
  await world.engine.until(START + 5 * HOUR);
  world.like('mal', START + 1);
  await world.engine.until(START + 5 * HOUR + 59 * MINUTE);
  const [act] = await world.store.observations(gig.id, world.account(world.idOf('mal')));
  expect(act?.rankedAt).toBeGreaterThanOrEqual(START + 4 * HOUR);
});

test('behavior: looks that read everything stand for sweeps: watching a gig with few acts costs no further calls', async () => {
  await world.gig();
  await world.engine.until(START);
  const before = world.calls();
  await world.engine.until(END - 1);
  expect(world.calls() - before).toBe(143);
});

test('error: a look that is answered with an empty list does not make what was seen look undone', async () => {
  const gig = await world.gig({ holdMs: HOUR });
  const { store, clock, engine } = world;
  await engine.until(START + HOUR);
  world.like('ann');
  await engine.until(START + 2 * HOUR - 5 * MINUTE);
  const before = await store.watch(gig.id);
  clock.now = before?.nextAt ?? 0;
  const empty = world.engineWith({ readActs: async () => ({ acts: [], next: null }) });
  await empty.step();
  const after = await store.watch(gig.id);
  expect([after?.lookedAt, after?.sweptAt]).toEqual([clock.now, before?.sweptAt]);
  await engine.until(END + DAY);
  expect(await world.outcome(gig)).toEqual({ ann: 'awarded' });
});
