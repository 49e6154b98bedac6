import { createRoute, z } from '@hono/zod-openapi';
import { GIG_TYPES } from '../../../domain/gigs/gig.ts';
import { findGig, listGigs } from '../../../services/gigs/find-gigs.ts';
import { findGigEarning, findGigEarnings } from '../../../services/gigs/show/find-earnings.ts';
import type { HttpContext } from '../../context.ts';
import { answerJson } from '../../middleware/body.ts';
import type { App } from '../../middleware/context.ts';
import { GIG_ID_IN_PATH, gigPath, pageQuery, phaseField, platformsField } from '../../middleware/parameters.ts';
import { foundField, nextCursorField } from '../fields.ts';
import { errorResponse, gigMissing, jsonResponse, refusals } from '../schemas.ts';
import { gigSchema, renderGig } from './gig-json.ts';

const typesRoute = createRoute({
  method: 'get',
  path: '/api/gigs/types',
  operationId: 'listGigTypes',
  tags: ['Gigs'],
  summary: 'The gig types',
  description: 'The values of `gig_type`. The record of a gig says how its type is shown.',
  security: [],
  responses: {
    200: jsonResponse('The names', z.object({ data: foundField(z.enum(GIG_TYPES)) })),
    ...refusals(),
  },
});

const listRoute = createRoute({
  method: 'get',
  path: '/api/gigs',
  operationId: 'listGigs',
  tags: ['Gigs'],
  summary: 'Gigs, newest first',
  description: 'Paged: send `next_cursor` as `cursor` to get the next page.',
  security: [],
  request: {
    query: z.object({ status: phaseField, platforms: platformsField, ...pageQuery.shape }),
  },
  responses: {
    200: jsonResponse(
      'A page of gigs; `next_cursor` is null on the last one',
      z.object({ data: foundField(gigSchema), next_cursor: nextCursorField }),
    ),
    400: errorResponse('A parameter is malformed', 'limit must be a whole number from 1 to 100'),
    ...refusals(),
  },
});

const showRoute = createRoute({
  method: 'get',
  path: '/api/gigs/:id{[0-9]+}',
  operationId: 'showGig',
  tags: ['Gigs'],
  summary: 'One gig',
  description: 'The same record as in the list, for a gig in any state.',
  security: [],
  request: { params: gigPath },
  responses: {
    200: jsonResponse('The gig', z.object({ data: gigSchema })),
    400: errorResponse('The id is malformed', GIG_ID_IN_PATH),
    404: gigMissing(),
    ...refusals(),
  },
});

/** `GET /api/gigs`, `/api/gigs/types` and `/api/gigs/:id`: public. */
export function addGigRoutes(app: App, deps: HttpContext): void {
  app.openapi(typesRoute, (c) => answerJson(c, { data: [...GIG_TYPES] }, 200));
  app.openapi(listRoute, async (c) => {
    const { status: phase, platforms, limit, cursor: before } = c.req.valid('query');
    const { gigs, next } = await listGigs(deps, { phase, platforms, limit, before });
    const now = deps.clock();
    const earnings = await findGigEarnings(deps, gigs);
    const data = gigs.map((gig) => renderGig(gig, { now, earning: earnings.get(gig.id) }));
    return answerJson(c, { data, next_cursor: next === null ? null : String(next) }, 200);
  });
  app.openapi(showRoute, async (c) => {
    const gig = await findGig(deps, { gigId: c.req.valid('param').id });
    const earning = await findGigEarning(deps, gig);
    return answerJson(c, { data: renderGig(gig, { now: deps.clock(), earning }) }, 200);
  });
}
