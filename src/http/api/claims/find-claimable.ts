import { z } from '@hono/zod-openapi';
import {
  BY_HANDLE,
  BY_ID,
  IDENTIFIERS_REQUIRED,
  MAX_IDENTIFIERS,
  parseIdentifiers,
} from '../../../domain/account-name.ts';
import { findClaimableSince } from '../../../services/claims/find-claimable.ts';
import { answerText } from '../../middleware/context.ts';
import { defineOperation } from '../define-operation.ts';
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

const identifiersField = z.string().openapi({
  description:
    `Comma-separated, in any mix: ${BY_ID.plural} (digits) and ${BY_HANDLE.plural}. A leading @ makes any item a ` +
    `username. At most ${MAX_IDENTIFIERS}.`,
  example: '8004,alice',
});

export const FIND_CLAIMABLE = defineOperation({
  id: 'findClaimable',
  method: 'get',
  path: '/api/claim',
  tag: 'Claims',
  scope: null,
  summary: 'The claimable tips of accounts',
  description: 'The pending tips of all the named accounts, grouped by token. Unknown accounts add nothing.',
  query: z.object({ identifiers: identifiersField }),
  // A repeated parameter is one longer list: using only the first would silently hide tips.
  readQuery: (c) => ({ identifiers: (c.req.queries('identifiers') ?? []).join(',') }),
  answer: { status: 200, says: 'The claimable tokens', schema: claimSchema },
  refuses: [IDENTIFIERS_REQUIRED],
  mcp: { place: 1 },
  createRun(deps) {
    const findBody = createLookupCache(async (identifiers, since) => {
      const { asOf, groups } = await findClaimableSince(deps, { identifiers, since });
      return { asOf, body: groups && JSON.stringify(renderClaimable(groups)) };
    });
    return ({ query }) => findBody(parseIdentifiers(query.identifiers));
  },
  respond: (body, { c }) => answerText(c, { status: 200, body }),
});
