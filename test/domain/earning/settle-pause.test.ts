import { expect, test } from 'vitest';
import { awardProgress } from '../../../src/domain/earning/payouts/by-rank.ts';
import { payoutOf } from '../../../src/domain/earning/rules/index.ts';
import { nextWatchStep, type WatchFacts, type WatchStep } from '../../../src/domain/earning/watch-step.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = 1_000 * HOUR;
const NOON = START + 12 * HOUR;
const TIMING = { lookMs: 10 * MINUTE, pageMs: MINUTE };

/** What is to be done at noon, with an account that was due an hour ago and everything swept since. */
function stepAt(lookedAt: number, settleAfter: number): WatchStep {
  const facts: WatchFacts = {
    watch: { lookedAt, sweep: null, sweptAt: NOON - MINUTE, sweptPages: 0, goneAt: null, overAt: null },
    window: { startTime: START, endTime: START + 24 * HOUR },
    payout: payoutOf({ type: 'fixed', amount: 1n }),
    needsStart: false,
    nextHeldDue: NOON - HOUR,
    settleAfter,
    progress: awardProgress('none'),
  };
  return nextWatchStep(facts, { now: NOON, timing: TIMING });
}

test('behavior: while judging waits after a failure, looks go on', () => {
  expect(stepAt(NOON - 10 * MINUTE, NOON + MINUTE)).toEqual({ kind: 'look' });
  expect(stepAt(NOON - 9 * MINUTE, NOON + HOUR)).toEqual({ kind: 'wait', until: NOON + MINUTE });
  expect(stepAt(NOON - MINUTE, NOON + MINUTE)).toEqual({ kind: 'wait', until: NOON + MINUTE });
});

test('behavior: when its pause is over judging is tried again, after a look that is due', () => {
  expect(stepAt(NOON - 10 * MINUTE, NOON)).toEqual({ kind: 'look' });
  expect(stepAt(NOON - MINUTE, NOON)).toEqual({ kind: 'settle', dueBy: NOON - MINUTE });
});
