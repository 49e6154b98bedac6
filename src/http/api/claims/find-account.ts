import { createRoute, z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { Account } from '../../../domain/account.ts';
import { FARCASTER, platformFacts, platformSlugs, X } from '../../../domain/platforms/platforms.ts';
import { createHandleResolver } from '../../../services/claims/resolve-handle.ts';
import type { HttpContext } from '../../context.ts';
import { HttpError } from '../../errors/http-error.ts';
import { actorOf, requireApiKey } from '../../middleware/api-key.ts';
import { answerJson } from '../../middleware/body.ts';
import type { App, AppEnv } from '../../middleware/context.ts';
import { handleField, platformParameter } from '../../middleware/parameters.ts';
import { createRateLimiter } from '../../middleware/rate-limit.ts';
import { accountIdField, accountPlatformField } from '../fields.ts';
import { errorResponse, jsonResponse, keyedBy, refusals } from '../schemas.ts';

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

const route = createRoute({
  method: 'get',
  path: '/api/accounts',
  operationId: 'findAccount',
  tags: ['Claims'],
  summary: 'The id of an account, by its handle',
  description:
    'Asks the platform who holds the handle now; an answer is kept for 10 minutes. At most ' +
    `${LIMIT} requests a minute for a client. Handles change hands: award to the id.`,
  ...keyedBy('gigs:read'),
  request: { query: z.object({ platform: platformParameter, username: handleField }) },
  responses: {
    200: jsonResponse('The account', accountSchema),
    400: errorResponse('A parameter is missing or malformed', `platform must be one of ${platformSlugs().join(', ')}`),
    404: errorResponse('No account has this handle', {
      code: 'account_not_found',
      platform: FARCASTER.id,
      username: 'alice',
    }),
    503: errorResponse(
      'The platform does not answer, or is off',
      { code: 'platform_unreachable', platform: FARCASTER.id, retryAfter: 5 },
      { code: 'platform_off', platform: X.id },
    ),
    ...refusals({ scope: 'gigs:read' }),
  },
});

function renderAccount({ platform, platformUserId, username }: Account) {
  return { data: { platform: platformFacts(platform).slug, platform_user_id: platformUserId, username } };
}

/** `GET /api/accounts`: needs an API key. */
export function addAccountRoute(app: App, deps: HttpContext): void {
  const resolve = createHandleResolver(deps);
  const limiter = createRateLimiter({ limit: LIMIT, clock: deps.clock });
  const limited: MiddlewareHandler<AppEnv> = async (c, next) => {
    const { exceeded, resetIn } = limiter.hit(actorOf(c).client);
    if (exceeded) throw new HttpError({ code: 'rate_limited', limit: LIMIT, retryAfter: resetIn });
    await next();
  };
  app.openapi({ ...route, middleware: [requireApiKey(deps, 'gigs:read'), limited] }, async (c) => {
    const { platform, username } = c.req.valid('query');
    return answerJson(c, renderAccount(await resolve(platform, username)), 200);
  });
}
