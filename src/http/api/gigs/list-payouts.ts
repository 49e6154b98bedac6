import { z } from '@hono/zod-openapi';
import { formatAmount } from '../../../domain/amount.ts';
import { CLAIM_SOURCES, payoutOutcome } from '../../../domain/claims/claim.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { PLATFORMS } from '../../../domain/platforms/platforms.ts';
import { type GigPayout, listGigPayouts } from '../../../services/gigs/tips/find-gig-payments.ts';
import { GIG_ID_IN_PATH, gigPath, pageQuery } from '../../middleware/parameters.ts';
import { defineOperation } from '../define-operation.ts';
import { accountIdField, cursorText, foundField, nextCursorField, paidAddressField, paidByField } from '../fields.ts';
import { GIG_MISSING, iso, isoTime } from '../schemas.ts';

const payoutSchema = z
  .object({
    claim_nonce: z.string().openapi({ description: 'The `claim_nonce` of the tips that it pays.' }),
    source: z.enum(CLAIM_SOURCES).openapi({
      description: 'How the claim came: a mention of the bot, the URL of a post, the page, or a tap on a card.',
    }),
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

export const LIST_GIG_PAYOUTS = defineOperation({
  id: 'listGigPayouts',
  method: 'get',
  path: '/api/gigs/:id{[0-9]+}/payouts',
  tag: 'Claims',
  scope: 'claims:read',
  summary: 'The payments of claims from a gig',
  description: 'Newest first, one entry for each payment. Only for gigs of the key’s client.',
  params: gigPath,
  query: pageQuery,
  answer: {
    status: 200,
    says: 'A page of payments; `next_cursor` is null on the last one',
    schema: z.object({ data: foundField(payoutSchema), next_cursor: nextCursorField }),
  },
  refuses: [GIG_ID_IN_PATH, GIG_MISSING],
  run: (deps, { params: { id: gigId }, query: { limit, cursor: before }, actor }) =>
    listGigPayouts(deps, { gigId, actor, limit, before }),
  render: ({ payouts, next }) => ({ data: payouts.map(renderPayout), next_cursor: cursorText(next) }),
});
