import { roundsPayout } from '../payouts/rounds.ts';
import { defineRule } from './define-rule.ts';
import {
  fillRounds,
  formRounds,
  givenRounds,
  roundsClause,
  roundsSum,
  shownRounds,
  storedRounds,
  writeRounds,
} from './rounds.ts';

/** Equal shares of each round's pool. */
export const split = defineRule({
  type: 'split',
  given: givenRounds,
  stored: storedRounds,
  shown: shownRounds,
  fill: fillRounds,
  write: writeRounds,
  pays: ({ roundMs, maxAmount }) => roundsPayout({ roundMs, maxAmount, weightOf: () => 1n }),
  clause: (rule, words) => roundsClause(rule, 'equally', words),
  form: {
    choice: 'Equal shares of each round',
    fields: formRounds,
    sum: roundsSum,
    most: ({ maxAmount }) => maxAmount,
  },
});
