import type { Address } from '../../gigs/token.ts';
import { type GivenRule, heldTokenOf } from '../rules/index.ts';
import type { SpamLabelGate } from './rules.ts';

/** The gates that a client gives, by their names in the interface. */
export interface GivenGates {
  /** 0 to 1, with at most six decimals. */
  readonly min_score?: number | undefined;
  readonly min_account_age_days?: number | undefined;
  readonly min_followers?: number | undefined;
  readonly verified_address?: boolean | undefined;
  readonly spam_label?: SpamLabelGate | undefined;
  readonly min_letters?: number | undefined;
  readonly min_holding?: { readonly token: Address; readonly amount: string } | null | undefined;
}

/** What a gig asks of an account whose client says nothing about it. */
export const DEFAULT_GATES = {
  min_score: 0.55,
  min_account_age_days: 7,
  min_followers: 0,
  verified_address: true,
  spam_label: 'not_spam',
  min_letters: 10,
  min_holding: null,
} as const satisfies GivenGates;

/** The tokens that rules name for accounts to hold, each once. */
export function heldTokens({ rule, gates }: GivenRules): readonly Address[] {
  const named = [heldTokenOf(rule), gates?.min_holding?.token ?? null];
  return [...new Set(named.filter((token) => token !== null))];
}

/** The rules that a client gives; what it leaves out has a default. */
export interface GivenRules {
  readonly rule?: GivenRule | undefined;
  readonly gates?: GivenGates | undefined;
  readonly hold_hours?: number | undefined;
  readonly tips_by_request?: boolean | undefined;
}

/** What a client says about how a gig is earned: nothing, text for people, which nothing watches, or rules. */
export type EarningCriteria =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'rules'; readonly given: GivenRules };

/** Criteria as a client would send them, in canonical form; null when it gave nothing. */
export function criteriaText(criteria: EarningCriteria): string | null {
  if (criteria.kind === 'absent') return null;
  return criteria.kind === 'text' ? criteria.text : JSON.stringify(criteria.given);
}
