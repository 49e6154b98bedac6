import { createRoute, z } from '@hono/zod-openapi';
import type { TypedResponse } from 'hono';
import {
  BY_HANDLE,
  BY_ID,
  IDENTIFIERS_REQUIRED,
  MAX_IDENTIFIERS,
  parseIdentifiers,
} from '../../../domain/account-name.ts';
import { findClaimableSince } from '../../../services/claims/find-claimable.ts';
import type { HttpContext } from '../../context.ts';
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
          .openapi('ClaimableGroup', { description: 'The claimable tips in one token.' }),
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

/** A repeated parameter is one longer list: using only the first would silently hide tips. */
const identifiersField = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((sent) => [sent ?? []].flat().join(','))
  .openapi({
    type: 'string',
    param: { required: true },
    description:
      `Comma-separated, in any mix: ${BY_ID.plural} (digits) and ${BY_HANDLE.plural}. A leading @ makes any item a ` +
      `username. At most ${MAX_IDENTIFIERS}.`,
    example: '8004,alice',
  });

const route = createRoute({
  method: 'get',
  path: '/api/claim',
  operationId: 'findClaimable',
  tags: ['Claims'],
  summary: 'The claimable tips of accounts',
  security: [],
  description: 'The pending tips of all the named accounts, grouped by token. Unknown accounts add nothing.',
  request: {
    query: z.object({ identifiers: identifiersField }),
  },
  responses: {
    200: { description: 'The claimable tokens', content: { 'application/json': { schema: claimSchema } } },
    400: errorResponse('The identifiers are missing, malformed or too many', IDENTIFIERS_REQUIRED),
    ...apiErrors,
  },
});

/** `GET /api/claim`: public. */
export function addClaimRoutes(app: App, deps: HttpContext): void {
  const findBody = createLookupCache(async (identifiers, since) => {
    const { asOf, groups } = await findClaimableSince(deps, { identifiers, since });
    return { asOf, body: groups && JSON.stringify(renderClaimable(groups)) };
  });
  app.openapi(route, async (c) => {
    const identifiers = parseIdentifiers(c.req.valid('query').identifiers);
    const answered = answerText(c, { status: 200, body: await findBody(identifiers) });
    // The text is the body that the route documents; its type is known only before it becomes text.
    return answered as Response & TypedResponse<never, 200, 'json'>;
  });
}
