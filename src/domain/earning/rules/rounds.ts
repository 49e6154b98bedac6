import { z } from 'zod';
import { countOf } from '../../count.ts';
import { amountField, wholeField } from '../../fields.ts';
import { DAY_MS, HOUR_MS } from '../../time.ts';
import { shownAmount, storedAmount } from '../amounts.ts';
import type { RoundTerms } from '../payouts/payout.ts';
import { roundsOf } from '../payouts/shares.ts';
import type { ClauseWords } from './define-rule.ts';
import { type Filling, fillMaxAmount } from './fields.ts';
import type { FormField, RewardToSpend } from './form.ts';

/** The longest window of a gig. */
const MAX_ROUND_HOURS = 180 * 24;

/** The fields of rules that divide the reward by rounds, as clients give them; a round is a day by default. */
export const givenRounds = {
  round_hours: wholeField('round_hours', [1, MAX_ROUND_HOURS]).optional(),
  max_amount: amountField('max_amount').optional(),
};
/** These fields as they are stored. */
export const storedRounds = { roundMs: z.int().positive(), maxAmount: storedAmount };
/** These fields as clients see them. */
export const shownRounds = { round_hours: z.int().meta({ description: 'Hours.' }), max_amount: shownAmount };

/** These fields with their defaults. */
export function fillRounds(
  filling: Filling,
  {
    round_hours: hours,
    max_amount: most,
  }: { readonly round_hours?: number | undefined; readonly max_amount?: string | undefined },
): RoundTerms {
  const { context, check } = filling;
  const { duration } = context;
  const roundMs = hours === undefined ? Math.min(DAY_MS, duration) : hours * HOUR_MS;
  check(roundMs <= duration, `rule.round_hours must be at most the window, ${Math.floor(duration / HOUR_MS)} hours`);
  return { roundMs, maxAmount: fillMaxAmount(filling, most) };
}

/** These fields of a rule as clients see them. */
export function writeRounds({ roundMs, maxAmount }: RoundTerms, whole: (amount: bigint) => string) {
  return { round_hours: roundMs / HOUR_MS, max_amount: whole(maxAmount) };
}

/** These fields in a form. */
export const formRounds = {
  round_hours: {
    label: 'Round length, in hours',
    input: 'number',
    usual: '24',
    hint: 'An equal part of the reward is divided after each round.',
  },
  max_amount: {
    label: 'Maximum for one account in a round',
    input: 'amount',
    usual: 'a tenth of the reward',
  },
} as const satisfies Readonly<Record<keyof typeof givenRounds, FormField>>;

/** How much a round divides. */
export function roundsSum(
  { roundMs }: RoundTerms,
  { rewardAmount, duration }: RewardToSpend,
  whole: (amount: bigint) => string,
): string {
  const rounds = roundsOf({ duration, roundMs });
  return `It divides ${whole(rewardAmount / BigInt(rounds))} in each of ${countOf(rounds, 'round')}.`;
}

/** Who gets what by rounds. @param how the reward is divided, such as `equally` */
export function roundsClause({ roundMs, maxAmount }: RoundTerms, how: string, { many, whole }: ClauseWords): string {
  const round = roundMs === HOUR_MS ? 'hour' : `${roundMs / HOUR_MS} hours`;
  return `Every ${round} the accounts that ${many} share a part of the reward ${how}, at most ${whole(maxAmount)} each`;
}
