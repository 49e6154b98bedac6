import { parseAmount } from '../../amount.ts';
import type { RulesContext } from '../rules/fields.ts';
import { fillRules } from './fill-rules.ts';
import type { EarningCriteria } from './given.ts';

/** The terms of a gig that its rules have to fit; those that are malformed are absent. */
export interface RuledTerms {
  readonly duration?: number;
  readonly gigType?: RulesContext['gigType'];
  readonly platform?: RulesContext['platform'];
  readonly earningCriteria?: EarningCriteria;
  /** The reward, as decimal text in whole tokens. */
  readonly amount?: string;
}

/** Besides amounts a rule has texts of words, which have no decimals. */
function textsOf(rule: object = {}): string[] {
  return Object.values(rule).flatMap((value: unknown) => {
    if (typeof value === 'string') return value;
    return typeof value === 'object' && value !== null ? textsOf(value) : [];
  });
}

const decimalsOf = (text: string) => text.split('.')[1]?.length ?? 0;

/**
 * What does not fit the other terms of rules whose fields are well-formed. It is reported before the token is known, together
 * with the other problems of the terms, so amounts are compared as they are written; only a token has too few decimals.
 */
export function rulesProblems(terms: RuledTerms): readonly string[] {
  const { earningCriteria: criteria, amount, duration, gigType, platform } = terms;
  if (criteria?.kind !== 'rules' || amount === undefined || duration === undefined || gigType === undefined) return [];
  const decimals = Math.max(...[amount, ...textsOf(criteria.given.rule)].map(decimalsOf));
  const rewardAmount = parseAmount(amount, decimals);
  if (typeof rewardAmount !== 'bigint') return [];
  const filled = fillRules(criteria.given, { decimals, rewardAmount, duration, gigType, platform, hasLabels: true });
  return 'problems' in filled ? filled.problems : [];
}
