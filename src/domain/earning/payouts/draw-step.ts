import type { DrawState } from './draw.ts';
import type { PayoutProgress, StepOf } from './payout.ts';

/** Where a gig is in its draw. */
export interface DrawFacts {
  readonly state: DrawState;
  /** Until then nobody is shut out, epoch milliseconds. */
  readonly closesAt: number;
  /** The draw's block has at least this time, epoch milliseconds; null until the entrants are fixed. */
  readonly notBefore: number | null;
  /** Whether winners wait for their shares. */
  readonly isHandingOut: boolean;
}

/** A step of a draw. */
export type DrawStep = StepOf<'close_draw' | 'fix_draw' | 'draw' | 'hand_out' | 'refuse_others'>;

/**
 * The next step of a draw; null when none is due.
 * @param isDecided whether the gig is over but for its draw: all acts are seen, and nobody is held
 */
export function drawStep(
  { state, closesAt, notBefore, isHandingOut }: DrawFacts,
  { isDecided, hasEligible, now }: { isDecided: boolean; hasEligible: boolean; now: number },
): DrawStep | null {
  switch (state) {
    case 'open':
      return isDecided && now >= closesAt ? { kind: 'close_draw' } : null;
    case 'closed':
      return { kind: 'fix_draw' };
    case 'fixed':
      return notBefore !== null && now >= notBefore ? { kind: 'draw' } : null;
    case 'drawn':
      if (isHandingOut) return { kind: 'hand_out' };
      return hasEligible && isDecided ? { kind: 'refuse_others' } : null;
  }
}

/** When the next step of a draw can be due for its own sake, epoch milliseconds; null when no time is known. */
export function drawTime(draw: DrawFacts): number | null {
  return draw.state === 'open' ? draw.closesAt : draw.notBefore;
}

/** A draw goes on once everything that counts was read. */
export function drawProgress(draw: DrawFacts, hasEligible: boolean): PayoutProgress {
  return {
    isDone: draw.state === 'drawn' && !hasEligible,
    divisionAt: null,
    afterReading: (at) => drawStep(draw, { ...at, hasEligible }),
    times: () => [drawTime(draw)],
  };
}
