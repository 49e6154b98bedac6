import { createRoute, z } from '@hono/zod-openapi';
import { formatAmount } from '../../../domain/amount.ts';
import { decisionsField, readParts } from '../../../domain/earning/payouts/decisions.ts';
import {
  type DecisionsDone,
  decideByHand,
  findDecisionProblems,
  prepareDecision,
} from '../../../services/earning/decide/decide-candidates.ts';
import type { HttpContext } from '../../context.ts';
import { actorOf, requireApiKey } from '../../middleware/api-key.ts';
import { requireJson } from '../../middleware/body.ts';
import type { App } from '../../middleware/context.ts';
import { createIdempotency, idempotencyHeader } from '../../middleware/idempotency.ts';
import { gigIdOf, gigPath } from '../../middleware/parameters.ts';
import { remainingField } from '../fields.ts';
import { badRequest, chainAway, gigMissing, jsonBody, jsonResponse, keyedBy, refusals } from '../schemas.ts';
import { bodyOf, refuseAlsoFor } from '../validation.ts';

const EXAMPLE = {
  decisions: [
    { id: 7, award: '12.5' },
    { id: 8, refuse: 'not the same design' },
  ],
};

const decisionsSchema = bodyOf(
  {
    decisions: decisionsField
      .min(1, 'decisions must have at least one decision')
      .openapi({ description: 'They apply in their order; either all are valid, or none applies.' }),
  },
  'decisions must be a list of decisions',
);

const count = z.int().openapi({ description: 'Candidates.' });

const route = createRoute({
  method: 'post',
  path: '/api/gigs/:id{[0-9]+}/decisions',
  operationId: 'decideSubmissions',
  tags: ['Gigs'],
  summary: 'Decide on submissions to a bounty',
  description:
    'For gigs with the rule `verifier`, also where a program verifies them. `GET /api/gigs/{id}/earnings` lists the ' +
    'candidates. Award each an amount, refuse it with a reason that the account sees, or let it wait. An award above ' +
    'the rest of the reward refuses with `reward_used_up`.',
  ...keyedBy('tips:write'),
  request: {
    params: gigPath,
    headers: idempotencyHeader,
    body: jsonBody(decisionsSchema, 'DecideSubmissionsRequest', 'The decisions.', EXAMPLE),
  },
  responses: {
    201: jsonResponse(
      'All decisions apply',
      z.object({
        awarded: count,
        refused: count,
        waiting: count,
        remaining: remainingField,
      }),
    ),
    400: badRequest(
      'The decisions are invalid, or the gig has none to take',
      'Gig 123 has no submissions to decide on: its rule is not verifier.',
    ),
    404: gigMissing(),
    503: chainAway('The chain does not show the payments of the gig; nothing was changed'),
    ...refusals({ scope: 'tips:write', body: true, once: true }),
  },
});

function renderDone({ gig, awarded, refused, waiting, left }: DecisionsDone) {
  return { awarded, refused, waiting, remaining: formatAmount(left, gig.token.decimals) };
}

/** `POST /api/gigs/:id/decisions`: needs an API key; may carry an `Idempotency-Key`. */
export function addDecisionsRoute(app: App, deps: HttpContext): void {
  const once = createIdempotency(deps, { status: 201 });
  const middleware = [requireApiKey(deps, 'tips:write'), requireJson(JSON.stringify(EXAMPLE)), once.replay];
  app.openapi(
    { ...route, middleware },
    (c) => {
      const { id: gigId } = c.req.valid('param');
      const { decisions } = c.req.valid('json');
      const actor = actorOf(c);
      return once.answer(c, renderDone, async () => {
        await prepareDecision(deps, { gigId, actor });
        return { commit: (tx, now) => decideByHand(tx, { gigId, decisions }, { actor, now }) };
      });
    },
    refuseAlsoFor(decisionsSchema, async ({ decisions }, body, c) => {
      // Well-formed ones are checked as they apply; an unknown gig is refused first either way.
      const given = decisions === undefined ? readParts(body) : [];
      return await findDecisionProblems(deps, { gigId: gigIdOf(c), given, actor: actorOf(c) });
    }),
  );
}
