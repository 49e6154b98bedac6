import { z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { MAX_IDENTIFIERS, parseAccountNames } from '../../../domain/account-name.ts';
import { findAccountEarnings, listGigEarnings } from '../../../services/gigs/show/find-earnings.ts';
import { HttpError } from '../../errors/http-error.ts';
import { forbidCaching, partlyPublic } from '../../middleware/api-key.ts';
import type { AppEnv } from '../../middleware/context.ts';
import { gigPath, pageQuery } from '../../middleware/parameters.ts';
import { defineOperation } from '../define-operation.ts';
import { cursorText, foundField, nextCursorField } from '../fields.ts';
import { GIG_MISSING } from '../schemas.ts';
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

function namesAccounts(c: Context<AppEnv>): boolean {
  return c.req.query('identifiers') !== undefined;
}

const keyless: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (namesAccounts(c)) return await next();
  forbidCaching(c);
  throw new HttpError({ code: 'names_or_key' });
};

export const FIND_EARNINGS = defineOperation({
  id: 'findEarnings',
  method: 'get',
  path: '/api/gigs/:id{[0-9]+}/earnings',
  tag: 'Gigs',
  scope: 'gigs:read',
  keyIfNeeded: (requireKey) => partlyPublic((c, next) => (namesAccounts(c) ? next() : requireKey(c, next)), keyless),
  summary: 'The state of accounts in a gig, with reasons',
  description:
    'With `identifiers`, for anyone: the state of these accounts, in the order given. Without, for gigs of the key’s ' +
    'client: all accounts with the facts of their decisions, newest act first, paged.',
  params: gigPath,
  query: z.object({ identifiers: identifiersField, ...pageQuery.shape }),
  answer: {
    status: 200,
    says: 'The accounts; `next_cursor` is null on the last page',
    schema: z.object({ data: foundField(accountEarningSchema), next_cursor: nextCursorField }),
  },
  refuses: ['identifiers: at most 100 are allowed, got 101', GIG_MISSING, { code: 'names_or_key' }],
  mcp: { place: 5 },
  async run(deps, { params: { id: gigId }, query: { identifiers, limit, cursor: before }, actor }) {
    if (identifiers === undefined) {
      const listed = await listGigEarnings(deps, { gigId, actor, limit, before });
      return { ...listed, told: { now: deps.clock(), withFacts: true } };
    }
    const found = await findAccountEarnings(deps, {
      gigId,
      readNames: ({ platform }) => parseAccountNames(platform, identifiers),
    });
    return { ...found, next: null, told: { now: deps.clock(), withFacts: false } };
  },
  render: ({ next, told, ...found }) => ({
    data: found.accounts.map((account) => renderAccountEarning(account, found, told)),
    next_cursor: cursorText(next),
  }),
});
