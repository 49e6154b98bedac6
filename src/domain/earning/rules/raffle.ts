import { z } from 'zod';
import { wholeField } from '../../fields.ts';
import { drawPayout } from '../payouts/draw.ts';
import { defineRule } from './define-rule.ts';

/** After the end, so many accounts each get an equal share of what is left. */
export const raffle = defineRule({
  type: 'raffle',
  given: { winners: wholeField('winners', [1, 1_000]) },
  stored: { winners: z.int().positive() },
  shown: { winners: z.int().meta({ description: 'How many are drawn.' }) },
  fill: (_, { winners }) => ({ winners }),
  write: ({ winners }) => ({ winners }),
  pays: ({ winners }) => drawPayout(winners),
  clause: ({ winners }, { many }) => {
    const [verb, prize] = winners === 1 ? ['is drawn and gets', ''] : ['are drawn and get', ` 1/${winners} each of`];
    return `After the end ${winners} of the accounts that ${many} ${verb}${prize} what is left of the reward`;
  },
  accepted: {
    sentence: (isDrawn) => (isDrawn ? 'Drawn. The tip follows.' : 'Accepted for the draw.'),
    label: (isDrawn) => (isDrawn ? 'Drawn' : 'Accepted'),
    waiting: (isAhead) => (isAhead ? 'Accepted for the draw' : 'Approved, tip pending'),
  },
  division: 'The winners are drawn',
  form: {
    choice: 'A raffle',
    fields: { winners: { label: 'Winners', input: 'number' } },
    sum: ({ winners }, { rewardAmount }, whole) => `Each winner gets ${whole(rewardAmount / BigInt(winners))}.`,
    most: ({ winners }, { rewardAmount }) => rewardAmount / BigInt(winners),
  },
});
