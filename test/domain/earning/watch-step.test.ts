import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { awardProgress } from '../../../src/domain/earning/payouts/by-rank.ts';
import { roundsProgress } from '../../../src/domain/earning/payouts/rounds.ts';
import { payoutOf } from '../../../src/domain/earning/rules/index.ts';
import { judgeTime, nextWatchStep, type WatchFacts, type WatchStep } from '../../../src/domain/earning/watch-step.ts';
import {
  anyPaying,
  END,
  type Expected,
  FACTS,
  HOUR,
  type Known,
  MINUTE,
  NOON,
  ROUNDS,
  SPLIT,
  START,
  stepOf,
  TIMING,
  wait,
  wholeStep,
} from './paying.ts';

const GRACE = 10 * MINUTE;
/** So many minutes before noon, and after it. */
const ago = (minutes: number) => NOON - minutes * MINUTE;
const later = (minutes: number) => NOON + minutes * MINUTE;
const settle = (dueBy: number): WatchStep => ({ kind: 'settle', dueBy });

/** Accounts that another rule awards. */
const OTHERS_ELIGIBLE = { payout: SPLIT, progress: roundsProgress(ROUNDS, true) };
/** An account was due an hour ago, and everything was swept since. */
const JUDGED = { lookedAt: ago(10), sweptAt: ago(1), nextHeldDue: ago(60) };
const SWEEP = { begunAt: START, kind: 'like', cursor: null, pages: 0, isDoubtful: false } as const;

const CASES: readonly (readonly [title: string, known: Known, step: Expected])[] = [
  ['it has not started', { now: START - HOUR }, wait(START)],
  ['it has not started, and was made with others held', { now: START - 1, nextHeldDue: 0 }, wait(START)],
  ['it starts: what was done before is read', { now: START }, 'begin_sweep'],
  ['ranks decide nothing', { now: START, payout: payoutOf({ type: 'verifier', maxAmount: 1n }) }, 'look'],
  ['follows start', { now: START, needsStart: true }, 'begin_sweep'],
  ['followers at the start are read first', { sweep: SWEEP, lookedAt: START, needsStart: true }, 'sweep'],
  [
    'its first followers are known',
    { now: START + HOUR - 1, sweptAt: START, lookedAt: START, needsStart: true },
    'look',
  ],
  ['it was looked at a moment ago', { now: NOON + 1, lookedAt: NOON, sweptAt: NOON }, wait(later(10))],
  ['a look is due', { lookedAt: ago(10), sweptAt: ago(60) + 1 }, 'look'],
  ['a sweep is due, so that claims gain little', { lookedAt: NOON, sweptAt: ago(60) }, 'begin_sweep'],
  ['sweeps of many acts are rarer', { lookedAt: NOON, sweptAt: ago(119), sweptPages: 120 }, wait(later(1))],
  ['the clock was set back since the last look', { lookedAt: later(60), sweptAt: NOON }, 'look'],
  ['a held account is due, and nothing was swept', { lookedAt: NOON, nextHeldDue: NOON }, 'begin_sweep'],
  ['a held account is due before a look', { lookedAt: NOON, sweptAt: ago(10), nextHeldDue: later(1) }, wait(later(1))],
  [
    'the last sweep began before it was due, long ago',
    { lookedAt: NOON, sweptAt: ago(60), sweptPages: 3, nextHeldDue: NOON - 1 },
    'begin_sweep',
  ],
  ['a sweep was a moment ago', { lookedAt: NOON, sweptAt: ago(1), sweptPages: 3, nextHeldDue: NOON }, wait(later(9))],
  [
    'the last sweep was long: another one waits',
    { lookedAt: NOON, sweptAt: ago(99), sweptPages: 100, nextHeldDue: NOON },
    wait(later(1)),
  ],
  [
    'the clock was set back after a sweep',
    { lookedAt: NOON, sweptAt: later(60), nextHeldDue: later(120) },
    wait(later(10)),
  ],
  ['a sweep is under way', { lookedAt: NOON, sweep: SWEEP, nextHeldDue: ago(60) }, 'sweep'],
  ['a look is due during a sweep', { lookedAt: ago(60), sweep: SWEEP, nextHeldDue: ago(60) }, 'look'],
  ['a sweep covers what is due', { lookedAt: ago(60), sweptAt: ago(1), nextHeldDue: ago(1) }, settle(ago(1))],
  ['awards are first', { sweptAt: NOON, nextHeldDue: START, progress: awardProgress('awardable') }, 'award'],
  [
    'eligible ones wait for held ones',
    { lookedAt: NOON, sweptAt: ago(59), nextHeldDue: later(1), progress: awardProgress('waiting') },
    wait(later(1)),
  ],
  ['another rule awards otherwise', { lookedAt: NOON, sweptAt: NOON, ...OTHERS_ELIGIBLE }, wait(later(10))],
  ['it ends', { now: END, lookedAt: END - 1, sweptAt: END - HOUR }, 'begin_sweep'],
  ['it ends, with a sweep that may not begin yet: a look', { now: END, lookedAt: END - 1, sweptAt: END - 1 }, 'look'],
  [
    'looks are rarer than the grace is long: one is still made after the end',
    { now: END - 1, lookedAt: END - MINUTE, sweptAt: END - MINUTE },
    wait(END),
  ],
  [
    'it has ended, and the last sweep is from before: nothing is judged',
    { now: END + 1, lookedAt: END, sweptAt: END - 1, nextHeldDue: END - HOUR },
    wait(END - 1 + 10 * MINUTE),
  ],
  [
    'it was swept after its end',
    { now: END + MINUTE, lookedAt: END, sweptAt: END, nextHeldDue: END - HOUR },
    settle(END),
  ],
  [
    'it was swept at the end, and late acts may still be seen',
    { now: END + MINUTE, lookedAt: END + MINUTE, sweptAt: END },
    wait(END + GRACE + 1),
  ],
  ['all was done in time, but a look may find late acts', { now: END + GRACE, lookedAt: END, sweptAt: END }, 'look'],
  ['everything is decided', { now: END + GRACE + 1, lookedAt: END, sweptAt: END }, 'over'],
  [
    'a hold ends later: another sweep then',
    { now: END + HOUR, lookedAt: END, sweptAt: END, nextHeldDue: END + 2 * HOUR },
    wait(END + 2 * HOUR),
  ],
  [
    'its holds are over',
    { now: END + 2 * HOUR, lookedAt: END, sweptAt: END, nextHeldDue: END + 2 * HOUR },
    'begin_sweep',
  ],
  ['the service was down over the end', { now: END + HOUR, lookedAt: NOON }, 'begin_sweep'],
  [
    'eligible ones are left, which another rule awards',
    { now: END + HOUR, lookedAt: END, sweptAt: END, ...OTHERS_ELIGIBLE },
    wait(END + 70 * MINUTE),
  ],
  ['the target is gone: nothing is read', { goneAt: ago(60), sweep: SWEEP, lookedAt: START }, wait(END + GRACE + 1)],
  ['the target is gone: what is held is judged when due', { goneAt: ago(60), nextHeldDue: NOON }, settle(NOON)],
  [
    'the target is gone, and what is held is due later',
    { goneAt: ago(60), nextHeldDue: later(60), needsStart: true },
    wait(later(60)),
  ],
  ['the target is gone, and the gig ended', { now: END + HOUR, goneAt: NOON }, 'over'],
  ['it is over', { overAt: NOON, nextHeldDue: START }, 'over'],
  ['it is earned by request', { payout: payoutOf({ type: 'manual' }) }, 'over'],
  ['judging waits after a failure, and a look is due', { ...JUDGED, settleAfter: later(1) }, 'look'],
  ['judging waits for longer than looks', { ...JUDGED, lookedAt: ago(9), settleAfter: later(60) }, wait(later(1))],
  ['judging waits for less long than looks', { ...JUDGED, lookedAt: ago(1), settleAfter: later(1) }, wait(later(1))],
  ['judging has waited, and a look is due', { ...JUDGED, settleAfter: NOON }, 'look'],
  ['judging has waited', { ...JUDGED, lookedAt: ago(1), settleAfter: NOON }, settle(ago(1))],
];

describe('the next step', () => {
  test.each(CASES)('behavior: %s', (_, known, step) => {
    expect(stepOf(known)).toEqual(wholeStep(step));
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
