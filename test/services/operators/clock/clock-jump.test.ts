import { expect, test } from 'vitest';
import { createJumpWatch } from '../../../../src/services/operators/clock/clock-jump.ts';
import { keepLog } from '../../fakes.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

function watch() {
  const { log, lines } = keepLog();
  const time = { now: Date.UTC(2026, 10, 26, 12), elapsed: 5_000 };
  const hasJumped = createJumpWatch({ clock: () => time.now, elapsed: () => time.elapsed, log });
  return {
    lines,
    /** Whether it has jumped after so much has passed, and the clock was moved by so much beyond. */
    after(passedMs: number, movedMs = 0): boolean {
      time.elapsed += passedMs;
      time.now += passedMs + movedMs;
      return hasJumped();
    },
  };
}

test('security: what a jump of more than an hour makes due waits for ten minutes that have passed', () => {
  const clock = watch();
  expect([clock.after(SECOND), clock.after(SECOND, HOUR)]).toEqual([false, false]);
  expect(clock.lines).toEqual([]);
  expect(clock.after(SECOND, HOUR + 1)).toBe(true);
  expect(clock.lines).toMatchObject([{ level: 'warn', aheadMs: HOUR + 1 }]);
  expect([clock.after(10 * MINUTE - 1), clock.after(1)]).toEqual([true, false]);
  expect(clock.lines).toHaveLength(1);
});

test('security: another jump, and one after the clock was set back, begin the wait anew', () => {
  const clock = watch();
  expect(clock.after(SECOND, 24 * HOUR)).toBe(true);
  expect(clock.after(9 * MINUTE, -24 * HOUR)).toBe(true);
  expect(clock.after(SECOND, 2 * HOUR)).toBe(true);
  expect([clock.after(10 * MINUTE - 1), clock.after(1)]).toEqual([true, false]);
});

test('behavior: a long time in which nothing looked is no jump, and neither is a clock that is set back', () => {
  const clock = watch();
  expect([clock.after(48 * HOUR), clock.after(SECOND, -2 * HOUR)]).toEqual([false, false]);
  expect(clock.lines).toEqual([]);
});
