/** A whole in millionths. */
export const MILLION = 1_000_000;

/**
 * How a gig's reward is divided. Amounts are base units of the gig's token, times milliseconds. `manual` watches nothing:
 * tips come by request.
 */
export type Rule =
  | { readonly type: 'manual' }
  /** The same for each account, by rank, until less than `amount` is left. */
  | { readonly type: 'fixed'; readonly amount: bigint }
  /** Equal shares of each round's pool. */
  | { readonly type: 'split'; readonly roundMs: number; readonly maxAmount: bigint }
  /** Shares of each round's pool by the score in millionths, or that times the bit length of followers + 1. */
  | {
      readonly type: 'weighted';
      readonly by: 'score' | 'score_reach';
      readonly roundMs: number;
      readonly maxAmount: bigint;
    }
  /** After the end, so many accounts each get an equal share of what is left. */
  | { readonly type: 'raffle'; readonly winners: number }
  /** A program, or by hand: the operator or the client decides about each submission. */
  | { readonly type: 'verifier'; readonly maxAmount: bigint };

export type RuleType = Rule['type'];

export const SPAM_LABELS = ['not_spam', 'trusted', 'any'] as const;
export type SpamLabelGate = (typeof SPAM_LABELS)[number];

/** What an account, and its act's text, must pass. */
export interface Gates {
  /** The platform's score in millionths, 0 to 1,000,000. */
  readonly minScore: number;
  readonly minAccountAgeDays: number;
  readonly minFollowers: number;
  readonly verifiedAddress: boolean;
  readonly spamLabel: SpamLabelGate;
  /** Letters of a text, without names, links and the keyword. */
  readonly minLetters: number;
}

/** The rules of a gig, every default filled in. */
export interface EarningRules {
  readonly rule: Rule;
  readonly gates: Gates;
  /** How long an act is held before its account is settled. */
  readonly holdMs: number;
  /** Whether clients may award tips of this gig besides. */
  readonly tipsByRequest: boolean;
}
