import fc from 'fast-check';
import { awardProgress } from '../../../src/domain/earning/payouts/by-rank.ts';
import { DRAW_STATES } from '../../../src/domain/earning/payouts/draw.ts';
import { drawProgress } from '../../../src/domain/earning/payouts/draw-step.ts';
import { roundsProgress } from '../../../src/domain/earning/payouts/rounds.ts';
import { payoutOf } from '../../../src/domain/earning/rules/index.ts';

export const FIXED = payoutOf({ type: 'fixed', amount: 1n });
export const SPLIT = payoutOf({ type: 'split', roundMs: 3_600_000, maxAmount: 1n });
const RAFFLE = payoutOf({ type: 'raffle', winners: 1 });

export const ROUNDS = { next: null, isHeld: false, isHandingOut: false };

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
