import { expect, test } from 'vitest';
import { countRounds, endOfRound, lastDueOf, roundAt } from '../../../src/domain/earning/due.ts';
import { decideByOf } from '../../../src/domain/earning/payouts/bounty.ts';
import { partOf, roundFacts, roundsPayout } from '../../../src/domain/earning/payouts/rounds.ts';
import { poolOf } from '../../../src/domain/earning/payouts/shares.ts';
import { HOUR, MINUTE, ROUNDS } from './paying.ts';

const DAY = 24 * HOUR;
const START = 1_000 * DAY;
const SPLIT = { type: 'split', roundMs: DAY, maxAmount: 100n } as const;
const PAYOUT = roundsPayout({ roundMs: DAY, maxAmount: 100n, weightOf: () => 1n });
const HELD = { rule: SPLIT, holdMs: 12 * HOUR };
/** Seven days by its terms. */
const stoppedAfter = (ms: number) => ({ startTime: START, endTime: START + ms });

test.each([
  ['in its first hour', HOUR, 1],
  ['at the end of its first round', DAY, 1],
  ['a moment later', DAY + 1, 2],
  ['in its third round', 2 * DAY + HOUR, 3],
  ['as its terms say', 7 * DAY, 7],
  ['at its start', 0, 1],
  ['a day before its start', -DAY, 1],
] as const)('behavior: a gig that is stopped %s has the rounds that had begun', (_when, ms, rounds) => {
  expect(countRounds(SPLIT, stoppedAfter(ms))).toBe(rounds);
});

test('behavior: the round in which it is stopped ends then, and takes what is seen in the grace time', () => {
  const window = stoppedAfter(2 * DAY + HOUR);
  const stop = window.endTime;
  expect([1, 2, 3].map((round) => endOfRound(SPLIT, window, round))).toEqual([START + DAY, START + 2 * DAY, stop]);
  expect(roundAt(SPLIT, window, stop + 5 * MINUTE)).toBe(3);
  expect(PAYOUT.dueOf(HELD, window, { firstSeenAt: stop + MINUTE, rankedAt: stop })).toBe(stop + MINUTE + 12 * HOUR);
  expect(lastDueOf(HELD, window)).toBe(stop + 12 * HOUR);
  expect(PAYOUT.nextDivisionAt(HELD, window, 2)).toBe(stop + 12 * HOUR);
  expect(PAYOUT.nextDivisionAt({ holdMs: 0 }, window, 2)).toBe(stop + 10 * MINUTE + 1);
});

test('behavior: the rounds after it are never divided', () => {
  const window = stoppedAfter(2 * DAY + HOUR);
  expect(PAYOUT.nextDivisionAt(HELD, window, 3)).toBeNull();
  const last = { number: 3, state: 'over' } as const;
  expect(roundFacts(HELD, window, { last, firstHeldRank: null })).toEqual(ROUNDS);
  expect(partOf(PAYOUT, window, { rankedAt: window.endTime, standing: null, divided: 3 })).toBe('late');
  expect(partOf(PAYOUT, window, { rankedAt: window.endTime, standing: null, divided: 2 })).toMatchObject({ round: 3 });
});

test('behavior: pools are those of the rounds by the terms, so that an early end makes nobody’s share greater', () => {
  expect(poolOf(700n, { round: 1, rounds: 7 })).toBe(100n);
  expect(poolOf(600n, { round: 2, rounds: 7 })).toBe(100n);
});

test.each([
  ['a week at least', 0, 7],
  ['a week', 7, 7],
  ['as long as awards are taken', 14, 14],
  ['ninety days at most', 90, 90],
] as const)('behavior: candidates of a bounty are decided about for %s', (_what, awardDays, days) => {
  expect(decideByOf({ endTime: START, awardDays })).toBe(START + days * DAY);
});
