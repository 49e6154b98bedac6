import type { AwardWindow } from '../../gigs/gig.ts';
import { DAY_MS, HOUR_MS } from '../../time.ts';
import { closesAt } from '../due.ts';
import { PAYOUT_DEFAULTS, type PayoutProgress, type RulePayout } from './payout.ts';

/** After its end a bounty's candidates are decided on for at least so long. */
const LEAST_DAYS = 7;

/** Until when the candidates of a bounty are decided on: a week, or as long as awards are taken. */
export function decideByOf({ endTime, awardDays }: AwardWindow): number {
  return endTime + Math.max(LEAST_DAYS, awardDays) * DAY_MS;
}

/** A program, or people, decide on each submission. */
export function bountyPayout(maxAmount: bigint): RulePayout<'bounty'> {
  const openUntil: RulePayout['openUntil'] = (hold, gig) => Math.max(closesAt(hold, gig), decideByOf(gig));
  return { ...PAYOUT_DEFAULTS, by: 'bounty', maxAmount, hasSubmissions: true, openUntil };
}

/** What decides on the candidates of a bounty. Times are epoch milliseconds. */
interface BountyFacts {
  /** Whether the verifier is asked; else people decide. */
  readonly isAsked: boolean;
  /** When the first candidate is to be asked about; null without candidates. */
  readonly nextDue: number | null;
  readonly isAnyHeld: boolean;
  /** The question that waits for its answer, or null. */
  readonly batch: VerifierBatch | null;
  /** What is left of the reward, in base units. */
  readonly left: bigint;
}

/**
 * What is open is refused first once nothing can be awarded, or the time to decide is over; the verifier is asked after
 * acts are read.
 */
export function bountyProgress(gig: AwardWindow, facts: BountyFacts): PayoutProgress {
  const { isAsked, nextDue, isAnyHeld, batch, left } = facts;
  const isOpen = nextDue !== null;
  const askAt = isAsked && isOpen ? (batch?.nextAt ?? nextDue) : null;
  const decideBy = decideByOf(gig);
  return {
    isDone: !isOpen,
    divisionAt: null,
    beforeJudging(now) {
      if (!isOpen && !isAnyHeld) return null;
      if (left === 0n) return { kind: 'close', reason: 'reward_used_up' };
      return now >= decideBy ? { kind: 'close', reason: 'not_decided' } : null;
    },
    afterReading: ({ now }) => (askAt !== null && askAt <= now ? { kind: 'ask' } : null),
    // Decisions by hand wake nothing, so a bounty with open candidates is looked at again after an hour.
    times: (now) => (isOpen ? [askAt, decideBy, now + HOUR_MS] : []),
  };
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
