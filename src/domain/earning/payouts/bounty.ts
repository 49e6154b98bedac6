import type { AwardWindow } from '../../gigs/gig.ts';
import { DAY_MS } from '../../time.ts';

/** After its end a bounty's candidates are decided on for at least so long. */
const LEAST_DAYS = 7;

/** Until when the candidates of a bounty are decided on: a week, or as long as awards are taken. */
export function decideByOf({ endTime, awardDays }: AwardWindow): number {
  return endTime + Math.max(LEAST_DAYS, awardDays) * DAY_MS;
}

/** What decides on the candidates of a bounty. Times are epoch milliseconds. */
export interface BountyFacts {
  /** Whether there are candidates. */
  readonly isOpen: boolean;
  /** When the verifier is asked next; null without candidates, and when they are decided on by hand. */
  readonly askAt: number | null;
  /** Until when candidates are decided on. */
  readonly decideBy: number;
  /** Whether nothing is left of the reward. */
  readonly isUsedUp: boolean;
}

/** Where a bounty is. `nextDue` is when the first candidate is to be asked about; null without candidates. */
export function bountyFacts(
  window: AwardWindow,
  options: {
    readonly isAsked: boolean;
    readonly nextDue: number | null;
    readonly batch: VerifierBatch | null;
    readonly left: bigint;
  },
): BountyFacts {
  const { isAsked, nextDue, batch, left } = options;
  return {
    isOpen: nextDue !== null,
    askAt: isAsked && nextDue !== null ? (batch?.nextAt ?? nextDue) : null,
    decideBy: decideByOf(window),
    isUsedUp: left === 0n,
  };
}

/** Why all that is open of a bounty is refused now; null when it is not. */
export function closeReason({ isUsedUp, decideBy }: BountyFacts, now: number): 'reward_used_up' | 'not_decided' | null {
  if (isUsedUp) return 'reward_used_up';
  return now >= decideBy ? 'not_decided' : null;
}

export const BATCH_STATES = ['open', 'answered', 'dropped'] as const;
/** The outcome of a batch; `dropped` when everything that it asks about was decided otherwise, or waits. */
export type BatchState = (typeof BATCH_STATES)[number];

/** A question to the verifier of a gig, the same at every try. Times are epoch milliseconds. */
export interface VerifierBatch {
  /** The `webhook-id` of its requests. */
  readonly id: string;
  readonly gigId: number;
  /** The ids of the acts that it asks about. */
  readonly candidates: readonly number[];
  /** How often it was sent, or was about to be. */
  readonly tries: number;
  /** When it is sent again, unless an answer comes before. */
  readonly nextAt: number;
}

/** The most candidates of one batch. */
export const BATCH_SIZE = 50;
