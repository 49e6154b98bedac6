import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPacedWake } from '../../src/jobs/paced-wake.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('behavior: wakes at once after a pause, and once at the end of a pause in which it was called', () => {
  const woken: number[] = [];
  const wake = createPacedWake(() => woken.push(Date.now() - start), 100);
  const start = Date.now();
  for (const at of [0, 30, 99, 130, 400]) {
    vi.advanceTimersByTime(start + at - Date.now());
    wake();
  }
  vi.advanceTimersByTime(1_000);
  expect(woken).toEqual([0, 100, 200, 400]);
});
