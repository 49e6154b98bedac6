import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEngine } from './engine.ts';
import { DAY, END, HOUR, START } from './gigs.ts';
import { type EarningWorld, openEarningWorld } from './world.ts';

let world: EarningWorld;

beforeEach(async () => {
  world = await openEarningWorld();
});

afterEach(() => world.close());

/** An engine for which, from twelve hours after the start, so many lists are empty. */
function openDoubtful(lists: number) {
  const { store, clock, reader, labels } = world;
  let left = lists;
  return createEngine({
    store,
    clock,
    labels,
    reader: {
      ...reader,
      async readActs(query) {
        if (clock.now < START + 12 * HOUR || left === 0) return await reader.readActs(query);
        left -= 1;
        return { acts: [], next: null };
      },
    },
  });
}

async function likeTwice() {
  for (const name of ['amy', 'ben']) {
    world.person(name);
    world.act({ kind: 'like', who: name, post: world.cast.id });
  }
}

test('security: one empty list of likes refuses nobody: that is said twice, minutes apart', async () => {
  const gig = await world.gig();
  await likeTwice();
  await openDoubtful(2).until(END + 2 * DAY);
  expect(await world.outcome(gig)).toEqual({ amy: 'awarded', ben: 'awarded' });
});

test('behavior: when all likes are taken back, all are refused, minutes later', async () => {
  const gig = await world.gig();
  await likeTwice();
  await world.engine.until(START + 11 * HOUR);
  for (const who of ['amy', 'ben']) world.act({ kind: 'unlike', who, post: world.cast.id });
  await world.engine.until(START + 12 * HOUR + 30 * 60_000);
  expect(await world.outcome(gig)).toEqual({ amy: 'withdrawn', ben: 'withdrawn' });
  await world.engine.until(END + DAY);
  expect(await world.store.watch(gig.id)).toMatchObject({ failures: 0, overAt: expect.any(Number) });
});
