import { defineRule } from './define-rule.ts';
import { fillRounds, givenRounds, roundsClause, shownRounds, storedRounds, writeRounds } from './rounds.ts';

/** Equal shares of each round's pool. */
export const split = defineRule({
  type: 'split',
  by: 'rounds',
  given: givenRounds,
  stored: storedRounds,
  shown: shownRounds,
  fill: fillRounds,
  write: writeRounds,
  takes: ({ roundMs, maxAmount }) => ({ roundMs, maxAmount, weightOf: () => 1n }),
  clause: (rule, words) => roundsClause(rule, 'equally', words),
});
