import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EarningState } from '../../../src/domain/earning/earning.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { openTestStore } from '../../support/database.ts';
import { CROWD_POST, createCrowd } from './crowd.ts';
import { createEngine } from './engine.ts';
import { type EarnedGig, END, HOUR, openGig, START } from './gigs.ts';

const PEOPLE = 60;

let opened: Awaited<ReturnType<typeof openTestStore>>;
beforeEach(async () => {
  opened = await openTestStore();
});
afterEach(() => opened.close());

/** How many accounts are in a state whenever a transaction of somebody else's had its turn while the engine worked. */
async function seenBeside(work: () => Promise<void>, gig: Gig, state: EarningState): Promise<number[]> {
  const seen = new Set<number>();
  let isDone = false;
  const watch = async () => {
    while (!isDone) {
      const counts = await opened.store.transaction((tx) => tx.earningCounts(gig.id));
      seen.add(counts.find((each) => each.state === state)?.count ?? 0);
    }
  };
  const watching = watch();
  await work();
  isDone = true;
  await watching;
  return [...seen];
}

/** A gig that many like who pass every gate, and its engine. */
async function crowded(gig: Partial<EarnedGig>) {
  const clock = { now: START };
  const crowd = createCrowd(clock);
  // Every seventh account of the crowd has a low score.
  for (let number = 0; number < PEOPLE; number += 1) crowd.act('like', String(700 + 7 * number + 1));
  const engine = createEngine({ store: opened.store, clock, reader: crowd.reader });
  return { engine, gig: await openGig(opened.store, { target: CROWD_POST, holdMs: HOUR, ...gig }) };
}

test.each<{ state: EarningState; gig: Partial<EarnedGig> }>([
  { state: 'eligible', gig: { rule: { type: 'raffle', winners: 1 } } },
  { state: 'awarded', gig: { each: 1n } },
])('behavior: others have their turn before all accounts are $state', async ({ state, gig: given }) => {
  const { engine, gig } = await crowded(given);
  const seen = await seenBeside(() => engine.until(END - HOUR), gig, state);
  expect(seen.at(-1)).toBe(PEOPLE);
  expect(seen.length).toBeGreaterThan(3);
});
