import type { Hold } from '../due.ts';
import type { Holding } from '../holding/holding.ts';
import type { Rule } from '../rules/index.ts';

/** A whole in millionths. */
export const MILLION = 1_000_000;

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
  /** What it must hold at the decision; absent where it need not hold anything. */
  readonly minHolding?: Holding | undefined;
}

/** When by a rule something is decided. */
export interface HeldRule extends Hold {
  readonly rule: Rule;
}

/** The rules of a gig, every default filled in. */
export interface EarningRules extends HeldRule {
  readonly gates: Gates;
  /** Whether clients may award tips of this gig besides. */
  readonly tipsByRequest: boolean;
}
