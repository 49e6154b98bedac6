import type { Context, MiddlewareHandler } from 'hono';
import { allows, type KeyActor, type Scope } from '../../domain/actor.ts';
import { keyActor } from '../../domain/api-key.ts';
import { DomainError } from '../../domain/errors.ts';
import { authenticateApiKey } from '../../services/operators/api-keys.ts';
import type { AppEnv } from './context.ts';

/** What is needed to check a key. */
export type ApiKeyDeps = Parameters<typeof authenticateApiKey>[0];

/** What a key without the scope is told. */
export function scopeMissingText(scope: Scope): string {
  return `This API key lacks the scope ${scope}`;
}

/**
 * Lets a request pass only with a usable key in `x-api-key` that has the scope, and says who acts; otherwise it throws
 * DomainError `invalid_api_key` or `scope_missing`.
 */
export function requireApiKey(deps: ApiKeyDeps, scope: Scope): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const key = await authenticateApiKey(deps, c.req.header('x-api-key'));
    const actor = keyActor(key, c.get('request').requestId);
    if (!allows(actor.scopes, scope)) throw new DomainError({ code: 'scope_missing', scope });
    c.set('actor', actor);
    await next();
  };
}

/** The client behind a request that passed {@link requireApiKey}. */
export function actorOf(c: Context<AppEnv>): KeyActor {
  return c.get('actor');
}
