import type { Context, MiddlewareHandler } from 'hono';
import { DomainError } from '../../domain/errors.ts';
import { allows, type KeyActor, type Scope } from '../../domain/operators/actor.ts';
import { keyActor } from '../../domain/operators/api-key.ts';
import type { ServiceContext } from '../../services/context.ts';
import { authenticateApiKey } from '../../services/operators/api-keys.ts';
import type { AppEnv } from './context.ts';

/** No cache may keep the answer, a refusal included: it is for one key, or for whom none was sent. */
export function forbidCaching(c: Context<AppEnv>): void {
  c.get('request').headers['cache-control'] = 'no-store';
}

/**
 * Requires a usable key in `x-api-key` with the scope, and sets the actor. No cache keeps the answer. Throws DomainError
 * `invalid_api_key` or `scope_missing`.
 */
export function requireApiKey(deps: ServiceContext, scope: Scope): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    forbidCaching(c);
    const key = await authenticateApiKey(deps, c.req.header('x-api-key'));
    const actor = keyActor(key, c.get('request').requestId);
    if (!allows(actor.scopes, scope)) throw new DomainError({ code: 'scope_missing', scope });
    c.set('actor', actor);
    await next();
  };
}

/**
 * For a route of which a part is public: tells caches that the key decides, and runs `keyed` when one was sent, else
 * `keyless`.
 */
export function partlyPublic(
  keyed: MiddlewareHandler<AppEnv>,
  keyless: MiddlewareHandler<AppEnv> = (_c, next) => next(),
): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.get('request').headers['vary'] = 'x-api-key';
    return isKeySent(c) ? await keyed(c, next) : await keyless(c, next);
  };
}

export function isKeySent(c: Context<AppEnv>): boolean {
  return c.req.header('x-api-key') !== undefined;
}

/** The client of a request that passed {@link requireApiKey}. */
export function actorOf(c: Context<AppEnv>): KeyActor {
  return c.get('actor');
}
