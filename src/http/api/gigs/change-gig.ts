import { createRoute, z } from '@hono/zod-openapi';
import type { Account } from '../../../domain/account.ts';
import { platformFacts } from '../../../domain/platforms.ts';
import { accountShape, termsShape } from '../../../domain/terms.ts';
import { addOwner } from '../../../services/gigs/add-owner.ts';
import { type ChangeGigDeps, changeGig } from '../../../services/gigs/change-gig.ts';
import { type ApiKeyDeps, actorOf, keyErrors, keyedBy, requireApiKey } from '../../middleware/api-key.ts';
import { MAX_BODY_BYTES, readJson } from '../../middleware/body.ts';
import { type App, answer, answerText } from '../../middleware/context.ts';
import { idempotencyHeader, KEY_REUSED, readIdempotencyKey } from '../../middleware/idempotency.ts';
import { apiErrors, badRequest, errorResponse } from '../schemas.ts';
import { fundingSchema, renderFunding } from './funding-json.ts';
import { gigSchema, RECORD_PLATFORMS, renderGig } from './gig-json.ts';
import { gigPath, readGigId } from './list-gigs.ts';

const CHANGE_EXAMPLE = { amount: 20, duration: '2weeks' };
const OWNER_EXAMPLE = { platform: 'x', platform_user_id: '1234567890123456789', username: 'alice' };

/** Every term is optional: what is absent stays. */
const changeSchema = z.object(termsShape).partial();

const tooLarge = {
  413: errorResponse('The body is too large', `Body is larger than ${MAX_BODY_BYTES} bytes`),
} as const;

const changeRoute = createRoute({
  method: 'patch',
  path: '/api/gigs/{id}',
  operationId: 'changeGig',
  tags: ['Gigs'],
  summary: 'Change the terms of a gig that is not live',
  description: 'Only the terms that are named change; all of them are checked again as if the gig were new.',
  ...keyedBy('gigs:write'),
  request: {
    params: gigPath,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: changeSchema.openapi('ChangeGigRequest', {
            description: 'The terms that change.',
            example: CHANGE_EXAMPLE,
          }),
        },
      },
    },
  },
  responses: {
    200: {
      description: 'The gig as it now is, and what it needs now',
      content: { 'application/json': { schema: z.object({ data: gigSchema, funding: fundingSchema }) } },
    },
    400: badRequest('The terms are not usable, or the gig is live', 'Gig is already live'),
    404: errorResponse('There is no such gig, chain or token', 'Gig with id 123 not found', 'Chain not found'),
    409: errorResponse(
      'The gig is being started or changed',
      'Gig with id 123 is currently being processed; send the same request again in 5 seconds',
    ),
    503: errorResponse(
      'The chain does not answer; nothing was changed',
      'The chain of this gig cannot be reached right now; nothing was changed, try again later',
    ),
    ...keyErrors('gigs:write'),
    ...tooLarge,
    ...apiErrors,
  },
});

/** An account that commands a gig. */
export const ownerSchema = z
  .object({
    gig_id: z.int().openapi({ description: 'The gig that the account owns.' }),
    platform: z.enum(RECORD_PLATFORMS).openapi({ description: 'The network of the account.' }),
    platform_user_id: z.string().openapi({ description: 'A Farcaster FID or an X user id.' }),
    username: z.string().nullable().openapi({ description: 'The handle, if it was given.' }),
  })
  .openapi('GigOwner', { description: 'An account that may command a gig.' });

const ownerRoute = createRoute({
  method: 'post',
  path: '/api/gigs/{id}/owners',
  operationId: 'addGigOwner',
  tags: ['Gigs'],
  summary: 'Let an account command a gig',
  description: 'By its id, not by its handle. Adding an owner again changes nothing.',
  ...keyedBy('gigs:write'),
  request: {
    params: gigPath,
    headers: idempotencyHeader,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z
            .object(accountShape)
            .openapi('AddOwnerRequest', { description: 'The account that becomes an owner.', example: OWNER_EXAMPLE }),
        },
      },
    },
  },
  responses: {
    201: {
      description: 'The account owns the gig',
      content: { 'application/json': { schema: z.object({ data: ownerSchema }) } },
    },
    400: badRequest('The account is malformed', 'Body is not valid JSON'),
    404: errorResponse('There is no such gig', 'Gig with id 123 not found'),
    409: errorResponse('The key came before with another body', KEY_REUSED),
    ...keyErrors('gigs:write'),
    ...tooLarge,
    ...apiErrors,
  },
});

/** An owner as clients see it. */
export function renderOwner(gigId: number, { platform, platformUserId, username }: Account) {
  return { gig_id: gigId, platform: platformFacts(platform).slug, platform_user_id: platformUserId, username };
}

/** `PATCH /api/gigs/:id` and `POST /api/gigs/:id/owners`: need an API key. */
export function addChangeRoutes(app: App, deps: ApiKeyDeps & ChangeGigDeps & Parameters<typeof addOwner>[0]): void {
  for (const route of [changeRoute, ownerRoute]) app.openAPIRegistry.registerPath(route);
  app.patch('/api/gigs/:id{[0-9]+}', requireApiKey(deps, 'gigs:write'), async (c) => {
    const gigId = readGigId(c.req.param('id'));
    const body = await readJson(c, JSON.stringify(CHANGE_EXAMPLE));
    const gig = await changeGig(deps, { gigId, body, actor: actorOf(c) });
    return answer(c, { status: 200, body: { data: renderGig(gig, deps.clock()), funding: renderFunding(gig) } });
  });
  app.post('/api/gigs/:id{[0-9]+}/owners', requireApiKey(deps, 'gigs:write'), async (c) => {
    const gigId = readGigId(c.req.param('id'));
    const body = await readJson(c, JSON.stringify(OWNER_EXAMPLE));
    const render = (owner: Account) => ({ data: renderOwner(gigId, owner) });
    const once = readIdempotencyKey(c, body);
    const added = await addOwner(deps, { gigId, body, once, render, actor: actorOf(c) });
    return answerText(c, { status: 201, body: added });
  });
}
