import type { Context, MiddlewareHandler } from 'hono';
import { allows, type KeyActor, type Scope } from '../../domain/actor.ts';
import { keyActor } from '../../domain/api-key.ts';
import { DomainError } from '../../domain/errors.ts';
import { authenticateApiKey } from '../../services/operators/api-keys.ts';
import type { AppEnv } from './context.ts';

export type ApiKeyDeps = Parameters<typeof authenticateApiKey>[0];

/** The error text for a key without the scope. */
export function scopeMissingText(scope: Scope): string {
  return `This API key lacks the scope ${scope}`;
}

/**
 * Requires a usable key in `x-api-key` with the scope, and sets the actor. Throws DomainError `invalid_api_key` or
 * `scope_missing`.
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

/** The client of a request that passed {@link requireApiKey}. */
export function actorOf(c: Context<AppEnv>): KeyActor {
  return c.get('actor');
}
