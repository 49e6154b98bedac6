import { createRoute, z } from '@hono/zod-openapi';
import type { Account } from '../../../domain/account.ts';
import { camelKeys } from '../../../domain/camel-keys.ts';
import { TERMS } from '../../../domain/gigs/terms.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import { changeGig, changeProblems, findChangeableGig } from '../../../services/gigs/change-gig.ts';
import { addOwner } from '../../../services/gigs/owners.ts';
import { findGigEarning } from '../../../services/gigs/show/find-earnings.ts';
import type { HttpContext } from '../../context.ts';
import { actorOf, requireApiKey } from '../../middleware/api-key.ts';
import { answerJson, requireJson } from '../../middleware/body.ts';
import type { App } from '../../middleware/context.ts';
import { createIdempotency, idempotencyHeader } from '../../middleware/idempotency.ts';
import { gigIdOf, gigPath } from '../../middleware/parameters.ts';
import { accountIdField, accountPlatformField } from '../fields.ts';
import {
  badRequest,
  EXAMPLE_GIG,
  errorResponse,
  gigMissing,
  inProgressResponse,
  jsonBody,
  jsonResponse,
  keyedBy,
  refusals,
} from '../schemas.ts';
import { bodyOf, refuseAlsoFor } from '../validation.ts';
import { fundingSchema, renderFunding } from './funding-json.ts';
import { accountShape, gigSchema, renderGig } from './gig-json.ts';

const CHANGE_EXAMPLE = { amount: 20, duration: '2weeks' };
const OWNER_EXAMPLE = { platform: 'x', platform_user_id: '1234567890123456789', username: 'alice' };

/** Every term is optional: an absent one stays. */
const changeSchema = bodyOf(TERMS).partial();
const ownerRequestSchema = bodyOf(accountShape);
const TERM_NAMES = Object.keys(TERMS).join(', ');

const changeRoute = createRoute({
  method: 'patch',
  path: '/api/gigs/:id{[0-9]+}',
  operationId: 'changeGig',
  tags: ['Gigs'],
  summary: 'Change the terms of a gig that is not live',
  description: 'Only the given terms change; all terms are validated as for a new gig.',
  ...keyedBy('gigs:write'),
  request: {
    params: gigPath,
    body: jsonBody(changeSchema, 'ChangeGigRequest', 'The terms to change.', CHANGE_EXAMPLE),
  },
  responses: {
    200: jsonResponse(
      'The changed gig, and the funding that it needs',
      z.object({ data: gigSchema, funding: fundingSchema }),
    ),
    400: badRequest(
      'The terms are invalid, or the gig is live or was and has ended',
      { code: 'gig_already_live', gigId: EXAMPLE_GIG },
      { code: 'gig_ended', gigId: EXAMPLE_GIG },
    ),
    404: errorResponse(
      'There is no such gig, chain or token',
      { code: 'gig_not_found', gigId: EXAMPLE_GIG },
      { code: 'chain_not_found' },
    ),
    409: inProgressResponse('The gig is being started or changed'),
    503: errorResponse(
      'The chain or the platform does not answer; nothing was changed',
      { code: 'chain_unreachable', retryAfter: 5 },
      { code: 'platform_unreachable', platform: 'farcaster', retryAfter: 5 },
    ),
    ...refusals({ scope: 'gigs:write', body: true }),
  },
});

/** An account that owns a gig. */
export const ownerSchema = z
  .object({
    gig_id: z.int().openapi({ description: 'The gig that the account owns.' }),
    platform: accountPlatformField,
    platform_user_id: accountIdField,
    username: z.string().nullable().openapi({ description: 'The handle, if it was given.' }),
  })
  .openapi('GigOwner', { description: 'An account that may command a gig.' });

const ownerRoute = createRoute({
  method: 'post',
  path: '/api/gigs/:id{[0-9]+}/owners',
  operationId: 'addGigOwner',
  tags: ['Gigs'],
  summary: 'Let an account command a gig',
  description: 'The account is identified by its id, not by its handle. Adding an owner again changes nothing.',
  ...keyedBy('gigs:write'),
  request: {
    params: gigPath,
    headers: idempotencyHeader,
    body: jsonBody(ownerRequestSchema, 'AddOwnerRequest', 'The account that becomes an owner.', OWNER_EXAMPLE),
  },
  responses: {
    201: jsonResponse('The account owns the gig', z.object({ data: ownerSchema })),
    400: badRequest('The account is malformed', 'Body is not valid JSON'),
    404: gigMissing(),
    ...refusals({ scope: 'gigs:write', body: true, once: true }),
  },
});

/** An owner as clients see it. */
export function renderOwner(gigId: number, { platform, platformUserId, username }: Account) {
  return { gig_id: gigId, platform: platformFacts(platform).slug, platform_user_id: platformUserId, username };
}

/** Parsing fills absent fields with the defaults of a new gig. */
function namedIn<Fields extends object>(body: object, fields: Fields) {
  const named = Object.entries(fields).filter(([name]) => Object.hasOwn(body, name));
  // JSON has no undefined.
  return Object.fromEntries(named) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}

function nameProblems(body: object): string[] {
  const names = Object.keys(body);
  const unknown = names.filter((name) => !Object.hasOwn(TERMS, name));
  return [
    ...unknown.map(
      (name) => `${JSON.stringify(name.slice(0, 40))} is not a term of a gig; the terms are ${TERM_NAMES}`,
    ),
    ...(names.length === 0 ? [`the body must name at least one term to change: ${TERM_NAMES}`] : []),
  ];
}

/** `PATCH /api/gigs/:id`: needs an API key. */
export function addChangeRoute(app: App, deps: HttpContext): void {
  const middleware = [requireApiKey(deps, 'gigs:write'), requireJson(JSON.stringify(CHANGE_EXAMPLE))];
  app.openapi(
    { ...changeRoute, middleware },
    async (c) => {
      const changes = camelKeys(namedIn(await c.req.json(), c.req.valid('json')));
      const gig = await changeGig(deps, { gigId: c.req.valid('param').id, changes, actor: actorOf(c) });
      const earning = await findGigEarning(deps, gig);
      const data = renderGig(gig, { now: deps.clock(), earning });
      return answerJson(c, { data, funding: renderFunding(gig) }, 200);
    },
    refuseAlsoFor(changeSchema, async (fields, body, c) => {
      // An unknown or live gig is refused first.
      const gig = await findChangeableGig(deps, { gigId: gigIdOf(c), actor: actorOf(c) });
      if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
      return [...nameProblems(body), ...changeProblems(deps, gig, camelKeys(namedIn(body, fields)))];
    }),
  );
}

/** `POST /api/gigs/:id/owners`: needs an API key; may carry an `Idempotency-Key`. */
export function addOwnerRoute(app: App, deps: HttpContext): void {
  const once = createIdempotency(deps, { status: 201 });
  const middleware = [requireApiKey(deps, 'gigs:write'), requireJson(JSON.stringify(OWNER_EXAMPLE)), once.replay];
  app.openapi({ ...ownerRoute, middleware }, (c) => {
    const { id: gigId } = c.req.valid('param');
    const owner = camelKeys(c.req.valid('json'));
    const actor = actorOf(c);
    return once.answer(
      c,
      (added: Account) => ({ data: renderOwner(gigId, added) }),
      () => ({ commit: (tx, now) => addOwner(tx, { gigId, owner }, { actor, now }) }),
    );
  });
}
