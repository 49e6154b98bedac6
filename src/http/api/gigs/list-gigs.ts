import { z } from '@hono/zod-openapi';
import { GIG_TYPES } from '../../../domain/gigs/gig.ts';
import { findGig, listGigs } from '../../../services/gigs/find-gigs.ts';
import { findGigEarning, findGigEarnings } from '../../../services/gigs/show/find-earnings.ts';
import { GIG_ID_IN_PATH, gigPath, pageQuery, phaseField, platformsField } from '../../middleware/parameters.ts';
import { defineOperation } from '../define-operation.ts';
import { cursorText, foundField, nextCursorField } from '../fields.ts';
import { dataOf, GIG_MISSING } from '../schemas.ts';
import { gigSchema, renderGig } from './gig-json.ts';

export const LIST_GIG_TYPES = defineOperation({
  id: 'listGigTypes',
  method: 'get',
  path: '/api/gigs/types',
  tag: 'Gigs',
  scope: null,
  summary: 'The gig types',
  description: 'The values of `gig_type`. The record of a gig says how its type is shown.',
  answer: { status: 200, says: 'The names', schema: dataOf(foundField(z.enum(GIG_TYPES))) },
  mcp: { place: 4 },
  run: () => GIG_TYPES,
  render: (types) => ({ data: [...types] }),
});

export const LIST_GIGS = defineOperation({
  id: 'listGigs',
  method: 'get',
  path: '/api/gigs',
  tag: 'Gigs',
  scope: null,
  summary: 'Gigs, newest first',
  description: 'Paged: send `next_cursor` as `cursor` to get the next page.',
  query: z.object({ status: phaseField, platforms: platformsField, ...pageQuery.shape }),
  answer: {
    status: 200,
    says: 'A page of gigs; `next_cursor` is null on the last one',
    schema: z.object({ data: foundField(gigSchema), next_cursor: nextCursorField }),
  },
  refuses: ['limit must be a whole number from 1 to 100'],
  mcp: { place: 2 },
  async run(deps, { query: { status: phase, platforms, limit, cursor: before } }) {
    const { gigs, next } = await listGigs(deps, { phase, platforms, limit, before });
    return { gigs, next, now: deps.clock(), earnings: await findGigEarnings(deps, gigs) };
  },
  render: ({ gigs, next, now, earnings }) => ({
    data: gigs.map((gig) => renderGig(gig, { now, earning: earnings.get(gig.id) })),
    next_cursor: cursorText(next),
  }),
});

export const SHOW_GIG = defineOperation({
  id: 'showGig',
  method: 'get',
  path: '/api/gigs/:id{[0-9]+}',
  tag: 'Gigs',
  scope: null,
  summary: 'One gig',
  description: 'The same record as in the list, for a gig in any state.',
  params: gigPath,
  answer: { status: 200, says: 'The gig', schema: dataOf(gigSchema) },
  refuses: [GIG_ID_IN_PATH, GIG_MISSING],
  mcp: { place: 3 },
  async run(deps, { params: { id: gigId } }) {
    const gig = await findGig(deps, { gigId });
    return { gig, earning: await findGigEarning(deps, gig), now: deps.clock() };
  },
  render: ({ gig, ...shown }) => ({ data: renderGig(gig, shown) }),
});
