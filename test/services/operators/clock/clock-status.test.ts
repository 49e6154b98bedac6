import { expect, test } from 'vitest';
import { type Chain, chainByKey } from '../../../../src/domain/chains/chain.ts';
import { createClockStatus } from '../../../../src/services/operators/clock/clock-status.ts';

const SECOND = 1_000;
const NOON = Date.UTC(2026, 10, 26, 12);
const BASE = chainByKey('base') as Chain; // It is in the list.

function stand() {
  const time = { now: NOON };
  const clocks = createClockStatus({ clock: () => time.now });
  let number = 0n;
  return {
    ...clocks,
    time,
    /** A new block that is so old when it is seen, a minute after the one before. */
    see(lag: number) {
      number += 1n;
      time.now += 60 * SECOND;
      clocks.saw(BASE, { number, at: time.now - lag });
    },
    /** The newest block is read again. */
    idle: () => clocks.saw(BASE, { number, at: NOON }),
  };
}

test('behavior: a block that is more than 30 s ahead of the clock says that the clock is off', () => {
  const clocks = stand();
  expect(clocks.offChain(BASE)).toBeNull();
  clocks.see(-30 * SECOND);
  expect(clocks.offChain(BASE)).toBeNull();
  clocks.see(-31 * SECOND);
  expect(clocks.offChain(BASE)).toBe(31 * SECOND);
  clocks.see(2 * SECOND);
  expect(clocks.offChain(BASE)).toBe(0);
});

test('behavior: a clock is ahead of a chain when twenty new blocks in a row were more than 30 s old', () => {
  const clocks = stand();
  // The first one may be of any age: the chain may have been idle.
  clocks.see(86_400 * SECOND);
  for (let block = 0; block < 19; block += 1) clocks.see(45 * SECOND);
  expect(clocks.offChain(BASE)).toBeNull();
  clocks.see(31 * SECOND);
  expect(clocks.offChain(BASE)).toBe(-31 * SECOND);
  clocks.see(30 * SECOND);
  expect(clocks.offChain(BASE)).toBe(0);
  for (let block = 0; block < 19; block += 1) clocks.see(31 * SECOND);
  expect(clocks.offChain(BASE)).toBe(0);
  clocks.see(31 * SECOND);
  expect(clocks.offChain(BASE)).toBe(-31 * SECOND);
});

test('behavior: a chain that makes no blocks says nothing', () => {
  const clocks = stand();
  clocks.see(SECOND);
  clocks.see(SECOND);
  for (let look = 0; look < 100; look += 1) {
    clocks.time.now += 60 * SECOND;
    clocks.idle();
  }
  expect(clocks.offChain(BASE)).toBe(0);
});

test('behavior: a clock that was set back by more than 30 s is off until it is where it stood', () => {
  const clocks = stand();
  clocks.wasSetBack({ before: NOON, now: NOON - 30 * SECOND });
  expect(clocks.setBack()).toBeNull();
  clocks.time.now = NOON - 7_200 * SECOND;
  clocks.wasSetBack({ before: NOON, now: clocks.time.now });
  expect(clocks.setBack()).toEqual({ at: NOON, backMs: 7_200 * SECOND });
  // A second, smaller step does not shorten it.
  clocks.time.now -= 60 * SECOND;
  clocks.wasSetBack({ before: clocks.time.now + 60 * SECOND, now: clocks.time.now });
  clocks.time.now = NOON - 1;
  expect(clocks.setBack()).toEqual({ at: NOON, backMs: 7_200 * SECOND });
  clocks.time.now = NOON;
  expect(clocks.setBack()).toBeNull();
});

test('security: the latest time goes back with a step of more than a day only, and begins at the last beat', () => {
  const time = { now: NOON };
  const clocks = createClockStatus({ clock: () => time.now, lastBeatAt: NOON + 60 * SECOND });
  expect(clocks.latest()).toBe(NOON + 60 * SECOND);
  clocks.wasSetBack({ before: NOON + 90 * SECOND, now: NOON });
  expect(clocks.latest()).toBe(NOON + 90 * SECOND);
  time.now = NOON + 91 * SECOND;
  expect(clocks.latest()).toBe(NOON + 91 * SECOND);
  time.now -= 86_400 * SECOND;
  expect(clocks.latest()).toBe(NOON + 91 * SECOND);
  time.now -= SECOND;
  expect(clocks.latest()).toBe(time.now);
});

test('behavior: what blocks have shown of the clock before it was set says nothing of it now', () => {
  const clocks = stand();
  clocks.see(-120 * SECOND);
  clocks.see(-120 * SECOND);
  expect(clocks.offChain(BASE)).toBe(120 * SECOND);
  clocks.wasSetBack({ before: clocks.time.now, now: clocks.time.now - 60 * SECOND });
  expect(clocks.offChain(BASE)).toBeNull();
});
