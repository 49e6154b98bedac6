import { createRoute, z } from '@hono/zod-openapi';
import { formatAmount } from '../../../domain/amount.ts';
import { camelKeys } from '../../../domain/camel-keys.ts';
import { addressField, amountField } from '../../../domain/fields.ts';
import { parse } from '../../../domain/validation.ts';
import { commandGig } from '../../../services/gigs/command-gig.ts';
import { type AwardedTips, awardTips, batchProblems, MAX_TIPS } from '../../../services/gigs/tips/award-tips.ts';
import type { HttpContext } from '../../context.ts';
import { actorOf, requireApiKey } from '../../middleware/api-key.ts';
import { requireJson } from '../../middleware/body.ts';
import type { App } from '../../middleware/context.ts';
import { createIdempotency, idempotencyHeader } from '../../middleware/idempotency.ts';
import { gigIdOf, gigPath } from '../../middleware/parameters.ts';
import { type RenderedTip, renderTips, tipSchema } from '../claims/tip-json.ts';
import { foundField, remainingField } from '../fields.ts';
import { badRequest, EXAMPLE_GIG, gigMissing, jsonBody, jsonResponse, keyedBy, refusals } from '../schemas.ts';
import { bodyOf, refuseAlsoFor } from '../validation.ts';
import { accountShape } from './gig-json.ts';

const EXAMPLE = { tips: [{ platform: 'farcaster', platform_user_id: '8004', username: 'alice', value: 12.5 }] };

const TIPS = `tips must be a list of 1 to ${MAX_TIPS} tips`;

const tipRequestSchema = z.object(
  {
    ...accountShape,
    value: amountField('value').describe('In whole tokens; as a string for more digits than a JSON number holds.'),
    user_address: addressField('user_address')
      .nullish()
      .transform((address) => address ?? null)
      .describe('The address of the account, if it is known.'),
  },
  'must be an object',
);

const batchSchema = bodyOf(
  {
    tips: z
      .array(tipRequestSchema, TIPS)
      .min(1, TIPS)
      .max(MAX_TIPS, TIPS)
      .openapi({ description: 'At most one per account.' }),
  },
  TIPS,
);

const route = createRoute({
  method: 'post',
  path: '/api/gigs/:id{[0-9]+}/tips',
  operationId: 'awardTips',
  tags: ['Gigs'],
  summary: 'Award tips from a live gig',
  description:
    `At most ${MAX_TIPS} tips, at most one per account; either all are awarded or none. The tips of a gig never exceed its reward. ` +
    'A username is only a label, for an account that has none yet; the account is identified by its id. A handle that another account holds is ignored.',
  ...keyedBy('tips:write'),
  request: {
    params: gigPath,
    headers: idempotencyHeader,
    body: jsonBody(batchSchema, 'AwardTipsRequest', 'The tips to award.', EXAMPLE),
  },
  responses: {
    201: jsonResponse(
      'All tips are awarded',
      z.object({
        data: foundField(tipSchema),
        remaining: remainingField,
      }),
    ),
    400: badRequest(
      'The tips are invalid, the gig is not running or awards tips by its rules alone, or its reward is not sufficient',
      { code: 'gig_not_running', gigId: EXAMPLE_GIG, phase: 'created' },
      { code: 'tips_by_rules_only', gigId: EXAMPLE_GIG },
      { code: 'reward_exceeded', gigId: EXAMPLE_GIG, left: '5', symbol: 'DEGEN' },
    ),
    404: gigMissing(),
    ...refusals({ scope: 'tips:write', body: true, once: true }),
  },
});

function renderAwarded({ gig, left, rendered }: Omit<AwardedTips, 'tips'> & { rendered: RenderedTip[] }) {
  return { data: rendered, remaining: formatAmount(left, gig.token.decimals) };
}

/** Of a batch in which a tip is malformed. */
function readTips(body: unknown) {
  const tips: unknown = typeof body === 'object' && body !== null && 'tips' in body ? body.tips : null;
  return Array.isArray(tips) && tips.length <= MAX_TIPS
    ? tips.map((tip) => camelKeys(parse(tipRequestSchema, tip).fields))
    : [];
}

/** `POST /api/gigs/:id/tips`: needs an API key; may carry an `Idempotency-Key`. */
export function addTipRoute(app: App, deps: HttpContext): void {
  const once = createIdempotency(deps, { status: 201 });
  const middleware = [requireApiKey(deps, 'tips:write'), requireJson(JSON.stringify(EXAMPLE)), once.replay];
  app.openapi(
    { ...route, middleware },
    (c) => {
      const { id: gigId } = c.req.valid('param');
      const tips = c.req.valid('json').tips.map(camelKeys);
      const actor = actorOf(c);
      return once.answer(c, renderAwarded, () => ({
        async commit(tx, now) {
          const awarded = await awardTips(tx, { gigId, tips }, { actor, now });
          return { ...awarded, rendered: await renderTips(awarded.tips, awarded.gig.token, () => tx.rest()) };
        },
      }));
    },
    refuseAlsoFor(batchSchema, async ({ tips }, body, c) => {
      // An unknown gig is refused first.
      await commandGig(deps.store, { gigId: gigIdOf(c), actor: actorOf(c), act: 'award tips of' });
      return batchProblems(tips?.map(camelKeys) ?? readTips(body));
    }),
  );
}
