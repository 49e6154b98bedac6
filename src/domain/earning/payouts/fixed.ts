import { awardableOf } from '../../gigs/gig.ts';
import { AWARD_BATCH, type Awardable, type EligibleState } from './by-rank.ts';
import { PAYOUT_DEFAULTS, type RulePayout } from './payout.ts';

/** What a gig can award now, by the same amount for each. */
export interface FixedPlan<Account extends Awardable> {
  /** Those that get the amount now, by rank. */
  readonly awarded: readonly Account[];
  /** Whether less than the amount is left after these: whatever else is open is refused. */
  readonly isUsedUp: boolean;
}

/**
 * Which accounts get the amount now: one does when enough is left for it and for every held account with an earlier
 * rank, which keeps its own until it is decided.
 * @param accounts eligible accounts by rank
 */
export function planFixed<Account extends Awardable>(
  accounts: readonly Account[],
  { amount, left }: { amount: bigint; left: bigint },
): FixedPlan<Account> {
  const awarded: Account[] = [];
  let rest = left;
  for (const account of accounts.slice(0, AWARD_BATCH)) {
    if (rest < amount * BigInt(account.heldBefore + 1)) break;
    awarded.push(account);
    rest -= amount;
  }
  return { awarded, isUsedUp: rest < amount };
}

/**
 * Whether awarding would decide anything, with the first eligible account, if there is one. Once the reward is used up,
 * it also refuses held accounts.
 */
export function eligibleState(
  first: Awardable | undefined,
  { amount, left, isAnyHeld }: { amount: bigint; left: bigint; isAnyHeld: boolean },
): EligibleState {
  if (left < amount && (isAnyHeld || first !== undefined)) return 'awardable';
  if (first === undefined) return 'none';
  return left >= amount * BigInt(first.heldBefore + 1) ? 'awardable' : 'waiting';
}

/** The same for each account, by rank, until less than that is left. */
export function fixedPayout(amount: bigint): RulePayout<'fixed'> {
  return {
    ...PAYOUT_DEFAULTS,
    by: 'fixed',
    amount,
    isRanked: true,
    isEqual: true,
    countAwards: ({ eligible }, gig) => Math.min(eligible, Number(awardableOf(gig) / amount)),
  };
}
