import { createRoute, z } from '@hono/zod-openapi';
import { camelKeys } from '../../../domain/camel-keys.ts';
import { TERMS, termsProblems } from '../../../domain/gigs/terms.ts';
import { prepareGig } from '../../../services/gigs/create-gig.ts';
import type { HttpContext } from '../../context.ts';
import { actorOf, requireApiKey } from '../../middleware/api-key.ts';
import { requireJson } from '../../middleware/body.ts';
import type { App } from '../../middleware/context.ts';
import { createIdempotency, idempotencyHeader } from '../../middleware/idempotency.ts';
import { badRequest, errorResponse, jsonBody, jsonResponse, keyedBy, refusals } from '../schemas.ts';
import { bodyOf, refuseAlsoFor } from '../validation.ts';
import { fundingSchema, renderFunding } from './funding-json.ts';
import { accountShape } from './gig-json.ts';

const EXAMPLE = {
  chain: 'base',
  token_address: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed',
  amount: 10,
  start_time: '2027-03-01T15:00:00Z',
  duration: '1week',
  gig_type: 'mention',
  platform: 'farcaster',
};

const MAX_OWNERS = 20;

const createSchema = bodyOf({
  ...TERMS,
  owners: z
    .array(
      z.object(accountShape, 'must be an object'),
      'owners must be a list of accounts, each like {"platform":"farcaster","platform_user_id":"1001"}',
    )
    .max(MAX_OWNERS, `owners must be at most ${MAX_OWNERS} accounts`)
    .optional()
    .transform((owners) => owners ?? [])
    .describe('The accounts that may start the gig by mentioning the bot.'),
});

const route = createRoute({
  method: 'post',
  path: '/api/gigs/create',
  operationId: 'createGig',
  tags: ['Gigs'],
  summary: 'Create a gig',
  description:
    'The gig gets its own wallet. Fund it with exactly `total_amount`, then start the gig. For a token, send `tx_data` ' +
    'as the data of a transaction to `gig_token_address`. For a native asset (`tx_data` is `0x`), send `total_amount` ' +
    'as the value of a transaction to `gig_wallet_address`. The fee is rounded down to the smallest unit of the ' +
    'token. `url` is required for like, recast, boost and reply gigs and must be the URL of a post on the platform; ' +
    '`how_to_earn` and `verifier` are required for custom_bounty. `start_time` is at most a year in the future. With ' +
    'rules in `earning_criteria`, or without it, the service itself watches what `url` or `keyword` names on Farcaster ' +
    'and awards the tips.',
  ...keyedBy('gigs:write'),
  request: {
    headers: idempotencyHeader,
    body: jsonBody(createSchema, 'CreateGigRequest', 'The terms of the gig.', EXAMPLE),
  },
  responses: {
    201: jsonResponse('The gig is created', fundingSchema),
    400: badRequest('The terms are invalid', 'Body is not valid JSON'),
    404: errorResponse(
      'The chain or the token is unknown',
      { code: 'chain_not_found' },
      { code: 'token_not_found', address: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed', chainKey: 'base' },
    ),
    503: errorResponse(
      'Gig wallets are turned off, or the chain or the platform does not answer; nothing was created',
      { code: 'wallets_off' },
      { code: 'platform_unreachable', platform: 'farcaster', retryAfter: 5 },
    ),
    ...refusals({ scope: 'gigs:write', body: true, once: true }),
  },
});

/** `POST /api/gigs/create`: needs an API key; may carry an `Idempotency-Key`. */
export function addCreateRoute(app: App, deps: HttpContext): void {
  const { clock, earningOnX } = deps;
  const once = createIdempotency(deps, { status: 201 });
  const middleware = [requireApiKey(deps, 'gigs:write'), requireJson(JSON.stringify(EXAMPLE)), once.replay];
  app.openapi(
    { ...route, middleware },
    (c) => {
      const { owners, ...terms } = c.req.valid('json');
      const request = { terms: camelKeys(terms), owners: owners.map(camelKeys), actor: actorOf(c) };
      return once.answer(c, renderFunding, () => prepareGig(deps, request));
    },
    refuseAlsoFor(createSchema, (terms) => termsProblems(camelKeys(terms), { now: clock(), earningOnX })),
  );
}
