import { z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { FARCASTER, platformFacts, platformSlugs, X } from '../../../domain/platforms/platforms.ts';
import { createHandleResolver } from '../../../services/claims/resolve-handle.ts';
import type { HttpContext } from '../../context.ts';
import { HttpError } from '../../errors/http-error.ts';
import { actorOf } from '../../middleware/api-key.ts';
import type { AppEnv } from '../../middleware/context.ts';
import { handleField, platformParameter } from '../../middleware/parameters.ts';
import { createRateLimiter } from '../../middleware/rate-limit.ts';
import { defineOperation } from '../define-operation.ts';
import { accountIdField, accountPlatformField } from '../fields.ts';

/** For each client and minute, because X bills each look-up. */
const LIMIT = 10;

const accountSchema = z
  .object({
    data: z
      .object({
        platform: accountPlatformField,
        platform_user_id: accountIdField.openapi({ example: '8004' }),
        username: z
          .string()
          .nullable()
          .openapi({ description: 'Its handle as the platform spells it.', example: 'alice' }),
      })
      .openapi({ description: 'The account that holds the handle now.' }),
  })
  .openapi('FoundAccount', { description: 'An account by its handle.' });

function limitClients({ clock }: HttpContext): MiddlewareHandler<AppEnv> {
  const limiter = createRateLimiter({ limit: LIMIT, clock });
  return async (c, next) => {
    const { exceeded, resetIn } = limiter.hit(actorOf(c).client);
    if (exceeded) throw new HttpError({ code: 'rate_limited', limit: LIMIT, retryAfter: resetIn });
    await next();
  };
}

export const FIND_ACCOUNT = defineOperation({
  id: 'findAccount',
  method: 'get',
  path: '/api/accounts',
  tag: 'Claims',
  scope: 'gigs:read',
  limit: limitClients,
  summary: 'The id of an account, by its handle',
  description:
    'Asks the platform who holds the handle now; an answer is kept for 10 minutes. At most ' +
    `${LIMIT} requests a minute for a client. Handles change hands: award to the id.`,
  query: z.object({ platform: platformParameter, username: handleField }),
  answer: { status: 200, says: 'The account', schema: accountSchema },
  refuses: [
    `platform must be one of ${platformSlugs().join(', ')}`,
    { code: 'account_not_found', platform: FARCASTER.id, username: 'alice' },
    { code: 'platform_unreachable', platform: FARCASTER.id, retryAfter: 5 },
    { code: 'platform_off', platform: X.id },
  ],
  mcp: { place: 19 },
  createRun(deps) {
    const resolve = createHandleResolver(deps);
    return ({ query: { platform, username } }) => resolve(platform, username);
  },
  render: ({ platform, platformUserId, username }) => ({
    data: { platform: platformFacts(platform).slug, platform_user_id: platformUserId, username },
  }),
});
