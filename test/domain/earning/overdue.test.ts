import { expect, test } from 'vitest';
import { failurePause, isOverdue } from '../../../src/domain/earning/watch.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const pauses = { failedMs: 30_000, longestFailedMs: 1_800_000 };
const watch = { nextAt: NOW, failures: 0, overAt: null };
const overdue = (change: Partial<{ nextAt: number; failures: number; overAt: number | null }>) =>
  isOverdue({ ...watch, ...change }, { now: NOW, pauses });

test('behavior: a watch is overdue a day after its step was due', () => {
  expect([overdue({ nextAt: NOW - DAY + 1 }), overdue({ nextAt: NOW - DAY })]).toEqual([false, true]);
  expect(overdue({ nextAt: NOW + DAY })).toBe(false);
});

test('behavior: a watch is overdue when its steps have failed for a day', () => {
  // 30, 60, 120, 240, 480 and 960 seconds, then half an hour each: 53 pauses last a day.
  expect([53, 54, 1_000].map((failures) => overdue({ failures }))).toEqual([false, true, true]);
});

test('behavior: a watch that is over is never overdue', () => {
  expect(overdue({ nextAt: NOW - 2 * DAY, failures: 99, overAt: NOW - DAY })).toBe(false);
});

test('behavior: pauses double up to the longest', () => {
  expect([1, 2, 6, 7, 1_000].map((failures) => failurePause(failures, pauses))).toEqual([
    30_000, 60_000, 960_000, 1_800_000, 1_800_000,
  ]);
});
