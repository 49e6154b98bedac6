import { z } from 'zod';
import { oneOf } from '../../fields.ts';
import { roundsPayout } from '../payouts/rounds.ts';
import type { Standing } from '../payouts/shares.ts';
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

const WEIGHTS = ['score', 'score_reach'] as const;

function bitLength(whole: number): bigint {
  return BigInt(BigInt(whole).toString(2).length);
}

/** The score in millionths, or that times the bit length of followers + 1. */
function weightBy(by: (typeof WEIGHTS)[number], { score, followers }: Standing): bigint {
  const byScore = BigInt(score ?? 0);
  return by === 'score' ? byScore : byScore * bitLength((followers ?? 0) + 1);
}

/** Shares of each round's pool by score, or by score and reach. */
export const weighted = defineRule({
  type: 'weighted',
  given: { by: oneOf('by', WEIGHTS).optional(), ...givenRounds },
  stored: { by: z.enum(WEIGHTS), ...storedRounds },
  shown: { by: z.enum(WEIGHTS).meta({ description: 'The weight of a share.' }), ...shownRounds },
  fill: (filling, { by = 'score_reach', ...rounds }) => ({ by, ...fillRounds(filling, rounds) }),
  write: ({ by, ...rounds }, whole) => ({ by, ...writeRounds(rounds, whole) }),
  pays: ({ by, roundMs, maxAmount }) =>
    roundsPayout({ roundMs, maxAmount, weightOf: (standing) => weightBy(by, standing) }),
  clause: (rule, words) => roundsClause(rule, `by score${rule.by === 'score' ? '' : ' and reach'}`, words),
  form: {
    choice: 'Shares of each round by score',
    fields: {
      by: {
        label: 'Weight of a share',
        input: [
          { value: 'score_reach', label: 'By score and reach' },
          { value: 'score', label: 'By score' },
        ],
        usual: 'score_reach',
      },
      ...formRounds,
    },
    sum: roundsSum,
    most: ({ maxAmount }) => maxAmount,
  },
});
