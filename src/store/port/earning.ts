import type { Account, AccountKey, Platform } from '../../domain/account.ts';
import type { Act, ActSource, Target } from '../../domain/earning/act.ts';
import type { Earning, EarningFacts, EarningState, Observation, RefusalReason } from '../../domain/earning/earning.ts';
import type { RoundPart } from '../../domain/earning/payouts/rounds.ts';
import type { Address } from '../../domain/gigs/token.ts';

/** How a gig is earned, as it was created or last changed; a gig without such a row is earned by request alone. */
export interface StoredEarningRules {
  readonly gigId: number;
  /** What the client gave, as canonical JSON; null when it gave nothing. */
  readonly given: string | null;
  /** The same with every default filled in, as JSON; see `readStoredRules`. */
  readonly rules: string;
  readonly target: Target;
}

/** An act to be stored. Times are epoch milliseconds. */
export interface NewObservation extends Act {
  readonly rankedAt: number;
  readonly textHash: string | null;
  readonly letters: number | null;
}

/** How acts were seen, and when accounts that are new with them are due. */
export interface Sight {
  readonly platform: Platform;
  readonly source: ActSource;
  readonly now: number;
  readonly dueAt: number;
  /** Whether acts that are new count no more, and are not stored; absent when they do. */
  readonly isTooLate?: boolean;
}

/** An account that is to be settled, with its acts by rank. */
export interface Settleable {
  readonly earning: Earning;
  readonly observations: readonly Observation[];
  readonly isBlocked: boolean;
}

export interface EarningDecision extends AccountKey {
  readonly gigId: number;
  readonly from: EarningState;
  readonly to: 'held' | 'eligible' | 'refused';
  readonly reason: RefusalReason | null;
  readonly facts: EarningFacts | null;
  /** The act that counts, and its rank. */
  readonly observationId: number;
  readonly rankedAt: number;
  readonly dueAt: number;
  /** Its part in a round; null without one. */
  readonly part: RoundPart | null;
  /** Why a verifier refused it; absent or null without words. */
  readonly note?: string | null;
  /** Verified addresses, and the hash of the text, which no other account of the gig may use; of an eligible account. */
  readonly addresses: readonly Address[];
  readonly textHash: string | null;
}

export interface Evaluation {
  readonly id: number;
  readonly at: number;
  readonly state: EarningState;
  readonly reason: RefusalReason | null;
  readonly facts: EarningFacts | null;
  readonly amount: bigint | null;
}

/** An account that earns nothing, with its last known handle; `id` is the block's. */
export interface BlockedAccount extends Account {
  readonly id: number;
  readonly blockedAt: number;
  readonly reason: string;
}

export interface EarningCount {
  readonly state: EarningState;
  readonly count: number;
}

export interface EarningOverview {
  readonly stored: StoredEarningRules;
  /** States with no account are absent. */
  readonly counts: readonly EarningCount[];
  /** What the gig's earnings have been awarded, in base units; tips by request are not in it. */
  readonly earned: bigint;
  /** How many of its rounds are divided. */
  readonly divided: number;
  /** When everything was decided, epoch milliseconds; null before. */
  readonly overAt: number | null;
}

export interface TopEarning extends AccountKey {
  readonly username: string | null;
  readonly amount: bigint;
}
