import { createRoute, z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { MAX_IDENTIFIERS, parseAccountNames } from '../../../domain/account-name.ts';
import { findAccountEarnings, listGigEarnings } from '../../../services/gigs/show/find-earnings.ts';
import type { HttpContext } from '../../context.ts';
import { HttpError } from '../../errors/http-error.ts';
import { actorOf, forbidCaching, isKeySent, partlyPublic, requireApiKey } from '../../middleware/api-key.ts';
import { answerJson } from '../../middleware/body.ts';
import type { App, AppEnv } from '../../middleware/context.ts';
import { gigPath, pageQuery } from '../../middleware/parameters.ts';
import { foundField, nextCursorField } from '../fields.ts';
import { errorResponse, gigMissing, jsonResponse, keyedBy, refusals } from '../schemas.ts';
import { accountEarningSchema, renderAccountEarning } from './earning-json.ts';

/** A repeated parameter is one longer list. */
const identifiersField = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((sent) => (sent === undefined ? undefined : [sent].flat().join(',')))
  .openapi({
    type: 'string',
    description:
      'Comma-separated ids and handles of accounts on the platform of the gig; a leading @ makes any item a handle. ' +
      `At most ${MAX_IDENTIFIERS}. Without it a key is needed, which lists all accounts.`,
    example: '8004,alice',
  });

const route = createRoute({
  method: 'get',
  path: '/api/gigs/:id{[0-9]+}/earnings',
  operationId: 'findEarnings',
  tags: ['Gigs'],
  summary: 'The state of accounts in a gig, with reasons',
  description:
    'With `identifiers`, for anyone: the state of these accounts, in the order given. Without, for gigs of the key’s ' +
    'client: all accounts with the facts of their decisions, newest act first, paged.',
  ...keyedBy('gigs:read'),
  security: [{}, { apiKey: [] as string[] }],
  request: { params: gigPath, query: z.object({ identifiers: identifiersField, ...pageQuery.shape }) },
  responses: {
    200: jsonResponse(
      'The accounts; `next_cursor` is null on the last page',
      z.object({ data: foundField(accountEarningSchema), next_cursor: nextCursorField }),
    ),
    400: errorResponse('The path or a parameter is malformed', 'identifiers: at most 100 are allowed, got 101'),
    404: gigMissing('There is no such gig, or the client has none'),
    ...refusals({ scope: 'gigs:read' }),
    401: errorResponse(
      'Neither accounts are named nor a usable key is sent',
      { code: 'invalid_api_key' },
      { code: 'names_or_key' },
    ),
  },
});

/** `GET /api/gigs/:id/earnings`: public for named accounts; the list of all needs an API key of the gig's client. */
export function addEarningsRoute(app: App, deps: HttpContext): void {
  const { clock } = deps;
  const requireKey = requireApiKey(deps, 'gigs:read');
  const namesAccounts = (c: Context<AppEnv>) => c.req.query('identifiers') !== undefined;
  const keyed: MiddlewareHandler<AppEnv> = (c, next) => (namesAccounts(c) ? next() : requireKey(c, next));
  const namesOrKey: MiddlewareHandler<AppEnv> = async (c, next) => {
    if (namesAccounts(c) || isKeySent(c)) return await next();
    forbidCaching(c);
    throw new HttpError({ code: 'names_or_key' });
  };
  app.openapi({ ...route, middleware: [partlyPublic(keyed), namesOrKey] }, async (c) => {
    const { id: gigId } = c.req.valid('param');
    const { identifiers, limit, cursor: before } = c.req.valid('query');
    if (identifiers !== undefined) {
      const found = await findAccountEarnings(deps, {
        gigId,
        readNames: ({ platform }) => parseAccountNames(platform, identifiers),
      });
      const told = { now: clock(), withFacts: false };
      const data = found.accounts.map((account) => renderAccountEarning(account, found, told));
      return answerJson(c, { data, next_cursor: null }, 200);
    }
    const { next, ...found } = await listGigEarnings(deps, { gigId, actor: actorOf(c), limit, before });
    const told = { now: clock(), withFacts: true };
    const data = found.accounts.map((account) => renderAccountEarning(account, found, told));
    return answerJson(c, { data, next_cursor: next === null ? null : String(next) }, 200);
  });
}
