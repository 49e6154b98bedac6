import type { MiddlewareHandler } from 'hono';
import { authenticateApiKey } from '../services/api-keys.ts';
import type { AppEnv } from './exchange.ts';

/** What is needed to check a key. */
export type ApiKeyDeps = Parameters<typeof authenticateApiKey>[0];

/** Lets a request pass only with a usable key in `x-api-key`; otherwise it throws DomainError `invalid_api_key`. */
export function requireApiKey(deps: ApiKeyDeps): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const { id } = await authenticateApiKey(deps, c.req.header('x-api-key'));
    c.set('apiKeyId', id);
    await next();
  };
}
