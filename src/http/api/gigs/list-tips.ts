import { createRoute, z } from '@hono/zod-openapi';
import { formatAmount } from '../../../domain/amount.ts';
import type { ReportedTip } from '../../../domain/gigs/gig-report.ts';
import { checksummed } from '../../../domain/gigs/token.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import { listTips } from '../../../services/gigs/tips/list-tips.ts';
import type { HttpContext } from '../../context.ts';
import { actorOf, requireApiKey } from '../../middleware/api-key.ts';
import { answerJson } from '../../middleware/body.ts';
import type { App } from '../../middleware/context.ts';
import { gigPath, pageQuery, tipStatusField } from '../../middleware/parameters.ts';
import {
  accountIdField,
  accountPlatformField,
  foundField,
  lastHandleField,
  nextCursorField,
  paidAddressField,
  paidByField,
} from '../fields.ts';
import { errorResponse, gigMissing, iso, isoOrNull, isoTime, jsonResponse, keyedBy, refusals } from '../schemas.ts';

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

const route = createRoute({
  method: 'get',
  path: '/api/gigs/:id{[0-9]+}/tips',
  operationId: 'listTips',
  tags: ['Gigs'],
  summary: 'The tips of a gig',
  description:
    'For gigs of the key’s client: every tip, the newest first, paged. With `status` a page may have fewer tips than ' +
    '`limit`; the list ends where `next_cursor` is null.',
  ...keyedBy('gigs:read'),
  request: { params: gigPath, query: z.object({ status: tipStatusField, ...pageQuery.shape }) },
  responses: {
    200: jsonResponse(
      'The tips; `next_cursor` is null on the last page',
      z.object({ data: foundField(listedTipSchema), next_cursor: nextCursorField }),
    ),
    400: errorResponse('The path or a parameter is malformed', 'status must be one of pending, paid, void'),
    404: gigMissing('The client has no such gig'),
    ...refusals({ scope: 'gigs:read' }),
  },
});

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

/** `GET /api/gigs/:id/tips`: needs an API key of the gig's client. */
export function addTipListRoute(app: App, deps: HttpContext): void {
  app.openapi({ ...route, middleware: requireApiKey(deps, 'gigs:read') }, async (c) => {
    const { id: gigId } = c.req.valid('param');
    const { limit, cursor: before, status } = c.req.valid('query');
    const { token, tips, next } = await listTips(deps, { gigId, actor: actorOf(c), limit, before, status });
    const data = tips.map((tip) => renderListed(tip, token.decimals));
    return answerJson(c, { data, next_cursor: next === null ? null : String(next) }, 200);
  });
}
