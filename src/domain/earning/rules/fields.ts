import type { Platform } from '../../account.ts';
import { parseAmount } from '../../amount.ts';
import type { GigType } from '../../gigs/gig.ts';
import type { FindHeldToken } from '../holding/holding.ts';

export interface RulesContext {
  /** The token's. */
  readonly decimals: number;
  /** Base units. */
  readonly rewardAmount: bigint;
  /** The window, in milliseconds. */
  readonly duration: number;
  readonly gigType: GigType;
  /** Absent for the one on which most is known of accounts. */
  readonly platform?: Platform | undefined;
  /** Absent before the chain was asked: then amounts are compared as they are written. */
  readonly heldToken?: FindHeldToken | undefined;
  readonly hasLabels: boolean;
}

export interface Filling {
  readonly context: RulesContext;
  /** Notes a problem of a field, unless it is fine; the field then has a value that is never used. */
  check(isFine: boolean, problem: string): void;
}

/** An amount in base units, at most the reward. */
export function fillAmount({ context, check }: Filling, field: string, text: string): bigint {
  const { decimals, rewardAmount } = context;
  const amount = parseAmount(text, decimals);
  const isExact = amount !== 'too_many_decimals';
  check(isExact, `rule.${field} has more decimals than the token, which has ${decimals}`);
  check(!isExact || (amount !== 'too_large' && amount <= rewardAmount), `rule.${field} must be at most the reward`);
  return typeof amount === 'bigint' ? amount : 0n;
}

/** The most that an account gets: a tenth of the reward by default. */
export function fillMaxAmount(filling: Filling, text: string | undefined): bigint {
  if (text !== undefined) return fillAmount(filling, 'max_amount', text);
  const tenth = filling.context.rewardAmount / 10n;
  return tenth > 0n ? tenth : 1n;
}
