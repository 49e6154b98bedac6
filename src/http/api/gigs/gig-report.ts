import { z } from '@hono/zod-openapi';
import { pageOfReport, reportGig } from '../../../services/gigs/show/report-gig.ts';
import { isKeySent, partlyPublic } from '../../middleware/api-key.ts';
import { CURSOR, GIG_ID_IN_PATH, gigPath, pageQuery } from '../../middleware/parameters.ts';
import { answerReportCsv, placeField, placeText } from '../../report-pages.ts';
import { defineOperation } from '../define-operation.ts';
import { nextCursorField } from '../fields.ts';
import { GIG_MISSING } from '../schemas.ts';
import { renderReport, renderReported, reportSchema } from './report-json.ts';

const ofReport = { tag: 'Gigs', scope: 'gigs:read', method: 'get', params: gigPath } as const;

export const REPORT_GIG = defineOperation({
  ...ofReport,
  id: 'reportGig',
  path: '/api/gigs/:id{[0-9]+}/report',
  keyIfNeeded: partlyPublic,
  summary: 'The statement of a gig',
  description:
    'For anyone: the sums, the refund, and the payments that are no claims’. For gigs of the key’s client also the accounts, ' +
    'paged: each tip with its payment, the newest first, then the accounts that were refused, with the reason.',
  query: z.object({ limit: pageQuery.shape.limit, cursor: placeField }),
  answer: {
    status: 200,
    says: 'The statement; `next_cursor` is null on the last page of accounts, and without a key',
    schema: z.object({ data: reportSchema, next_cursor: nextCursorField }),
  },
  refuses: [CURSOR, GIG_MISSING],
  mcp: { place: 7 },
  async run(deps, { params: { id: gigId }, query: { limit, cursor: place }, actor, c }) {
    const isKeyed = isKeySent(c);
    const report = await reportGig(deps, { gigId, actor: isKeyed ? actor : null });
    const page = isKeyed ? await pageOfReport(deps, report.gig, { limit, place }) : null;
    return { report, page, now: deps.clock(), price: deps.prices?.priceOf(report.gig.token) ?? null };
  },
  render({ report, page, now, price }) {
    const { decimals } = report.gig.token;
    const accounts = page?.accounts.map((account) => renderReported(account, decimals)) ?? null;
    return { data: { ...renderReport(report, { now, price }), accounts }, next_cursor: placeText(page?.next ?? null) };
  },
});

export const EXPORT_REPORT = defineOperation({
  ...ofReport,
  id: 'exportReport',
  path: '/api/gigs/:id{[0-9]+}/report.csv',
  summary: 'The accounts of a gig as CSV',
  description:
    'Each tip with its payment, the newest first, then the accounts that were refused, as RFC 4180 says, in UTF-8 with a ' +
    'header. Amounts are in whole tokens. A text that a spreadsheet would run as a formula has an apostrophe before it.',
  answer: { status: 200, says: 'The file', type: 'text/csv' },
  refuses: [GIG_ID_IN_PATH, GIG_MISSING],
  run: (deps, { params: { id: gigId }, actor }) => reportGig(deps, { gigId, actor }),
  respond: ({ gig }, { c }, deps) => answerReportCsv(c, deps, gig),
});
