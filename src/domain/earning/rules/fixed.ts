import { countOf } from '../../count.ts';
import { amountField } from '../../fields.ts';
import { shownAmount, storedAmount } from '../amounts.ts';
import { fixedPayout } from '../payouts/fixed.ts';
import { defineRule } from './define-rule.ts';
import { fillAmount } from './fields.ts';

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
    `Each account that ${one} gets ${whole(amount)}, first come, until the reward is used up`,
  form: {
    choice: 'The same for each account, first come',
    fields: { amount: { label: 'Amount for each account', input: 'amount' } },
    sum: ({ amount }, { rewardAmount }) => `It pays ${countOf(Number(rewardAmount / amount), 'account')}.`,
    most: ({ amount }) => amount,
  },
});
