import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { limitTime } from '../../src/time-limit.ts';

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

test('behavior: the signal fires when time is up', async () => {
  using limit = limitTime(1);
  await wait(20);
  expect(limit.signal.aborted).toBe(true);
});

test('behavior: the signal fires with the outer one, also with one that has fired before', () => {
  const outer = new AbortController();
  using early = limitTime(60_000, outer.signal);
  expect(early.signal.aborted).toBe(false);
  outer.abort();
  expect(early.signal.aborted).toBe(true);
  using late = limitTime(60_000, outer.signal);
  expect(late.signal.aborted).toBe(true);
});

test('behavior: nothing is left of a limit that is over', () => {
  const outer = new AbortController();
  const before = timers();
  const seen: AbortSignal[] = [];
  for (let count = 0; count < 100; count += 1) {
    using limit = limitTime(60_000, outer.signal);
    seen.push(limit.signal);
    expect(timers()).toBe(before + 1);
  }
  expect(timers()).toBe(before);
  outer.abort();
  expect(seen.filter(({ aborted }) => aborted)).toEqual([]);
});
