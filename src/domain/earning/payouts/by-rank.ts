import type { PayoutProgress } from './payout.ts';

/** The most accounts that are decided on in one transaction: requests wait that long. */
export const AWARD_BATCH = 20;

/** An eligible account, and how many held accounts have an earlier rank. */
export interface Awardable {
  readonly heldBefore: number;
}

/**
 * The outcome of a gig's eligible accounts: there are none, an award would decide on some, or all wait for held
 * accounts with earlier ranks.
 */
export type EligibleState = 'none' | 'awardable' | 'waiting';

/** What can be awarded by rank is awarded before anything else is done. */
export function awardProgress(eligible: EligibleState): PayoutProgress {
  return {
    isDone: eligible === 'none',
    divisionAt: null,
    beforeJudging: () => (eligible === 'awardable' ? { kind: 'award' } : null),
  };
}
