import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '../../../domain/errors.ts';
import { GIG_TYPES } from '../../../domain/gig.ts';
import { platformNamed } from '../../../domain/platforms.ts';
import { findGig, GIG_PHASES, type ListGigsDeps, listGigs } from '../../../services/gigs/find-gigs.ts';
import { type App, answer } from '../../middleware/context.ts';
import { apiErrors, errorResponse } from '../schemas.ts';
import { gigSchema, RECORD_PLATFORMS, renderGig } from './gig-json.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 100;

/** What is said of a path whose gig id is none. */
export const GIG_ID_IN_PATH = 'The gig id in the path must be a positive whole number of at most 15 digits';

function invalid(message: string): DomainError {
  return new DomainError({ code: 'invalid_request', message });
}

/** The gig in a path. @throws DomainError `invalid_request` when it is no id */
export function readGigId(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw invalid(GIG_ID_IN_PATH);
  return Number(text);
}

/** The path parameter of every route about one gig. */
export const gigPath = z.object({
  id: z.string().openapi({ description: 'The id of the gig.', example: '42', pattern: '^[1-9][0-9]{0,14}$' }),
});

const limitField = z
  .string()
  .optional()
  .openapi({ description: `1 to ${MAX_LIMIT}, ${DEFAULT_LIMIT} when absent.`, example: '20' });
const cursorField = z.string().optional().openapi({ description: 'The next_cursor of the page before.' });

/** The query parameters of every list that comes in pages. */
export const pageQuery = z.object({ limit: limitField, cursor: cursorField });

const typesRoute = createRoute({
  method: 'get',
  path: '/api/gigs/types',
  operationId: 'listGigTypes',
  tags: ['Gigs'],
  summary: 'The gig types there are',
  description: 'The values of `gig_type`. How each is shown stands in the record of a gig.',
  security: [],
  responses: {
    200: {
      description: 'Their names',
      content: { 'application/json': { schema: z.object({ data: z.array(z.enum(GIG_TYPES)) }) } },
    },
    ...apiErrors,
  },
});

const listRoute = createRoute({
  method: 'get',
  path: '/api/gigs',
  operationId: 'listGigs',
  tags: ['Gigs'],
  summary: 'Gigs, newest first',
  description: 'Page by page: `next_cursor` is the `cursor` of the next page.',
  security: [],
  request: {
    query: z.object({
      status: z.enum(GIG_PHASES).optional().openapi({
        description: '`active` (the default) is live and inside its window; `live` is started and not ended.',
      }),
      platforms: z
        .string()
        .optional()
        .openapi({
          description: `Comma-separated: ${RECORD_PLATFORMS.join(', ')}. All when absent.`,
          example: 'x,farcaster',
        }),
      limit: limitField,
      cursor: cursorField,
    }),
  },
  responses: {
    200: {
      description: 'A page of gigs; `next_cursor` is null on the last one',
      content: {
        'application/json': { schema: z.object({ data: z.array(gigSchema), next_cursor: z.string().nullable() }) },
      },
    },
    400: errorResponse('A parameter is malformed', `limit must be a whole number from 1 to ${MAX_LIMIT}`),
    ...apiErrors,
  },
});

const showRoute = createRoute({
  method: 'get',
  path: '/api/gigs/{id}',
  operationId: 'showGig',
  tags: ['Gigs'],
  summary: 'One gig',
  description: 'Its record, as the list has it, whatever its state.',
  security: [],
  request: { params: gigPath },
  responses: {
    200: { description: 'The gig', content: { 'application/json': { schema: z.object({ data: gigSchema }) } } },
    400: errorResponse('The id is malformed', GIG_ID_IN_PATH),
    404: errorResponse('There is no such gig', 'Gig with id 123 not found'),
    ...apiErrors,
  },
});

/** The query of a list of gigs. */
export type GigsQuery = Partial<Record<'status' | 'platforms' | 'limit' | 'cursor', string>>;

/** Which gigs are asked for; the active ones when nothing is said. @throws DomainError `invalid_request` */
export function readPhase({ status = 'active' }: GigsQuery) {
  const phase = GIG_PHASES.find((known) => known === status);
  if (phase === undefined) throw invalid(`status must be one of ${GIG_PHASES.join(', ')}`);
  return phase;
}

function readPlatforms({ platforms }: GigsQuery) {
  if (platforms === undefined) return undefined;
  const names = platforms.split(',').map((name) => name.trim());
  return names.map((name) => {
    const platform = platformNamed(name);
    if (platform === undefined)
      throw invalid(`platforms must be a comma-separated list of ${RECORD_PLATFORMS.join(', ')}`);
    return platform;
  });
}

/** How many entries a page has at most. @throws DomainError `invalid_request` */
export function readLimit({ limit = String(DEFAULT_LIMIT) }: GigsQuery): number {
  const value = /^[0-9]{1,3}$/.test(limit) ? Number(limit) : 0;
  if (value < 1 || value > MAX_LIMIT) throw invalid(`limit must be a whole number from 1 to ${MAX_LIMIT}`);
  return value;
}

/** Where a page begins. @throws DomainError `invalid_request` */
export function readCursor({ cursor }: GigsQuery): number | undefined {
  if (cursor === undefined) return undefined;
  if (!/^[1-9][0-9]{0,14}$/.test(cursor)) throw invalid('cursor must be the next_cursor of the page before');
  return Number(cursor);
}

/** `GET /api/gigs`, `/api/gigs/types` and `/api/gigs/:id`: public. */
export function addGigRoutes(app: App, deps: ListGigsDeps): void {
  for (const route of [typesRoute, listRoute, showRoute]) app.openAPIRegistry.registerPath(route);
  app.get(typesRoute.path, (c) => answer(c, { status: 200, body: { data: GIG_TYPES } }));
  app.get(listRoute.path, async (c) => {
    const query: GigsQuery = c.req.query();
    const { gigs, next } = await listGigs(deps, {
      phase: readPhase(query),
      platforms: readPlatforms(query),
      limit: readLimit(query),
      before: readCursor(query),
    });
    const now = deps.clock();
    return answer(c, {
      status: 200,
      body: { data: gigs.map((gig) => renderGig(gig, now)), next_cursor: next === null ? null : String(next) },
    });
  });
  app.get('/api/gigs/:id{[0-9]+}', async (c) => {
    const gig = await findGig(deps, { gigId: readGigId(c.req.param('id')) });
    return answer(c, { status: 200, body: { data: renderGig(gig, deps.clock()) } });
  });
}
