import { createRoute, z } from '@hono/zod-openapi';
import type { AccountName } from '../../../domain/account.ts';
import { MAX_IDENTIFIERS, parseIdentifiers } from '../../../domain/account-name.ts';
import { findClaimable } from '../../../services/claims/find-claimable.ts';
import { type App, answerText } from '../../middleware/context.ts';
import { apiErrors, errorResponse } from '../schemas.ts';
import { renderClaimable } from './claimable-json.ts';
import { createLookupCache } from './lookup-cache.ts';
import { tipSchema, tokenSchema } from './tip-json.ts';

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
          .openapi('ClaimableGroup', { description: 'What can be claimed of one token.' }),
      )
      .openapi({
        description:
          'Keyed by token address. Of several chains with one token address the lowest chain id keeps the plain key; ' +
          'the others are keyed `<address>:<chain_id>`.',
      }),
    summary: z
      .object({
        total_tokens: z.int().openapi({ description: 'How many tokens there are.' }),
        total_gigs: z.int().openapi({ description: 'Distinct gigs behind all tips.' }),
      })
      .openapi({ description: 'The totals of the whole answer.' }),
  })
  .openapi('Claimable', { description: 'The pending tips of the named accounts.' });

const route = createRoute({
  method: 'get',
  path: '/api/claim',
  operationId: 'findClaimable',
  tags: ['Claims'],
  summary: 'What somebody can claim',
  security: [],
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

interface ClaimableDeps {
  readonly store: Parameters<typeof findClaimable>[0]['store'] & {
    takeChangedAccounts(): readonly AccountName[] | null;
  };
}

/** The values of a repeatable query parameter, in the query as sent. */
function queryValues(url: string, name: string): string[] {
  const start = url.indexOf('?');
  return start === -1 ? [] : new URLSearchParams(url.slice(start)).getAll(name);
}

/** `GET /api/claim`: public. */
export function addClaimRoutes(app: App, { store }: ClaimableDeps): void {
  const cache = createLookupCache({ takeChanged: () => store.takeChangedAccounts() });
  app.openAPIRegistry.registerPath(route);
  app.get(route.path, async (c) => {
    // A repeated parameter is one longer list: using only the first would silently hide tips.
    const identifiers = parseIdentifiers(queryValues(c.req.url, 'identifiers').join(','));
    const read = async () => JSON.stringify(renderClaimable(await findClaimable({ store }, { identifiers })));
    return answerText(c, { status: 200, body: await cache.find(identifiers, read) });
  });
}
