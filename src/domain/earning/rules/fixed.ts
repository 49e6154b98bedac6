import { amountField } from '../../fields.ts';
import { fixedPayout } from '../payouts/fixed.ts';
import { defineRule } from './define-rule.ts';
import { fillAmount, shownAmount, storedAmount } from './fields.ts';

/** The same for each account, by rank, until less than `amount` is left. */
export const fixed = defineRule({
  type: 'fixed',
  subject: 'it',
  given: { amount: amountField('amount') },
  stored: { amount: storedAmount },
  shown: { amount: shownAmount },
  fill: (filling, { amount }) => ({ amount: fillAmount(filling, 'amount', amount) }),
  write: ({ amount }, whole) => ({ amount: whole(amount) }),
  pays: ({ amount }) => fixedPayout(amount),
  clause: ({ amount }, { one, whole }) =>
    `Each account that ${one} gets ${whole(amount)}, by rank, until the reward is used up`,
});
