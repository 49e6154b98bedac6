import type { DrawState } from './draw.ts';

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

/** The next step of a draw. */
export type DrawStep =
  /** From now on nobody enters or leaves. */
  | { readonly kind: 'close_draw' }
  /** The entrants' hash is made known. */
  | { readonly kind: 'fix_draw' }
  /** The block is read, and the winners are drawn. */
  | { readonly kind: 'draw' }
  /** Winners get their shares. */
  | { readonly kind: 'hand_out' }
  /** Those who were not drawn are told so. */
  | { readonly kind: 'refuse_others' };

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
export function drawTime(draw: DrawFacts | null): number | null {
  return draw?.state === 'open' ? draw.closesAt : (draw?.notBefore ?? null);
}
