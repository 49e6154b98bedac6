import { createRoute, z } from '@hono/zod-openapi';
import { formatAmount } from '../../../domain/amount.ts';
import { CLAIM_SOURCES, payoutOutcome } from '../../../domain/claims/claim.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { PLATFORMS } from '../../../domain/platforms/platforms.ts';
import { listOwners } from '../../../services/gigs/owners.ts';
import { type GigPayout, listGigPayouts } from '../../../services/gigs/tips/find-gig-payments.ts';
import type { HttpContext } from '../../context.ts';
import { actorOf, requireApiKey } from '../../middleware/api-key.ts';
import { answerJson } from '../../middleware/body.ts';
import type { App } from '../../middleware/context.ts';
import { GIG_ID_IN_PATH, gigPath, pageQuery } from '../../middleware/parameters.ts';
import { accountIdField, foundField, nextCursorField, paidAddressField, paidByField } from '../fields.ts';
import { errorResponse, gigMissing, iso, isoTime, jsonResponse, keyedBy, refusals } from '../schemas.ts';
import { ownerSchema, renderOwner } from './change-gig.ts';

const GIG_REFUSALS = {
  400: errorResponse('The path or a parameter is malformed', GIG_ID_IN_PATH),
  404: gigMissing('The client has no such gig'),
} as const;

const ownersRoute = createRoute({
  method: 'get',
  path: '/api/gigs/:id{[0-9]+}/owners',
  operationId: 'listGigOwners',
  tags: ['Gigs'],
  summary: 'The owners of a gig',
  description: 'In the order in which they were added. Only for gigs of the key’s client.',
  ...keyedBy('gigs:read'),
  request: { params: gigPath },
  responses: {
    200: jsonResponse('The owners', z.object({ data: foundField(ownerSchema) })),
    ...GIG_REFUSALS,
    ...refusals({ scope: 'gigs:read' }),
  },
});

const payoutSchema = z
  .object({
    claim_nonce: z.string().openapi({ description: 'The `claim_nonce` of the tips that it pays.' }),
    source: z
      .enum(CLAIM_SOURCES)
      .openapi({ description: 'How the claim came: a mention of the bot, the URL of a post, or the page.' }),
    platform: z
      .enum(PLATFORMS.map(({ id }) => id))
      .openapi({ description: 'The platform of the account that is paid.' }),
    platform_user_id: accountIdField.openapi({ example: '8004' }),
    recipient: paidAddressField,
    amount: z.string().openapi({ description: 'In whole tokens.', example: '12.5' }),
    status: z.enum(['pending', 'success', 'failed']).openapi({ description: 'The state of the payment.' }),
    reason: z.string().nullable().openapi({ description: 'Why it waits or failed; null otherwise.' }),
    tx_hash: paidByField,
    created_at: isoTime.openapi({ description: 'When the claim planned it.' }),
  })
  .openapi('GigPayout', { description: 'One payment of a claim from a gig.' });

const payoutsRoute = createRoute({
  method: 'get',
  path: '/api/gigs/:id{[0-9]+}/payouts',
  operationId: 'listGigPayouts',
  tags: ['Claims'],
  summary: 'The payments of claims from a gig',
  description: 'Newest first, one entry for each payment. Only for gigs of the key’s client.',
  ...keyedBy('claims:read'),
  request: { params: gigPath, query: pageQuery },
  responses: {
    200: jsonResponse(
      'A page of payments; `next_cursor` is null on the last one',
      z.object({ data: foundField(payoutSchema), next_cursor: nextCursorField }),
    ),
    ...GIG_REFUSALS,
    ...refusals({ scope: 'claims:read' }),
  },
});

function renderPayout({ payment, claim }: GigPayout) {
  const { reason, recipient, amount, token, hash, createdAt } = payment;
  return {
    claim_nonce: claim.publicId,
    source: claim.source,
    platform: claim.platform,
    platform_user_id: claim.platformUserId,
    recipient: checksummed(recipient),
    amount: formatAmount(amount, token.decimals),
    status: payoutOutcome(payment),
    reason,
    tx_hash: hash,
    created_at: iso(createdAt),
  };
}

/** `GET /api/gigs/:id/owners` and `/api/gigs/:id/payouts`: need an API key of the gig's client. */
export function addInsightRoutes(app: App, deps: HttpContext): void {
  app.openapi({ ...ownersRoute, middleware: requireApiKey(deps, 'gigs:read') }, async (c) => {
    const { id: gigId } = c.req.valid('param');
    const owners = await listOwners(deps, { gigId, actor: actorOf(c) });
    return answerJson(c, { data: owners.map((owner) => renderOwner(gigId, owner)) }, 200);
  });
  app.openapi({ ...payoutsRoute, middleware: requireApiKey(deps, 'claims:read') }, async (c) => {
    const { id: gigId } = c.req.valid('param');
    const { limit, cursor: before } = c.req.valid('query');
    const { payouts, next } = await listGigPayouts(deps, { gigId, actor: actorOf(c), limit, before });
    return answerJson(c, { data: payouts.map(renderPayout), next_cursor: next === null ? null : String(next) }, 200);
  });
}
