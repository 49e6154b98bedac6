import { expect, test } from 'vitest';
import { partOf, type RoundFacts, roundFacts, roundsProgress } from '../../../src/domain/earning/payouts/rounds.ts';
import { payoutOf, type Rule } from '../../../src/domain/earning/rules/index.ts';
import { nextWatchStep, type WatchFacts, type WatchStep } from '../../../src/domain/earning/watch-step.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = 1_000 * HOUR;
const END = START + 24 * HOUR;
const NOON = START + 12 * HOUR;
const TIMING = { lookMs: 10 * MINUTE, pageMs: MINUTE };
const ROUNDS = { next: null, isHeld: false, isHandingOut: false };

const FACTS: WatchFacts = {
  watch: { lookedAt: null, sweep: null, sweptAt: null, sweptPages: 0, goneAt: null, overAt: null },
  window: { startTime: START, endTime: END },
  payout: payoutOf({ type: 'split', roundMs: HOUR, maxAmount: 1n }),
  needsStart: false,
  nextHeldDue: null,
  progress: roundsProgress(ROUNDS, false),
};

interface Case {
  readonly title: string;
  readonly now: number;
  readonly watch?: Partial<WatchFacts['watch']>;
  readonly nextHeldDue?: number;
  readonly rounds: RoundFacts;
  readonly expected: WatchStep;
}

const wait = (until: number): WatchStep => ({ kind: 'wait', until });

const CASES: readonly Case[] = [
  {
    title: 'a round is to be divided, and nothing was swept since it is',
    now: NOON,
    watch: { sweptAt: NOON - 1, lookedAt: NOON - 1 },
    rounds: { ...ROUNDS, next: { number: 1, dueAt: NOON } },
    expected: wait(NOON - 1 + 10 * MINUTE),
  },
  {
    title: 'a round is to be divided, and must be swept first',
    now: NOON + HOUR,
    watch: { sweptAt: NOON - 1, lookedAt: NOON },
    rounds: { ...ROUNDS, next: { number: 1, dueAt: NOON } },
    expected: { kind: 'begin_sweep' },
  },
  {
    title: 'a round can be divided',
    now: NOON + HOUR,
    watch: { sweptAt: NOON },
    rounds: { ...ROUNDS, next: { number: 3, dueAt: NOON } },
    expected: { kind: 'divide', round: 3 },
  },
  {
    title: 'a round waits for its held accounts',
    now: NOON + 5 * MINUTE,
    watch: { sweptAt: NOON, lookedAt: NOON },
    nextHeldDue: NOON + 20 * MINUTE,
    rounds: { ...ROUNDS, next: { number: 1, dueAt: NOON }, isHeld: true },
    expected: wait(NOON + 10 * MINUTE),
  },
  {
    title: 'shares of a round are handed out before anything is judged',
    now: NOON,
    watch: { sweptAt: NOON },
    nextHeldDue: NOON,
    rounds: { ...ROUNDS, isHandingOut: true },
    expected: { kind: 'hand_out' },
  },
  {
    title: 'the target is gone, and a round is divided later',
    now: NOON,
    watch: { goneAt: NOON - HOUR },
    rounds: { ...ROUNDS, next: { number: 1, dueAt: NOON + HOUR } },
    expected: wait(NOON + HOUR),
  },
  {
    title: 'the gig ended, and a round is left',
    now: END + HOUR,
    watch: { sweptAt: END + MINUTE },
    rounds: { ...ROUNDS, next: { number: 2, dueAt: END + 5 * HOUR } },
    expected: wait(END + 5 * HOUR),
  },
];

test.each(CASES)('behavior: the next step when $title', ({ now, watch, nextHeldDue = null, rounds, expected }) => {
  const progress = roundsProgress(rounds, false);
  const all: WatchFacts = { ...FACTS, nextHeldDue, progress, watch: { ...FACTS.watch, ...watch } };
  expect(nextWatchStep(all, { now, timing: TIMING })).toEqual(expected);
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
