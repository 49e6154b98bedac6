import { expect, test } from 'vitest';
import { partOf, type RoundFacts, roundFacts, roundsProgress } from '../../../src/domain/earning/payouts/rounds.ts';
import { payoutOf, type Rule } from '../../../src/domain/earning/rules/index.ts';
import {
  END,
  type Expected,
  HOUR,
  SPLIT as HOURLY,
  type Known,
  MINUTE,
  NOON,
  ROUNDS,
  START,
  stepOf,
  wait,
  wholeStep,
} from './paying.ts';

const CASES: readonly (readonly [title: string, known: Known, rounds: Partial<RoundFacts>, step: Expected])[] = [
  [
    'a round is to be divided, and nothing was swept since it is',
    { sweptAt: NOON - 1, lookedAt: NOON - 1 },
    { next: { number: 1, dueAt: NOON } },
    wait(NOON - 1 + 10 * MINUTE),
  ],
  [
    'a round is to be divided, and must be swept first',
    { now: NOON + HOUR, sweptAt: NOON - 1, lookedAt: NOON },
    { next: { number: 1, dueAt: NOON } },
    'begin_sweep',
  ],
  [
    'a round can be divided',
    { now: NOON + HOUR, sweptAt: NOON },
    { next: { number: 3, dueAt: NOON } },
    { kind: 'divide', round: 3 },
  ],
  [
    'a round waits for its held accounts',
    { now: NOON + 5 * MINUTE, sweptAt: NOON, lookedAt: NOON, nextHeldDue: NOON + 20 * MINUTE },
    { next: { number: 1, dueAt: NOON }, isHeld: true },
    wait(NOON + 10 * MINUTE),
  ],
  [
    'shares of a round are handed out before anything is judged',
    { sweptAt: NOON, nextHeldDue: NOON },
    { isHandingOut: true },
    'hand_out',
  ],
  [
    'the target is gone, and a round is divided later',
    { goneAt: NOON - HOUR },
    { next: { number: 1, dueAt: NOON + HOUR } },
    wait(NOON + HOUR),
  ],
  [
    'the gig ended, and a round is left',
    { now: END + HOUR, sweptAt: END + MINUTE },
    { next: { number: 2, dueAt: END + 5 * HOUR } },
    wait(END + 5 * HOUR),
  ],
];

test.each(CASES)('behavior: the next step when %s', (_, known, rounds, step) => {
  const paying = { payout: HOURLY, progress: roundsProgress({ ...ROUNDS, ...rounds }, false) };
  expect(stepOf({ ...known, ...paying })).toEqual(wholeStep(step));
});

/** Rounds of 10, 10 and 4 hours. */
const SPLIT = { type: 'split', roundMs: 10 * HOUR, maxAmount: 1n } as const;
const WINDOW = { startTime: START, endTime: END };

test('behavior: a round waits for held accounts with its ranks, the last one for all that may still count', () => {
  const at = (number: number, firstHeldRank: number | null, holdMs = HOUR) => {
    const last = number === 1 ? null : ({ number: number - 1, state: 'over' } as const);
    return roundFacts({ rule: SPLIT, holdMs }, WINDOW, { last, firstHeldRank });
  };
  const next = { number: 1, dueAt: START + 11 * HOUR };
  expect(at(1, null)).toEqual({ ...ROUNDS, next });
  expect(at(1, START + 10 * HOUR)).toEqual({ ...ROUNDS, next });
  expect(at(1, START + 10 * HOUR - 1)).toEqual({ ...ROUNDS, next, isHeld: true });
  expect(at(2, START)).toEqual({ ...ROUNDS, next: { number: 2, dueAt: START + 21 * HOUR }, isHeld: true });
  expect(at(3, END + 10 * MINUTE)).toEqual({ ...ROUNDS, next: { number: 3, dueAt: END + HOUR }, isHeld: true });
  expect(at(3, END + 10 * MINUTE + 1)).toEqual({ ...ROUNDS, next: { number: 3, dueAt: END + HOUR } });
  expect(at(3, null, 0).next).toEqual({ number: 3, dueAt: END + 10 * MINUTE + 1 });
  expect(at(4, null)).toEqual(ROUNDS);
  const last = { number: 3, state: 'divided' } as const;
  expect(roundFacts({ rule: SPLIT, holdMs: 0 }, WINDOW, { last, firstHeldRank: null }).isHandingOut).toBe(true);
});

test('behavior: a part is in the round of the rank, or the next one that is not divided', () => {
  const standing = { score: 900_000, followers: 1 };
  const part = (rankedAt: number, divided: number, rule: Rule = SPLIT) => {
    const payout = payoutOf(rule);
    return payout.by === 'rounds' ? partOf(payout, WINDOW, { rankedAt, standing, divided }) : null;
  };
  expect(part(START, 0)).toEqual({ round: 1, weight: 1n });
  expect(part(START + 10 * HOUR, 0)).toEqual({ round: 2, weight: 1n });
  expect(part(END + MINUTE, 0)).toEqual({ round: 3, weight: 1n });
  expect(part(START, 2)).toEqual({ round: 3, weight: 1n });
  expect(part(START, 3)).toBe('late');
  expect(part(START, 0, { ...SPLIT, type: 'weighted', by: 'score_reach' })).toEqual({ round: 1, weight: 1_800_000n });
  expect(part(START, 0, { type: 'fixed', amount: 1n })).toBeNull();
});

test('behavior: the next division is known from how many rounds are divided', () => {
  const hold = { holdMs: HOUR };
  const { nextDivisionAt } = payoutOf(SPLIT);
  expect(nextDivisionAt(hold, WINDOW, 0)).toBe(START + 11 * HOUR);
  expect(nextDivisionAt(hold, WINDOW, 2)).toBe(END + HOUR);
  expect(nextDivisionAt(hold, WINDOW, 3)).toBeNull();
  expect(payoutOf({ type: 'fixed', amount: 1n }).nextDivisionAt(hold, WINDOW, 0)).toBeNull();
});
