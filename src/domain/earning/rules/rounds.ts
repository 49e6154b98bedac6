import { z } from 'zod';
import { amountField, wholeField } from '../../fields.ts';
import { DAY_MS, HOUR_MS } from '../../time.ts';
import type { ClauseWords, RoundLength } from './define-rule.ts';
import { type Filling, fillMaxAmount, shownAmount, storedAmount } from './fields.ts';

/** The longest window of a gig. */
const MAX_ROUND_HOURS = 180 * 24;

/** The fields of rules that divide the reward by rounds. */
export const givenRounds = {
  round_hours: wholeField('round_hours', [1, MAX_ROUND_HOURS]).optional(),
  max_amount: amountField('max_amount').optional(),
};
export const storedRounds = { roundMs: z.int().positive(), maxAmount: storedAmount };
export const shownRounds = { round_hours: z.int().meta({ description: 'Hours.' }), max_amount: shownAmount };

interface RoundFields extends RoundLength {
  readonly maxAmount: bigint;
}

/** Rounds of a day by default. */
export function fillRounds(
  filling: Filling,
  {
    round_hours: hours,
    max_amount: most,
  }: { readonly round_hours?: number | undefined; readonly max_amount?: string | undefined },
): RoundFields {
  const { context, check } = filling;
  const { duration } = context;
  const roundMs = hours === undefined ? Math.min(DAY_MS, duration) : hours * HOUR_MS;
  check(roundMs <= duration, `rule.round_hours must be at most the window, ${Math.floor(duration / HOUR_MS)} hours`);
  return { roundMs, maxAmount: fillMaxAmount(filling, most) };
}

export function writeRounds({ roundMs, maxAmount }: RoundFields, whole: (amount: bigint) => string) {
  return { round_hours: roundMs / HOUR_MS, max_amount: whole(maxAmount) };
}

/** @param how the reward is divided, such as `equally` */
export function roundsClause({ roundMs, maxAmount }: RoundFields, how: string, { many, whole }: ClauseWords): string {
  const round = roundMs === HOUR_MS ? 'hour' : `${roundMs / HOUR_MS} hours`;
  return `Every ${round} an equal part of the reward is divided ${how} between the accounts that ${many}, at most ${whole(maxAmount)} each`;
}
