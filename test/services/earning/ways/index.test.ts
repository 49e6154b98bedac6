import { expect, test } from 'vitest';
import type { WatchedGig } from '../../../../src/services/earning/context.ts';
import { wayOf } from '../../../../src/services/earning/ways/index.ts';
import { perCase, storePerCase } from '../../../support/per-case.ts';
import { CROWD_POST, createCrowd } from '../crowd.ts';
import { createEngine, type SetClock } from '../engine.ts';
import { openGig, START } from '../gigs.ts';

const { store } = storePerCase();
const clock = perCase((): SetClock => ({ now: START }));
const engine = perCase(() => createEngine({ store, clock, reader: createCrowd(clock).reader }));

test('behavior: a watched gig that became manual is over at once', async () => {
  const gig = await openGig(store, { target: CROWD_POST, rule: { type: 'manual' } });
  await engine.work();
  expect(await store.watch(gig.id)).toMatchObject({ overAt: START });
});

test('behavior: of a manual gig nothing is left to decide, and no step pays', async () => {
  const way = wayOf({ rule: { type: 'manual' }, holdMs: 0 });
  // It reads nothing of the gig.
  const watched = {} as WatchedGig;
  const progress = await way.progress(engine.deps, watched, { first: undefined, isAnyHeld: false });
  expect(progress).toEqual({ isDone: true, divisionAt: null });
  expect(await way.take(engine.deps, watched, { kind: 'award' })).toBeNull();
});
