import { countRounds, endOfRound, type GigWindow, type RoundLength, roundAt, SEEING_GRACE_MS } from '../due.ts';
import { PAYOUT_DEFAULTS, type PayoutProgress, type PayoutTerms, type RulePayout } from './payout.ts';
import type { Division, Standing } from './shares.ts';

/** A round that was divided. Its members, their weights and so their shares stay as they were then. */
export interface Round extends Division {
  readonly gigId: number;
  /** The first is 1. */
  readonly number: number;
  /** `over` when every member has its tip, or was refused. */
  readonly state: 'divided' | 'over';
  /** Epoch milliseconds. */
  readonly dividedAt: number;
}

/** What decides on the next division of a gig. */
export interface RoundFacts {
  /** The round that is divided next, and when it can be at the earliest; null when all are divided. */
  readonly next: { readonly number: number; readonly dueAt: number } | null;
  /** Whether a held account may belong to it. */
  readonly isHeld: boolean;
  /** Whether members of the round that was divided last wait for their shares. */
  readonly isHandingOut: boolean;
}

/** Ranks before this one belong to a round or to those before it; what is seen after the last one's does not count. */
function rankLimit(rule: RoundLength, window: GigWindow, round: number): number {
  const isLast = round === countRounds(rule, window);
  return isLast ? window.endTime + SEEING_GRACE_MS + 1 : endOfRound(rule, window, round);
}

/** Where a gig is in its rounds. */
export function roundFacts(
  { rule, holdMs }: { readonly rule: RoundLength; readonly holdMs: number },
  window: GigWindow,
  {
    last,
    firstHeldRank,
  }: { last: { readonly number: number; readonly state: Round['state'] } | null; firstHeldRank: number | null },
): RoundFacts {
  const number = (last?.number ?? 0) + 1;
  const isHandingOut = last?.state === 'divided';
  if (number > countRounds(rule, window)) return { next: null, isHeld: firstHeldRank !== null, isHandingOut };
  const limit = rankLimit(rule, window, number);
  // Nothing enters the last round once what is seen does not count any more.
  const dueAt = Math.max(limit, endOfRound(rule, window, number) + holdMs);
  return { next: { number, dueAt }, isHeld: firstHeldRank !== null && firstHeldRank < limit, isHandingOut };
}

/** The reward is divided by rounds, between the accounts whose acts belong to each. */
export function roundsPayout(terms: PayoutTerms['rounds']): RulePayout<'rounds'> {
  return {
    ...PAYOUT_DEFAULTS,
    ...terms,
    by: 'rounds',
    isRanked: true,
    dueOf: ({ holdMs }, window, { firstSeenAt, rankedAt }) =>
      holdMs + Math.max(firstSeenAt, endOfRound(terms, window, roundAt(terms, window, rankedAt))),
    nextDivisionAt({ holdMs }, window, divided) {
      const last = divided === 0 ? null : ({ number: divided, state: 'over' } as const);
      return roundFacts({ rule: terms, holdMs }, window, { last, firstHeldRank: null }).next?.dueAt ?? null;
    },
    countAwards: ({ eligible }) => eligible,
  };
}

/** A round that is divided is handed out first. The next one waits for all held accounts that may belong to it. */
export function roundsProgress({ next, isHeld, isHandingOut }: RoundFacts, hasEligible: boolean): PayoutProgress {
  return {
    isDone: !hasEligible,
    divisionAt: next?.dueAt ?? null,
    beforeJudging: () => (isHandingOut ? { kind: 'hand_out' } : null),
    beforeReading: (dueBy) =>
      next === null || isHeld || dueBy === null || next.dueAt > dueBy ? null : { kind: 'divide', round: next.number },
  };
}

/** The round in which an account has a share, and its weight. */
export interface RoundPart {
  readonly round: number;
  readonly weight: bigint;
}

/** An account that becomes eligible. */
export interface Joining {
  readonly rankedAt: number;
  readonly standing: Standing | null;
}

/**
 * The part of an account that becomes eligible: in the round of its rank, or the next one that is not divided yet;
 * `late` after the last division.
 */
export function partOf(
  payout: PayoutTerms['rounds'],
  window: GigWindow,
  { rankedAt, standing, divided }: Joining & { readonly divided: number },
): RoundPart | 'late' {
  const round = Math.max(roundAt(payout, window, rankedAt), divided + 1);
  if (round > countRounds(payout, window)) return 'late';
  return { round, weight: payout.weightOf(standing ?? { score: null, followers: null }) };
}
