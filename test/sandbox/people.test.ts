import { afterEach, beforeEach, expect, test } from 'vitest';
import { farcasterAccount, PEOPLE } from '../../sandbox/people.ts';
import { DAY, HOUR, START } from '../services/earning/gigs.ts';
import { type EarningWorld, openEarningWorld } from '../services/earning/world.ts';

let world: EarningWorld;

beforeEach(async () => {
  world = await openEarningWorld();
  for (const one of PEOPLE) world.network.addUser(farcasterAccount(one, START));
});
afterEach(() => world.close());

test('behavior: alice, bob and carol pass the default gates, mallory has too low a score', async () => {
  const gig = await world.gig();
  for (const { name } of PEOPLE) world.act({ who: name, kind: 'like', post: world.cast.id });
  await world.engine.until(START + 13 * HOUR);
  expect(await world.outcome(gig)).toEqual({
    alice: 'awarded',
    bob: 'awarded',
    carol: 'awarded',
    mallory: 'score_too_low',
  });
});

test('behavior: mallory’s account is too young, too', async () => {
  const gig = await world.gig({ gates: { minScore: 0 } });
  world.act({ who: 'mallory', kind: 'like', post: world.cast.id });
  await world.engine.until(START + 13 * HOUR);
  expect(await world.outcome(gig)).toEqual({ mallory: 'too_young' });
});

test('behavior: their followers are those that Farcaster shows', () => {
  const accounts = PEOPLE.map((one) => farcasterAccount(one, START));
  expect(accounts.map(({ username, followers }) => [username, followers])).toEqual([
    ['alice', 1_840],
    ['bob', 320],
    ['carol', 75],
    ['mallory', 2],
  ]);
  expect(accounts.at(-1)?.registeredAt).toBe(START - 2 * DAY);
});
