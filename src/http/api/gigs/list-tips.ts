import { z } from '@hono/zod-openapi';
import { formatAmount } from '../../../domain/amount.ts';
import type { ReportedTip } from '../../../domain/gigs/gig-report.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import { listTips } from '../../../services/gigs/tips/list-tips.ts';
import { gigPath, pageQuery, tipStatusField } from '../../middleware/parameters.ts';
import { defineOperation } from '../define-operation.ts';
import {
  accountIdField,
  accountPlatformField,
  cursorText,
  foundField,
  lastHandleField,
  nextCursorField,
  paidAddressField,
  paidByField,
} from '../fields.ts';
import { GIG_MISSING, iso, isoOrNull, isoTime } from '../schemas.ts';

const listedTipSchema = z
  .object({
    id: z.int().openapi({ description: 'The id of the tip.' }),
    number: z.int().openapi({ description: 'By which the chain knows it, within its gig.' }),
    status: z
      .enum(['pending', 'paid', 'void'])
      .openapi({ description: '`pending`: not paid yet; `void`: withdrawn by the operator.' }),
    platform: accountPlatformField,
    platform_user_id: accountIdField.openapi({ example: '8004' }),
    username: lastHandleField,
    amount: z.string().openapi({ description: 'Exact decimal text, in whole tokens.', example: '12.5' }),
    awarded_at: isoTime.openapi({ description: 'When it was awarded.' }),
    recipient: paidAddressField.nullable().openapi({ description: 'Where it was paid to; null while it is not.' }),
    tx_hash: paidByField,
    paid_at: isoTime.nullable().openapi({ description: 'Null while it is not paid.' }),
    void_reason: z.string().nullable().openapi({ description: 'Why the operator withdrew it; null otherwise.' }),
  })
  .openapi('ListedTip', { description: 'A tip of a gig, with its exact amount.' });

function renderListed({ recipient, ...tip }: ReportedTip, decimals: number) {
  return {
    id: tip.tipId,
    number: tip.tipNumber,
    status: tip.status,
    platform: platformFacts(tip.platform).slug,
    platform_user_id: tip.platformUserId,
    username: tip.username,
    amount: formatAmount(tip.amount, decimals),
    awarded_at: iso(tip.awardedAt),
    recipient: recipient && checksummed(recipient),
    tx_hash: tip.hash,
    paid_at: isoOrNull(tip.paidAt),
    void_reason: tip.reason,
  };
}

export const LIST_TIPS = defineOperation({
  id: 'listTips',
  method: 'get',
  path: '/api/gigs/:id{[0-9]+}/tips',
  tag: 'Gigs',
  scope: 'gigs:read',
  summary: 'The tips of a gig',
  description:
    'For gigs of the key’s client: every tip, the newest first, paged. With `status` a page may have fewer tips than ' +
    '`limit`; the list ends where `next_cursor` is null.',
  params: gigPath,
  query: z.object({ status: tipStatusField, ...pageQuery.shape }),
  answer: {
    status: 200,
    says: 'The tips; `next_cursor` is null on the last page',
    schema: z.object({ data: foundField(listedTipSchema), next_cursor: nextCursorField }),
  },
  refuses: ['status must be one of pending, paid, void', GIG_MISSING],
  mcp: { place: 16 },
  run: (deps, { params: { id: gigId }, query: { limit, cursor: before, status }, actor }) =>
    listTips(deps, { gigId, actor, limit, before, status }),
  render: ({ token, tips, next }) => ({
    data: tips.map((tip) => renderListed(tip, token.decimals)),
    next_cursor: cursorText(next),
  }),
});
