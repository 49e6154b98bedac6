import { createRoute, z } from '@hono/zod-openapi';
import { formatAmount } from '../../../domain/amount.ts';
import { type AwardedTips, awardTips, MAX_TIPS, tipShape } from '../../../services/gigs/award-tips.ts';
import { type ApiKeyDeps, actorOf, keyErrors, keyedBy, requireApiKey } from '../../middleware/api-key.ts';
import { MAX_BODY_BYTES, readJson } from '../../middleware/body.ts';
import { type App, answerText } from '../../middleware/context.ts';
import { idempotencyHeader, KEY_REUSED, readIdempotencyKey } from '../../middleware/idempotency.ts';
import { renderTip, tipSchema } from '../claims/tip-json.ts';
import { apiErrors, badRequest, errorResponse } from '../schemas.ts';
import { gigPath, readGigId } from './list-gigs.ts';

const EXAMPLE = { tips: [{ platform: 'farcaster', platform_user_id: '8004', username: 'alice', value: 12.5 }] };

const route = createRoute({
  method: 'post',
  path: '/api/gigs/{id}/tips',
  operationId: 'awardTips',
  tags: ['Gigs'],
  summary: 'Award tips from a live gig',
  description:
    `At most ${MAX_TIPS} at once, all of them or none, one for each account. The tips of a gig never exceed its reward. ` +
    'A username labels an account that has no label yet, while no other account holds the handle; what a platform tells comes first. The account itself is its id.',
  ...keyedBy('tips:write'),
  request: {
    params: gigPath,
    headers: idempotencyHeader,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z
            .object({
              tips: z.array(z.object(tipShape)).min(1).max(MAX_TIPS).openapi({ description: 'One for each account.' }),
            })
            .openapi('AwardTipsRequest', { description: 'The tips to award.', example: EXAMPLE }),
        },
      },
    },
  },
  responses: {
    201: {
      description: 'All tips are awarded',
      content: {
        'application/json': {
          schema: z.object({
            data: z.array(tipSchema),
            remaining: z.string().openapi({ description: 'What is left of the reward, in whole tokens.' }),
          }),
        },
      },
    },
    400: badRequest(
      'The tips are not usable, the gig is not running, or its reward does not suffice',
      'Gig with id 123 is not live',
      'The tips exceed the reward of gig with id 123: 5 DEGEN are left',
    ),
    ...keyErrors('tips:write'),
    404: errorResponse('There is no such gig', 'Gig with id 123 not found'),
    409: errorResponse('The key came before with another body', KEY_REUSED),
    413: errorResponse('The body is too large', `Body is larger than ${MAX_BODY_BYTES} bytes`),
    ...apiErrors,
  },
});

function renderAwarded({ gig, tips, left }: AwardedTips) {
  return {
    data: tips.map((tip) => renderTip(tip, gig.token)),
    remaining: formatAmount(left, gig.token.decimals),
  };
}

/** `POST /api/gigs/:id/tips`: needs an API key; may carry an `Idempotency-Key`. */
export function addTipRoute(app: App, deps: ApiKeyDeps & Parameters<typeof awardTips>[0]): void {
  app.openAPIRegistry.registerPath(route);
  app.post('/api/gigs/:id{[0-9]+}/tips', requireApiKey(deps, 'tips:write'), async (c) => {
    const gigId = readGigId(c.req.param('id'));
    const body = await readJson(c, JSON.stringify(EXAMPLE));
    const awarded = await awardTips(deps, {
      gigId,
      body,
      once: readIdempotencyKey(c, body),
      render: renderAwarded,
      actor: actorOf(c),
    });
    return answerText(c, { status: 201, body: awarded });
  });
}
