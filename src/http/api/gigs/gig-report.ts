import { createRoute, z } from '@hono/zod-openapi';
import { pageOfReport, reportGig } from '../../../services/gigs/show/report-gig.ts';
import type { HttpContext } from '../../context.ts';
import { actorOf, isKeySent, partlyPublic, requireApiKey } from '../../middleware/api-key.ts';
import { answerJson } from '../../middleware/body.ts';
import type { App } from '../../middleware/context.ts';
import { CURSOR, GIG_ID_IN_PATH, gigPath, pageQuery } from '../../middleware/parameters.ts';
import { answerReportCsv, placeField, placeText } from '../../report-pages.ts';
import { nextCursorField } from '../fields.ts';
import { errorResponse, gigMissing, jsonResponse, keyedBy, refusals } from '../schemas.ts';
import { renderReport, renderReported, reportSchema } from './report-json.ts';

const query = z.object({ limit: pageQuery.shape.limit, cursor: placeField });
const MISSING = gigMissing('There is no such gig, or the client has none');

const reportRoute = createRoute({
  method: 'get',
  path: '/api/gigs/:id{[0-9]+}/report',
  operationId: 'reportGig',
  tags: ['Gigs'],
  summary: 'The statement of a gig',
  description:
    'For anyone: the sums, the refund, and the payments that are no claims’. For gigs of the key’s client also the accounts, ' +
    'paged: each tip with its payment, the newest first, then the accounts that were refused, with the reason.',
  ...keyedBy('gigs:read'),
  security: [{}, { apiKey: [] as string[] }],
  request: { params: gigPath, query },
  responses: {
    200: jsonResponse(
      'The statement; `next_cursor` is null on the last page of accounts, and without a key',
      z.object({ data: reportSchema, next_cursor: nextCursorField }),
    ),
    400: errorResponse('The path or a parameter is malformed', CURSOR),
    404: MISSING,
    ...refusals({ scope: 'gigs:read' }),
  },
});

const csvRoute = createRoute({
  method: 'get',
  path: '/api/gigs/:id{[0-9]+}/report.csv',
  operationId: 'exportReport',
  tags: ['Gigs'],
  summary: 'The accounts of a gig as CSV',
  description:
    'Each tip with its payment, the newest first, then the accounts that were refused, as RFC 4180 says, in UTF-8 with a ' +
    'header. Amounts are in whole tokens. A text that a spreadsheet would run as a formula has an apostrophe before it.',
  ...keyedBy('gigs:read'),
  request: { params: gigPath },
  responses: {
    200: { description: 'The file', content: { 'text/csv': { schema: z.string() } } },
    400: errorResponse('The path is malformed', GIG_ID_IN_PATH),
    404: MISSING,
    ...refusals({ scope: 'gigs:read' }),
  },
});

/** `GET /api/gigs/:id/report`, of which the accounts need an API key of the gig's client, and `/api/gigs/:id/report.csv`, which needs one. */
export function addReportRoutes(app: App, deps: HttpContext): void {
  const requireKey = requireApiKey(deps, 'gigs:read');
  app.openapi({ ...reportRoute, middleware: partlyPublic(requireKey) }, async (c) => {
    const { id: gigId } = c.req.valid('param');
    const { limit, cursor: place } = c.req.valid('query');
    const actor = isKeySent(c) ? actorOf(c) : null;
    const report = await reportGig(deps, { gigId, actor });
    const data = renderReport(report, deps.clock());
    if (actor === null) return answerJson(c, { data: { ...data, accounts: null }, next_cursor: null }, 200);
    const { accounts, next } = await pageOfReport(deps, report.gig, { limit, place });
    const listed = accounts.map((account) => renderReported(account, report.gig.token.decimals));
    return answerJson(c, { data: { ...data, accounts: listed }, next_cursor: placeText(next) }, 200);
  });
  app.openapi({ ...csvRoute, middleware: requireKey }, async (c) => {
    const { id: gigId } = c.req.valid('param');
    const { gig } = await reportGig(deps, { gigId, actor: actorOf(c) });
    return answerReportCsv(c, deps, gig);
  });
}
