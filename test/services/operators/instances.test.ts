import { expect, test } from 'vitest';
import { StoreMoved } from '../../../src/domain/errors.ts';
import { createInstanceWatch } from '../../../src/services/operators/instances.ts';
import type { Instance } from '../../../src/store/port/index.ts';
import { partStore } from '../../support/part-store.ts';
import { keepLog } from '../fakes.ts';

function instance(id: string, isAlive = true): Instance {
  return { id, version: '1.0.0', begunAt: 1, beatAt: 1, clockAheadMs: 0, isAlive };
}

function watchOf(
  id: string | null,
  options: { known?: Instance[]; aheadMs?: () => number; clock?: () => number; beat?: () => Promise<void> } = {},
) {
  const { known = [], aheadMs = () => 0, clock = () => 0, beat = async () => undefined } = options;
  const moves: string[] = [];
  const { log, lines } = keepLog();
  const store = partStore({
    async beat() {
      await beat();
      return { id, clockAheadMs: aheadMs() };
    },
    instances: async () => known,
  });
  const onMoved = (reason: string) => void moves.push(reason);
  return { watch: createInstanceWatch({ store, version: '1.0.0', clock, log, onMoved }), lines, moves };
}

const SUBJECTS = Array.from({ length: 30 }, (_, index) => `pay chain-${index}`);

test('behavior: whoever serves a store alone owns all, before and after the first look', async () => {
  const { watch } = watchOf(null);
  expect(watch.owns('pay base')).toBe(true);
  await watch.look();
  expect([watch.owns('pay base'), watch.living(), watch.isOnTime()]).toEqual([true, 1, true]);
});

test('behavior: each subject has one owner among those that live, and the dead own nothing', async () => {
  const known = [instance('a'), instance('b'), instance('c'), instance('d', false)];
  const watches = ['a', 'b', 'c'].map((id) => watchOf(id, { known }).watch);
  for (const watch of watches) await watch.look();
  for (const subject of SUBJECTS) expect(watches.filter((watch) => watch.owns(subject))).toHaveLength(1);
  // Each of them owns some of thirty.
  for (const watch of watches) expect(SUBJECTS.some((subject) => watch.owns(subject))).toBe(true);
  expect(watches.map((watch) => watch.living())).toEqual([3, 3, 3]);
});

test('error: a clock that is more than a second off is told once, in both directions, and when it agrees again', async () => {
  let aheadMs = 0;
  const { watch, lines } = watchOf('a', { aheadMs: () => aheadMs });
  const seen: boolean[] = [];
  for (const next of [1_000, 1_001, 1_500, -1_001, 0]) {
    aheadMs = next;
    await watch.look();
    seen.push(watch.isOnTime());
  }
  expect(seen).toEqual([true, false, false, false, true]);
  expect(lines).toMatchObject([
    { level: 'error', clockAheadMs: 1_001 },
    { level: 'info', clockAheadMs: 0 },
  ]);
});

test('behavior: requests wait for the first look after a sleep, whoever began it, and for no other', async () => {
  let now = 0;
  const beats: PromiseWithResolvers<void>[] = [];
  const beat = () => {
    const next = Promise.withResolvers<void>();
    beats.push(next);
    return next.promise;
  };
  const { watch } = watchOf('a', { clock: () => now, beat });
  now = 5_000;
  const usual = watch.look();
  expect([watch.lookAfterSleep(), beats.length]).toEqual([null, 1]);
  beats[0]?.resolve();
  await usual;
  now = 11_000;
  const first = watch.lookAfterSleep();
  expect([first instanceof Promise, watch.lookAfterSleep() === first, beats.length]).toEqual([true, true, 2]);
  beats[1]?.resolve();
  await first;
  expect(watch.lookAfterSleep()).toBeNull();
  // A clock that was set back, too; and a look that fails keeps no request.
  now = 1_000;
  const failing = watch.look();
  const waiting = watch.lookAfterSleep();
  expect(waiting).toBeInstanceOf(Promise);
  beats[2]?.reject(new Error('the disk is full'));
  await expect(failing).rejects.toThrow('the disk is full');
  await waiting;
  expect([watch.lookAfterSleep(), beats.length]).toEqual([null, 3]);
});

test('error: a store that was moved is told once, and stays so', async () => {
  let beats = 0;
  const { watch, moves } = watchOf('a', {
    beat: async () => {
      beats += 1;
      if (beats > 1) throw new StoreMoved('database a: it was moved to b');
    },
  });
  await watch.look();
  expect([watch.moved(), moves]).toEqual([null, []]);
  await watch.look();
  await watch.look();
  expect([watch.moved(), moves]).toEqual(['database a: it was moved to b', ['database a: it was moved to b']]);
});
