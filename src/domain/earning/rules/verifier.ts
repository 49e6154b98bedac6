import { amountField } from '../../fields.ts';
import { shownAmount, storedAmount } from '../amounts.ts';
import { bountyPayout } from '../payouts/bounty.ts';
import { defineRule } from './define-rule.ts';
import { fillMaxAmount } from './fields.ts';

/** A program, or by hand: the operator or the client decides on each submission. */
export const verifier = defineRule({
  type: 'verifier',
  onlyFor: 'custom_bounty',
  holds: false,
  subject: 'it',
  given: { max_amount: amountField('max_amount').optional() },
  stored: { maxAmount: storedAmount },
  shown: { max_amount: shownAmount },
  fill: (filling, { max_amount: most }) => ({ maxAmount: fillMaxAmount(filling, most) }),
  write: ({ maxAmount }, whole) => ({ max_amount: whole(maxAmount) }),
  pays: ({ maxAmount }) => bountyPayout(maxAmount),
  clause: ({ maxAmount }, { one, whole }) =>
    `For each account that ${one} the verifier decides what it gets, at most ${whole(maxAmount)}`,
  accepted: {
    sentence: () => 'Passed the checks and waits for a decision.',
    label: () => 'To be decided',
    waiting: () => 'To be decided',
  },
  form: {
    choice: 'I choose: I decide on each submission',
    fields: {
      max_amount: {
        label: 'Maximum for one submission',
        input: 'amount',
        usual: 'the reward',
        hint: 'You can never award more than this to one submission.',
      },
    },
    most: ({ maxAmount }) => maxAmount,
    // Its owner reads each submission, and so needs no limits for a program.
    instead: { gates: { min_letters: 0 }, fields: (amount) => ({ max_amount: amount }) },
  },
});
