import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sampleAccount } from '../../support/earning.ts';
import { openWatchedWorld, type WatchedWorld } from '../../support/watched-world.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

let watched: WatchedWorld;

beforeEach(async () => {
  watched = await openWatchedWorld();
});

afterEach(() => watched.close());

/** A gig that pays for likes of the new cast by this rule, or the default one, and the people who like it. */
async function startLikeGig(people: readonly string[], rule?: object) {
  const { farcaster } = watched.world;
  const cast = farcaster.post({ author: 'alice', text: 'Like this' });
  const criteria = rule === undefined ? {} : { earning_criteria: { rule } };
  const gigId = await watched.startGig({ gig_type: 'like', url: cast.url, ...criteria });
  for (const who of people) farcaster.act({ who, kind: 'like', post: cast.id });
  return { gigId, cast };
}

test('behavior: a gig that says "like this cast" pays those who like it, and who stands', async () => {
  const people = ['one', 'two', 'three', 'young'];
  const [, , three = '', young = ''] = people.map((name) =>
    watched.addPerson(name, name === 'young' ? { age: DAY_MS } : {}),
  );
  const { gigId, cast } = await startLikeGig(people, { type: 'fixed', amount: 2 });
  await expect.poll(() => watched.counts(gigId)).toEqual(['4 held']);
  expect(await watched.claimable(people)).toEqual([0, 0, 0, 0]);

  watched.world.farcaster.act({ who: 'three', kind: 'unlike', post: cast.id });
  await watched.later(12 * HOUR_MS + 60_000);
  await expect.poll(() => watched.claimable(people)).toEqual([2, 2, 0, 0]);
  const { store } = watched;
  expect(await store.earning(gigId, sampleAccount(three))).toMatchObject({ state: 'refused', reason: 'withdrawn' });
  expect(await store.earning(gigId, sampleAccount(young))).toMatchObject({ state: 'refused', reason: 'too_young' });
});

test('behavior: a gig that is split divides a seventh of its reward after a day and the hold, and goes on', async () => {
  const people = ['one', 'two', 'three'];
  for (const name of people) watched.addPerson(name);
  const { gigId } = await startLikeGig(people, { type: 'split' });
  await expect.poll(() => watched.counts(gigId)).toEqual(['3 held']);
  await watched.later(DAY_MS + 12 * HOUR_MS + 60_000);
  await expect.poll(() => watched.claimable(people)).toEqual([0.47619, 0.47619, 0.47619]);
  const { store } = watched;
  await expect.poll(() => store.lastRound(gigId)).toMatchObject({ number: 1, state: 'over', pool: 1_428_571n });
  expect(await store.gig(gigId)).toMatchObject({ awardedAmount: 1_428_570n, reservedAmount: 0n });
});

test('behavior: a gig that says nothing of who earns divides by score and reach what tips by request have left', async () => {
  watched.addPerson('one');
  watched.addPerson('known', { score: 0.6, followers: 1 });
  const tips = [{ platform: 'farcaster', platform_user_id: watched.addPerson('friend'), value: 1 }];
  const { gigId } = await startLikeGig(['one', 'known']);
  expect(await watched.send('POST', `/api/gigs/${gigId}/tips`, { tips })).toMatchObject({ status: 201 });
  await expect.poll(() => watched.counts(gigId)).toEqual(['2 held']);
  await watched.later(DAY_MS + 12 * HOUR_MS + 60_000);
  const claimable = () => watched.claimable(['one', 'known', 'friend']);
  // A seventh of the nine that are left, by the weights 900,000 × 1 and 600,000 × 2.
  await expect.poll(claimable).toEqual([0.55102, 0.734693, 1]);
  expect((await watched.send('GET', `/api/gigs/${gigId}`)).body).toMatchObject({
    data: {
      earning_rules: { rule: { type: 'weighted', by: 'score_reach', round_hours: 24, max_amount: '1' } },
      earning: { counts: { awarded: 2 }, sums: { held: '0', eligible: '0', awarded: '1.285713', refused: '0' } },
      payout_interval_ms: DAY_MS,
    },
  });
});

test('security: accounts that a jump of the clock makes due are not judged until ten minutes have passed', async () => {
  await watched.close();
  let passed = 0;
  watched = await openWatchedWorld({ elapsed: () => performance.now() + passed });
  watched.addPerson('one');
  const { gigId } = await startLikeGig(['one'], { type: 'fixed', amount: 2 });
  await expect.poll(() => watched.counts(gigId)).toEqual(['1 held']);
  await watched.later(12 * HOUR_MS + 60_000);
  const jumped = () => watched.world.lines.some((line) => line.includes('system clock jumped ahead'));
  await expect.poll(jumped).toBe(true);
  // The watch is looked at each second.
  await wait(3_000);
  expect(await watched.counts(gigId)).toEqual(['1 held']);
  passed = 10 * 60_000;
  await expect.poll(() => watched.claimable(['one'])).toEqual([2]);
});
