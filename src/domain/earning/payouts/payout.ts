import type { AwardWindow, Gig } from '../../gigs/gig.ts';
import { closesAt, type GigWindow, type Hold, lastDueOf, type RoundLength } from '../due.ts';
import type { EntryTerms } from '../holding/entry.ts';
import type { Standing } from './shares.ts';

/** Rounds, with the most that an account gets from one, in base units. */
export interface RoundTerms extends RoundLength {
  readonly maxAmount: bigint;
}

/** The ways of paying, with what a rule says for each. Amounts are base units. */
export interface PayoutTerms {
  readonly manual: object;
  readonly fixed: { readonly amount: bigint };
  readonly rounds: RoundTerms & { weightOf(standing: Standing): bigint };
  readonly draw: { readonly places: number };
  readonly bounty: { readonly maxAmount: bigint };
}

/** What others ask a way of paying. Its other half, which pays, is in `src/services/earning/ways`. Times are epoch milliseconds. */
export interface PayoutTraits {
  readonly isWatched: boolean;
  /** Whether the order of acts decides, so that acts are swept regularly. */
  readonly isRanked?: boolean;
  /** Whether each account gets the same, so that none earns most. */
  readonly isEqual?: boolean;
  /** Whether people, or their program, decide on submissions. */
  readonly hasSubmissions: boolean;
  /** Whether a draw decides, which can be checked on a page of its own. */
  readonly hasDraw?: boolean;
  /** What accounts that enter are to hold; absent where acts count. */
  readonly entry?: EntryTerms;
  /** Null without rounds. */
  readonly roundMs: number | null;
  /** When an account is to be settled by an act with this rank that was first seen at this time. */
  dueOf(hold: Hold, window: GigWindow, act: { readonly firstSeenAt: number; readonly rankedAt: number }): number;
  /** When the next round can be divided, or the winners drawn, after so many rounds; null when none is left. */
  nextDivisionAt(hold: Hold, window: GigWindow, divided: number): number | null;
  /** When everything can be decided at the earliest. */
  settlesAt(hold: Hold, window: GigWindow): number;
  /** Until when open accounts can still be decided on, whatever the platform answers. */
  openUntil(hold: Hold, gig: GigWindow & AwardWindow): number;
  /** How many of the eligible accounts would be awarded if all that are held were refused. */
  countAwards(accounts: { readonly eligible: number; readonly awarded: number }, gig: Gig): number;
}

/** How a rule pays: what its way says, and what the rule says for it. */
export type RulePayout<By extends keyof PayoutTerms = keyof PayoutTerms> = {
  [Each in By]: PayoutTraits & PayoutTerms[Each] & { readonly by: Each };
}[By];

/** What most ways say. */
export const PAYOUT_DEFAULTS: PayoutTraits = {
  isWatched: true,
  hasSubmissions: false,
  roundMs: null,
  dueOf: ({ holdMs }, _, { firstSeenAt }) => holdMs + firstSeenAt,
  nextDivisionAt: () => null,
  settlesAt: lastDueOf,
  openUntil: closesAt,
  countAwards: () => 0,
};

/** A step that pays, or prepares a payment. */
export type PayoutStep =
  /** Eligible accounts are awarded, or all open ones refused because the reward is used up. */
  | { readonly kind: 'award' }
  | { readonly kind: 'divide'; readonly round: number }
  /** Members of the round that was divided last, or winners, get their shares. */
  | { readonly kind: 'hand_out' }
  | { readonly kind: 'ask' }
  /** All open accounts are refused, because nothing can be decided on them any more. */
  | { readonly kind: 'close'; readonly reason: 'reward_used_up' | 'not_decided' }
  /** The entrants no longer change. */
  | { readonly kind: 'close_draw' }
  /** The entrants' hash is made known. */
  | { readonly kind: 'fix_draw' }
  /** The block is read, and the winners are drawn. */
  | { readonly kind: 'draw' }
  | { readonly kind: 'refuse_others' }
  /** What accounts that have entered hold is read, or its block is drawn. */
  | { readonly kind: 'read_holdings' };

/** Some of the steps that pay. */
export type StepOf<Kind extends PayoutStep['kind']> = Extract<PayoutStep, { readonly kind: Kind }>;

/** How far a gig is in paying, and what its way does next. Times are epoch milliseconds. */
export interface PayoutProgress {
  /** Whether all who are eligible were paid or refused. */
  readonly isDone: boolean;
  /** When the next round is divided at the earliest, after a sweep; null without rounds, and when none is left. */
  readonly divisionAt: number | null;
  /** The step that comes before held accounts are judged; null when none is due. */
  beforeJudging?(now: number): PayoutStep | null;
  /** The step that comes before acts are read. @param dueBy see `judgeTime` */
  beforeReading?(dueBy: number | null): PayoutStep | null;
  /** The step that comes when no act is to be read. `isDecided`: all acts were seen, and no account is held. */
  afterReading?(at: { readonly now: number; readonly isDecided: boolean }): PayoutStep | null;
  /** When one of its steps can be due by time alone; null for a time that is not known. */
  times?(now: number): readonly (number | null)[];
}
