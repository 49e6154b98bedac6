import { z } from '@hono/zod-openapi';
import { formatAmount } from '../../../domain/amount.ts';
import { decisionsField, readParts } from '../../../domain/earning/payouts/decisions.ts';
import { findDecisionProblems, prepareDecisions } from '../../../services/earning/decide/decide-candidates.ts';
import { gigIdOf, gigPath } from '../../middleware/parameters.ts';
import { defineOperation } from '../define-operation.ts';
import { remainingField } from '../fields.ts';
import { CHAIN_AWAY, GIG_MISSING, jsonBody } from '../schemas.ts';
import { bodyOf } from '../validation.ts';

const AT_LEAST_ONE = 'decisions must have at least one decision';

const decisionsSchema = bodyOf(
  {
    decisions: decisionsField
      .min(1, AT_LEAST_ONE)
      .openapi({ description: 'They apply in their order; either all are valid, or none applies.' }),
  },
  'decisions must be a list of decisions',
);

const count = z.int().openapi({ description: 'Candidates.' });

export const DECIDE_SUBMISSIONS = defineOperation({
  id: 'decideSubmissions',
  method: 'post',
  path: '/api/gigs/:id{[0-9]+}/decisions',
  tag: 'Gigs',
  scope: 'tips:write',
  summary: 'Decide on submissions to a bounty',
  description:
    'For gigs with the rule `verifier`, also where a program verifies them. `GET /api/gigs/{id}/earnings` lists the ' +
    'candidates. Award each an amount, refuse it with a reason that the account sees, or let it wait. An award above ' +
    'the rest of the reward refuses with `reward_used_up`.',
  params: gigPath,
  body: jsonBody(decisionsSchema, 'DecideSubmissionsRequest', 'The decisions.', {
    decisions: [
      { id: 7, award: '12.5' },
      { id: 8, refuse: 'not the same design' },
    ],
  }),
  answer: {
    status: 201,
    says: 'All decisions apply',
    schema: z.object({ awarded: count, refused: count, waiting: count, remaining: remainingField }),
  },
  refuses: [
    'Gig 123 has no submissions to decide on: its rule is not verifier.',
    { code: 'validation_failed', details: [AT_LEAST_ONE] },
    GIG_MISSING,
    CHAIN_AWAY,
  ],
  mcp: { place: 17, isFinal: true },
  async problems(deps, { fields: { decisions }, sent, actor, c }) {
    // Well-formed ones are checked as they apply; an unknown gig is refused first either way.
    const given = decisions === undefined ? readParts(sent) : [];
    return await findDecisionProblems(deps, { gigId: gigIdOf(c), given, actor });
  },
  prepare: (deps, { params: { id: gigId }, body: { decisions }, actor }) =>
    prepareDecisions(deps, { gigId, decisions, actor }),
  render: ({ gig, awarded, refused, waiting, left }) => ({
    awarded,
    refused,
    waiting,
    remaining: formatAmount(left, gig.token.decimals),
  }),
});
