import { createRoute, z } from '@hono/zod-openapi';
import { MAX_IDENTIFIERS, parseIdentifiers } from '../domain/account.ts';

import { findClaimable } from '../services/claimable.ts';
import { writeClaimable } from './claim-text.ts';
import { type App, answerText } from './exchange.ts';
import { type KeptAnswers, queryOf } from './kept-answers.ts';
import { apiErrors, errorResponse } from './schema.ts';
import { tipSchema, tokenSchema } from './tip.ts';

const claimSchema = z
  .object({
    data: z
      .record(
        z.string(),
        z
          .object({
            token: tokenSchema,
            totalValue: z.number().openapi({ description: 'The sum of the tips, in whole tokens.' }),
            tips: z.array(tipSchema).openapi({ description: 'Oldest first.' }),
            gigCount: z.int().openapi({ description: 'Distinct gigs behind the tips.' }),
          })
          .openapi('ClaimableGroup'),
      )
      .openapi({
        description:
          'Keyed by token address. Of several chains with one token address the lowest chain id keeps the plain key; ' +
          'the others are keyed `<address>:<chain_id>`.',
      }),
    summary: z.object({ total_tokens: z.int(), total_gigs: z.int() }),
  })
  .openapi('Claimable');

const route = createRoute({
  method: 'get',
  path: '/api/claim',
  operationId: 'findClaimable',
  tags: ['Claims'],
  summary: 'What somebody can claim',
  description: 'The pending tips of all the named accounts, grouped by token. Accounts nobody knows add nothing.',
  request: {
    query: z.object({
      identifiers: z.string().openapi({
        description:
          'Comma-separated, in any mix: Farcaster FIDs (digits) and X usernames. A leading @ makes any item a username. ' +
          `At most ${MAX_IDENTIFIERS}.`,
        example: '8004,alice',
      }),
    }),
  },
  responses: {
    200: { description: 'The claimable tokens', content: { 'application/json': { schema: claimSchema } } },
    400: errorResponse(
      'The identifiers are missing, malformed or too many',
      'identifiers is required: a comma-separated list of Farcaster FIDs and X usernames',
    ),
    ...apiErrors,
  },
});

interface LookupDeps {
  readonly store: Parameters<typeof findClaimable>[0]['store'] & { version(): number };
  /** Answers by the query that asked for them. */
  readonly kept: KeptAnswers;
}

/** `GET /api/claim`: public. */
export function addClaimRoutes(app: App, deps: LookupDeps): void {
  const { store, kept } = deps;
  app.openAPIRegistry.registerPath(route);
  app.get(route.path, async (c) => {
    const version = store.version();
    // A repeated parameter is one longer list: taking only the first would hide tips without a word.
    const identifiers = parseIdentifiers(c.req.queries('identifiers')?.join(','));
    const groups = await findClaimable(deps, { identifiers });
    const body = writeClaimable(groups);
    kept.keep(queryOf(c.req.url), body, version);
    return answerText(c, { status: 200, body });
  });
}
