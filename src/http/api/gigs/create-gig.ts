import { createRoute, z } from '@hono/zod-openapi';
import { type CreateGigDeps, createGig, createGigShape } from '../../../services/gigs/create-gig.ts';
import { createSingleFlight } from '../../../services/single-flight.ts';
import { type ApiKeyDeps, actorOf, keyErrors, keyedBy, requireApiKey } from '../../middleware/api-key.ts';
import { MAX_BODY_BYTES, readJson } from '../../middleware/body.ts';
import { type App, answerText } from '../../middleware/context.ts';
import { idempotencyHeader, KEY_REUSED, readIdempotencyKey } from '../../middleware/idempotency.ts';
import { apiErrors, badRequest, errorResponse } from '../schemas.ts';
import { fundingSchema, renderFunding } from './funding-json.ts';

const EXAMPLE = {
  chain: 'base',
  token_address: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed',
  amount: 10,
  start_time: '2027-03-01T15:00:00Z',
  duration: '1week',
  gig_type: 'mention',
  platform: 'farcaster',
};

const route = createRoute({
  method: 'post',
  path: '/api/gigs/create',
  operationId: 'createGig',
  tags: ['Gigs'],
  summary: 'Create a gig',
  description:
    'The gig gets a wallet of its own. Send exactly `total_amount` to `gig_wallet_address`, and then start it: for a ' +
    'token, with `tx_data` as the data of a transaction to `gig_token_address`; for a native asset, whose `tx_data` is ' +
    '`0x`, as the value of a transaction to `gig_wallet_address`. The fee is rounded down to the smallest unit of the ' +
    'token. `url` is required for like, recast, boost and reply gigs and must be the URL of a post on the platform; ' +
    '`how_to_earn` and `verifier` are required for custom_bounty; `start_time` lies at most a year ahead.',
  ...keyedBy('gigs:write'),
  request: {
    headers: idempotencyHeader,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z
            .object(createGigShape)
            .openapi('CreateGigRequest', { description: 'The terms of the gig.', example: EXAMPLE }),
        },
      },
    },
  },
  responses: {
    201: {
      description: 'The gig is created',
      content: {
        'application/json': {
          schema: fundingSchema,
        },
      },
    },
    400: badRequest('The terms are not usable', 'Body is not valid JSON'),
    ...keyErrors('gigs:write'),
    404: errorResponse(
      'The chain or the token is not known',
      'Chain not found',
      'Token with address 0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed not found on chain base',
    ),
    409: errorResponse('The key came before with another body', KEY_REUSED),
    413: errorResponse('The body is too large', `Body is larger than ${MAX_BODY_BYTES} bytes`),
    503: errorResponse(
      'There is no mnemonic, or the chain does not answer; nothing was created',
      'There are no gig wallets here: the operator has not set GIG_WALLET_MNEMONIC',
    ),
    ...apiErrors,
  },
});

/** `POST /api/gigs/create`: needs an API key; may carry an `Idempotency-Key`. */
export function addCreateRoute(app: App, deps: ApiKeyDeps & CreateGigDeps): void {
  app.openAPIRegistry.registerPath(route);
  // Requests under one key that come together would each take an id out of use.
  const together = createSingleFlight<string>();
  app.post(route.path, requireApiKey(deps, 'gigs:write'), async (c) => {
    const body = await readJson(c, JSON.stringify(EXAMPLE));
    const once = readIdempotencyKey(c, body);
    const request = once && { key: JSON.stringify([once.scope, once.key]), body: once.fingerprint };
    const actor = actorOf(c);
    const created = await together(request, () => createGig(deps, { body, once, render: renderFunding, actor }));
    return answerText(c, { status: 201, body: created });
  });
}
