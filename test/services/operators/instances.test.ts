import { expect, test } from 'vitest';
import { createInstanceWatch } from '../../../src/services/operators/instances.ts';
import type { Instance } from '../../../src/store/port/index.ts';
import { keepLog } from '../fakes.ts';

function instance(id: string, isAlive = true): Instance {
  return { id, version: '1.0.0', begunAt: 1, beatAt: 1, clockAheadMs: 0, isAlive };
}

function watchOf(id: string | null, options: { known?: Instance[]; aheadMs?: () => number } = {}) {
  const { known = [], aheadMs = () => 0 } = options;
  const { log, lines } = keepLog();
  const store = { beat: async () => ({ id, clockAheadMs: aheadMs() }), instances: async () => known };
  return { watch: createInstanceWatch({ store, version: '1.0.0', log }), lines };
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
