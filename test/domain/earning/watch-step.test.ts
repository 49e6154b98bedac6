import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { awardProgress } from '../../../src/domain/earning/payouts/by-rank.ts';
import { roundsProgress } from '../../../src/domain/earning/payouts/rounds.ts';
import { payoutOf } from '../../../src/domain/earning/rules/index.ts';
import { judgeTime, nextWatchStep, type WatchFacts, type WatchStep } from '../../../src/domain/earning/watch-step.ts';
import { anyPaying, FIXED, ROUNDS, SPLIT } from './paying.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = 1_000 * HOUR;
const END = START + 24 * HOUR;
const GRACE = 10 * MINUTE;
const TIMING = { lookMs: 10 * MINUTE, pageMs: MINUTE };

const FACTS: WatchFacts = {
  watch: { lookedAt: null, sweep: null, sweptAt: null, sweptPages: 0, goneAt: null, overAt: null },
  window: { startTime: START, endTime: END },
  payout: FIXED,
  needsStart: false,
  nextHeldDue: null,
  progress: awardProgress('none'),
};

/** Accounts that another rule awards. */
const OTHERS_ELIGIBLE = { payout: SPLIT, progress: roundsProgress(ROUNDS, true) };
const SWEEP = { begunAt: START, kind: 'like', cursor: null, pages: 0, isDoubtful: false } as const;

interface Case {
  readonly title: string;
  readonly now: number;
  readonly watch?: Partial<WatchFacts['watch']>;
  readonly facts?: Partial<Omit<WatchFacts, 'watch'>>;
  readonly expected: WatchStep;
}

const wait = (until: number): WatchStep => ({ kind: 'wait', until });

const NOON = START + 12 * HOUR;

const CASES: readonly Case[] = [
  { title: 'it has not started', now: START - HOUR, expected: wait(START) },
  {
    title: 'it has not started, and was made with others held',
    now: START - 1,
    facts: { nextHeldDue: 0 },
    expected: wait(START),
  },
  { title: 'it starts: what was done before is read', now: START, expected: { kind: 'begin_sweep' } },
  {
    title: 'ranks decide nothing',
    now: START,
    facts: { payout: payoutOf({ type: 'verifier', maxAmount: 1n }) },
    expected: { kind: 'look' },
  },
  { title: 'follows start', now: START, facts: { needsStart: true }, expected: { kind: 'begin_sweep' } },
  {
    title: 'followers at the start are read before anything else',
    now: NOON,
    watch: { sweep: SWEEP, lookedAt: START },
    facts: { needsStart: true },
    expected: { kind: 'sweep' },
  },
  {
    title: 'followers at the start are known',
    now: START + HOUR - 1,
    watch: { sweptAt: START, lookedAt: START },
    facts: { needsStart: true },
    expected: { kind: 'look' },
  },
  {
    title: 'it was looked at a moment ago',
    now: NOON + 1,
    watch: { lookedAt: NOON, sweptAt: NOON },
    expected: wait(NOON + 10 * MINUTE),
  },
  {
    title: 'a look is due',
    now: NOON,
    watch: { lookedAt: NOON - 10 * MINUTE, sweptAt: NOON - HOUR + 1 },
    expected: { kind: 'look' },
  },
  {
    title: 'a sweep is due, so that claims gain little',
    now: NOON,
    watch: { lookedAt: NOON, sweptAt: NOON - HOUR },
    expected: { kind: 'begin_sweep' },
  },
  {
    title: 'sweeps of many acts are rarer',
    now: NOON,
    watch: { lookedAt: NOON, sweptAt: NOON - 2 * HOUR + MINUTE, sweptPages: 120 },
    expected: wait(NOON + MINUTE),
  },
  {
    title: 'the clock was set back since the last look',
    now: NOON,
    watch: { lookedAt: NOON + HOUR, sweptAt: NOON },
    expected: { kind: 'look' },
  },
  {
    title: 'a held account is due, and nothing was swept',
    now: NOON,
    watch: { lookedAt: NOON },
    facts: { nextHeldDue: NOON },
    expected: { kind: 'begin_sweep' },
  },
  {
    title: 'a held account is due soon: before the next look',
    now: NOON,
    watch: { lookedAt: NOON, sweptAt: NOON - 10 * MINUTE },
    facts: { nextHeldDue: NOON + MINUTE },
    expected: wait(NOON + MINUTE),
  },
  {
    title: 'the last sweep began before it was due, long ago',
    now: NOON,
    watch: { lookedAt: NOON, sweptAt: NOON - HOUR, sweptPages: 3 },
    facts: { nextHeldDue: NOON - 1 },
    expected: { kind: 'begin_sweep' },
  },
  {
    title: 'the last sweep was a moment ago',
    now: NOON,
    watch: { lookedAt: NOON, sweptAt: NOON - MINUTE, sweptPages: 3 },
    facts: { nextHeldDue: NOON },
    expected: wait(NOON + 9 * MINUTE),
  },
  {
    title: 'the last sweep was long: another one waits',
    now: NOON,
    watch: { lookedAt: NOON, sweptAt: NOON - 99 * MINUTE, sweptPages: 100 },
    facts: { nextHeldDue: NOON },
    expected: wait(NOON + MINUTE),
  },
  {
    title: 'the clock was set back since the last sweep',
    now: NOON,
    watch: { lookedAt: NOON, sweptAt: NOON + HOUR },
    facts: { nextHeldDue: NOON + 2 * HOUR },
    expected: wait(NOON + 10 * MINUTE),
  },
  {
    title: 'a sweep is under way',
    now: NOON,
    watch: { lookedAt: NOON, sweep: SWEEP },
    facts: { nextHeldDue: NOON - HOUR },
    expected: { kind: 'sweep' },
  },
  {
    title: 'a look is due during a sweep',
    now: NOON,
    watch: { lookedAt: NOON - HOUR, sweep: SWEEP },
    facts: { nextHeldDue: NOON - HOUR },
    expected: { kind: 'look' },
  },
  {
    title: 'a sweep covers what is due',
    now: NOON,
    watch: { lookedAt: NOON - HOUR, sweptAt: NOON - MINUTE },
    facts: { nextHeldDue: NOON - MINUTE },
    expected: { kind: 'settle', dueBy: NOON - MINUTE },
  },
  {
    title: 'some can be awarded: that is first',
    now: NOON,
    watch: { sweptAt: NOON },
    facts: { nextHeldDue: START, progress: awardProgress('awardable') },
    expected: { kind: 'award' },
  },
  {
    title: 'eligible ones wait for held ones',
    now: NOON,
    watch: { lookedAt: NOON, sweptAt: NOON - HOUR + MINUTE },
    facts: { nextHeldDue: NOON + MINUTE, progress: awardProgress('waiting') },
    expected: wait(NOON + MINUTE),
  },
  {
    title: 'another rule awards otherwise',
    now: NOON,
    watch: { lookedAt: NOON, sweptAt: NOON },
    facts: OTHERS_ELIGIBLE,
    expected: wait(NOON + 10 * MINUTE),
  },
  { title: 'it ends', now: END, watch: { lookedAt: END - 1, sweptAt: END - HOUR }, expected: { kind: 'begin_sweep' } },
  {
    title: 'it ends, with a sweep that may not begin yet: a look at least',
    now: END,
    watch: { lookedAt: END - 1, sweptAt: END - 1 },
    expected: { kind: 'look' },
  },
  {
    title: 'looks are rarer than the grace is long: one is still made after the end',
    now: END - 1,
    watch: { lookedAt: END - MINUTE, sweptAt: END - MINUTE },
    expected: wait(END),
  },
  {
    title: 'it has ended, and the last sweep is from before: nothing is judged',
    now: END + 1,
    watch: { lookedAt: END, sweptAt: END - 1 },
    facts: { nextHeldDue: END - HOUR },
    expected: wait(END - 1 + 10 * MINUTE),
  },
  {
    title: 'it has ended, and was swept',
    now: END + MINUTE,
    watch: { lookedAt: END, sweptAt: END },
    facts: { nextHeldDue: END - HOUR },
    expected: { kind: 'settle', dueBy: END },
  },
  {
    title: 'it was swept at the end, and late acts may still be seen',
    now: END + MINUTE,
    watch: { lookedAt: END + MINUTE, sweptAt: END },
    expected: wait(END + GRACE + 1),
  },
  {
    title: 'everything was done in time, but one more look may find late acts',
    now: END + GRACE,
    watch: { lookedAt: END, sweptAt: END },
    expected: { kind: 'look' },
  },
  {
    title: 'everything is decided',
    now: END + GRACE + 1,
    watch: { lookedAt: END, sweptAt: END },
    expected: { kind: 'over' },
  },
  {
    title: 'a hold ends later: another sweep then',
    now: END + HOUR,
    watch: { lookedAt: END, sweptAt: END },
    facts: { nextHeldDue: END + 2 * HOUR },
    expected: wait(END + 2 * HOUR),
  },
  {
    title: 'the last hold is over',
    now: END + 2 * HOUR,
    watch: { lookedAt: END, sweptAt: END },
    facts: { nextHeldDue: END + 2 * HOUR },
    expected: { kind: 'begin_sweep' },
  },
  {
    title: 'the service was down over the end',
    now: END + HOUR,
    watch: { lookedAt: NOON },
    expected: { kind: 'begin_sweep' },
  },
  {
    title: 'eligible ones are left, which another rule awards',
    now: END + HOUR,
    watch: { lookedAt: END, sweptAt: END },
    facts: OTHERS_ELIGIBLE,
    expected: wait(END + HOUR + 10 * MINUTE),
  },
  {
    title: 'the target is gone: nothing is read',
    now: NOON,
    watch: { goneAt: NOON - HOUR, sweep: SWEEP, lookedAt: START },
    expected: wait(END + GRACE + 1),
  },
  {
    title: 'the target is gone: what is held is judged when due',
    now: NOON,
    watch: { goneAt: NOON - HOUR },
    facts: { nextHeldDue: NOON },
    expected: { kind: 'settle', dueBy: NOON },
  },
  {
    title: 'the target is gone, and what is held is due later',
    now: NOON,
    watch: { goneAt: NOON - HOUR },
    facts: { nextHeldDue: NOON + HOUR, needsStart: true },
    expected: wait(NOON + HOUR),
  },
  {
    title: 'the target is gone, and the gig ended',
    now: END + HOUR,
    watch: { goneAt: NOON },
    expected: { kind: 'over' },
  },
  {
    title: 'it is over',
    now: NOON,
    watch: { overAt: NOON },
    facts: { nextHeldDue: START },
    expected: { kind: 'over' },
  },
  {
    title: 'it is earned by request',
    now: NOON,
    facts: { payout: payoutOf({ type: 'manual' }) },
    expected: { kind: 'over' },
  },
];

describe('the next step', () => {
  test.each(CASES)('behavior: $title', ({ now, watch, facts, expected }) => {
    const all: WatchFacts = { ...FACTS, ...facts, watch: { ...FACTS.watch, ...watch } };
    expect(nextWatchStep(all, { now, timing: TIMING })).toEqual(expected);
  });

  const time = fc.integer({ min: START - HOUR, max: END + 40 * HOUR });
  const anyFacts = fc.record({
    watch: fc.record({
      lookedAt: fc.option(time),
      sweep: fc.constantFrom(null, SWEEP),
      sweptAt: fc.option(time),
      sweptPages: fc.nat(200),
      goneAt: fc.option(time, { freq: 2 }),
      overAt: fc.constant(null),
    }),
    window: fc.constant(FACTS.window),
    needsStart: fc.boolean(),
    nextHeldDue: fc.option(time),
  });

  test('behavior: a wait ends later, nothing is judged unswept, and nothing is over too soon', () => {
    fc.assert(
      fc.property(anyFacts, anyPaying(time, END + HOUR), time, (facts, { eligible, rounds, ...paying }, now) => {
        const step = nextWatchStep({ ...facts, ...paying }, { now, timing: TIMING });
        const { watch, nextHeldDue } = facts;
        if (step.kind === 'wait') expect(step.until).toBeGreaterThan(now);
        if (step.kind === 'settle') {
          expect(step.dueBy).toBeGreaterThanOrEqual(nextHeldDue ?? Number.NaN);
          expect(step.dueBy).toBeLessThanOrEqual(now);
          if (watch.goneAt === null) expect(step.dueBy).toBeLessThanOrEqual(watch.sweptAt ?? Number.NaN);
        }
        if (step.kind === 'divide') {
          expect(rounds).toMatchObject({ isHeld: false, isHandingOut: false });
          const dueAt = rounds?.next?.dueAt ?? Number.NaN;
          expect(Math.min(now, watch.goneAt === null ? (watch.sweptAt ?? Number.NaN) : now)).toBeGreaterThanOrEqual(
            dueAt,
          );
        }
        if (step.kind === 'over') {
          expect([nextHeldDue, eligible]).toEqual([null, 'none']);
          expect(rounds ?? ROUNDS).toMatchObject({ next: null, isHandingOut: false });
          expect(now).toBeGreaterThan(END + GRACE);
        }
        if (watch.goneAt !== null) expect(['look', 'sweep', 'begin_sweep']).not.toContain(step.kind);
      }),
      { numRuns: 2_000 },
    );
  });

  /** Plays a gig whose platform always answers and whose sweeps take so many pages of a minute each. */
  function play(dues: readonly number[], pages: number): { now: number; steps: number; settled: Map<number, number> } {
    const settled = new Map<number, number>();
    let watch = FACTS.watch;
    let now = START - HOUR;
    for (let steps = 0; steps < 20_000; steps += 1) {
      const left = dues.filter((due) => !settled.has(due));
      const nextHeldDue = left.length === 0 ? null : Math.min(...left);
      const step = nextWatchStep({ ...FACTS, watch, nextHeldDue }, { now, timing: TIMING });
      if (step.kind === 'over') return { now, steps, settled };
      if (step.kind === 'wait') now = step.until;
      if (step.kind === 'look') watch = { ...watch, lookedAt: now };
      if (step.kind === 'begin_sweep') watch = { ...watch, lookedAt: now, sweep: { ...SWEEP, begunAt: now } };
      if (step.kind === 'sweep' && watch.sweep !== null) {
        const sweep = { ...watch.sweep, pages: watch.sweep.pages + 1 };
        watch = { ...watch, sweep };
        now += MINUTE;
        if (sweep.pages >= pages) watch = { ...watch, sweep: null, sweptAt: sweep.begunAt, sweptPages: pages };
      }
      if (step.kind === 'settle') {
        for (const due of left) if (due <= step.dueBy) settled.set(due, watch.sweptAt ?? 0);
      }
    }
    throw new Error('it never ends');
  }

  test('behavior: every gig ends, each account judged after a sweep that began when it was due', () => {
    const due = fc.integer({ min: START, max: END + 20 * HOUR });
    fc.assert(
      fc.property(fc.array(due, { maxLength: 30 }), fc.integer({ min: 1, max: 90 }), (dues, pages) => {
        const { now, settled } = play(dues, pages);
        expect(settled.size).toBe(new Set(dues).size);
        for (const [at, sweptAt] of settled) expect(sweptAt).toBeGreaterThanOrEqual(at);
        expect(now).toBeLessThan(END + 26 * HOUR);
      }),
      { numRuns: 50 },
    );
  });
});

test('behavior: what is due by the last sweep can be judged, at most what is due now', () => {
  const facts = (watch: Partial<WatchFacts['watch']>) => ({ ...FACTS, watch: { ...FACTS.watch, ...watch } });
  expect(judgeTime(facts({}), NOON)).toBeNull();
  expect(judgeTime(facts({ sweptAt: NOON - 1 }), NOON)).toBe(NOON - 1);
  expect(judgeTime(facts({ sweptAt: NOON + 1 }), NOON)).toBe(NOON);
  expect(judgeTime(facts({ sweptAt: END - 1 }), END)).toBeNull();
  expect(judgeTime(facts({ goneAt: NOON }), END)).toBe(END);
});
