import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPacedStore } from '../../../src/services/paced-store.ts';
import { openTestStore } from '../../support/database.ts';
import { CROWD_POST, createCrowd } from './crowd.ts';
import { createEngine } from './engine.ts';
import { END, HOUR, openGig, START } from './gigs.ts';

let opened: Awaited<ReturnType<typeof openTestStore>>;
beforeEach(async () => {
  opened = await openTestStore();
});
afterEach(() => opened.close());

/** A paced store whose transactions set the time that has passed, and the waits between them. */
function createPaced() {
  const time = { passed: 1_000 };
  const waits: number[] = [];
  const sleep = async (ms: number) => {
    waits.push(ms);
  };
  return { time, waits, store: createPacedStore(opened.store, { elapsed: () => time.passed, sleep }) };
}

test.each([
  { took: 4, waits: 8 },
  { took: 49.5, waits: 99 },
  { took: 3_000, waits: 100 },
])('behavior: after a transaction of $took ms its caller waits for $waits ms', async ({ took, waits }) => {
  const paced = createPaced();
  const answer = await paced.store.transaction(async () => {
    paced.time.passed += took;
    return 'done';
  });
  expect(answer).toBe('done');
  expect(paced.waits).toEqual([waits]);
});

test('error: a transaction that fails is followed by a wait, too', async () => {
  const paced = createPaced();
  const failing = paced.store.transaction(async () => {
    paced.time.passed += 5;
    throw new RangeError('too much');
  });
  await expect(failing).rejects.toThrow(new RangeError('too much'));
  expect(paced.waits).toEqual([10]);
});

test('behavior: a transaction is on disk before its caller waits', async () => {
  const seen: boolean[] = [];
  const sleep = async () => {
    seen.push((await opened.store.gigOwners(gig.id)).length === 1);
  };
  const gig = await openGig(opened.store, { target: CROWD_POST });
  const store = createPacedStore(opened.store, { elapsed: () => 0, sleep });
  await store.transaction((tx) => tx.addGigOwner(gig.id, { platform: 'farcaster', platformUserId: '9' }, START));
  expect(seen).toEqual([true]);
});

test('behavior: reads do not wait', async () => {
  const paced = createPaced();
  expect(await paced.store.openWatches('farcaster', { limit: 1 })).toEqual([]);
  expect(paced.waits).toEqual([]);
});

test('behavior: an engine that waits after each transaction awards the same', async () => {
  const clock = { now: START };
  const crowd = createCrowd(clock);
  // Every seventh account of the crowd has a low score.
  for (let number = 0; number < 30; number += 1) crowd.act('like', String(700 + 7 * number + 1));
  const paced = createPaced();
  const engine = createEngine({ store: paced.store, clock, reader: crowd.reader });
  const gig = await openGig(opened.store, { target: CROWD_POST, holdMs: HOUR, each: 1n });
  await engine.until(END - HOUR);
  expect(await opened.store.earningCounts(gig.id)).toEqual([{ state: 'awarded', count: 30 }]);
  expect(paced.waits.length).toBeGreaterThan(0);
});
