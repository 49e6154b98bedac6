import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Gig } from '../domain/gigs/gig.ts';
import { REPORT_HEADER, reportLines } from '../domain/gigs/gig-report-csv.ts';
import type { ServiceContext } from '../services/context.ts';
import { type ReportPlace, readReport } from '../services/gigs/show/report-gig.ts';
import type { AppEnv } from './middleware/context.ts';
import { CURSOR } from './middleware/parameters.ts';
import { streamText } from './stream-text.ts';

const PLACE = /^(tips|refused)-([1-9][0-9]{0,15})$/;

/** The cursor of a gig's accounts. Refused accounts follow the tips. */
export const placeField = z
  .string()
  .optional()
  .transform((text, context): ReportPlace => {
    if (text === undefined) return { of: 'tips' };
    const [, of, before] = PLACE.exec(text) ?? [];
    if (of === undefined) context.addIssue({ code: 'custom', message: CURSOR });
    return { of: of === 'refused' ? 'refused' : 'tips', before: Number(before) };
  })
  .openapi({ type: 'string', description: 'The next_cursor of the previous page.' });

/** The cursor of the page that begins at this place; null for none. */
export function placeText(place: ReportPlace | null): string | null {
  return place === null ? null : `${place.of}-${place.before ?? Number.MAX_SAFE_INTEGER}`;
}

async function* linesOf(deps: ServiceContext, gig: Gig): AsyncGenerator<string> {
  yield REPORT_HEADER;
  for await (const accounts of readReport(deps, gig)) yield reportLines(accounts, gig.token);
}

/** Answers with all accounts of a gig as CSV, sent while they are read. */
export function answerReportCsv(c: Context<AppEnv>, deps: ServiceContext, gig: Gig): Response {
  const headers = {
    ...c.get('request').headers,
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="gig-${gig.id}-report.csv"`,
  };
  return c.body(streamText(linesOf(deps, gig)), 200, headers);
}
