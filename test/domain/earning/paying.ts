import fc from 'fast-check';
import { awardProgress } from '../../../src/domain/earning/payouts/by-rank.ts';
import { DRAW_STATES } from '../../../src/domain/earning/payouts/draw.ts';
import { drawProgress } from '../../../src/domain/earning/payouts/draw-step.ts';
import { roundsProgress } from '../../../src/domain/earning/payouts/rounds.ts';
import { payoutOf } from '../../../src/domain/earning/rules/index.ts';
import { nextWatchStep, type WatchFacts, type WatchStep } from '../../../src/domain/earning/watch-step.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const START = 1_000 * HOUR;
export const NOON = START + 12 * HOUR;
export const END = START + 24 * HOUR;
export const TIMING = { lookMs: 10 * MINUTE, pageMs: MINUTE };

export const FIXED = payoutOf({ type: 'fixed', amount: 1n });
export const SPLIT = payoutOf({ type: 'split', roundMs: 3_600_000, maxAmount: 1n });
const RAFFLE = payoutOf({ type: 'raffle', winners: 1 });

export const ROUNDS = { next: null, isHeld: false, isHandingOut: false };

/** A gig of a day that pays the same for each, of which nothing was read yet. */
export const FACTS: WatchFacts = {
  watch: { lookedAt: null, sweep: null, sweptAt: null, sweptPages: 0, goneAt: null, overAt: null },
  window: { startTime: START, endTime: END },
  payout: FIXED,
  needsStart: false,
  nextHeldDue: null,
  progress: awardProgress('none'),
};

/** What is known otherwise of such a gig, and when: at noon unless said otherwise. */
export type Known = Partial<WatchFacts['watch']> & Partial<Omit<WatchFacts, 'watch'>> & { readonly now?: number };

export function stepOf({ now = NOON, ...known }: Known): WatchStep {
  const { lookedAt, sweep, sweptAt, sweptPages, goneAt, overAt } = { ...FACTS.watch, ...known };
  const watch = { lookedAt, sweep, sweptAt, sweptPages, goneAt, overAt };
  return nextWatchStep({ ...FACTS, ...known, watch }, { now, timing: TIMING });
}

/** A step by its kind alone, or as it is. */
export type Expected = WatchStep | WatchStep['kind'];

export const wholeStep = (step: Expected) => (typeof step === 'string' ? { kind: step } : step);

export const wait = (until: number): WatchStep => ({ kind: 'wait', until });

/** A way of paying with how far it is; `rounds` is null without them. */
export function anyPaying(time: fc.Arbitrary<number>, closesAt: number) {
  const anyRounds = fc.record({
    next: fc.option(fc.record({ number: fc.constant(1), dueAt: time })),
    isHeld: fc.boolean(),
    isHandingOut: fc.boolean(),
  });
  const anyDraw = fc.record({
    state: fc.constantFrom(...DRAW_STATES),
    closesAt: fc.constant(closesAt),
    notBefore: fc.option(time),
    isHandingOut: fc.boolean(),
  });
  return fc
    .record({ eligible: fc.constantFrom('none', 'awardable', 'waiting'), rounds: anyRounds, draw: anyDraw })
    .chain(({ eligible, rounds, draw }) =>
      fc.constantFrom(
        { payout: FIXED, progress: awardProgress(eligible), eligible, rounds: null },
        { payout: SPLIT, progress: roundsProgress(rounds, eligible !== 'none'), eligible, rounds },
        { payout: RAFFLE, progress: drawProgress(draw, eligible !== 'none'), eligible, rounds: null },
      ),
    );
}
