import { type RouteConfig, z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { Scope } from '../../domain/operators/actor.ts';
import type { HttpContext } from '../context.ts';
import { requireApiKey } from '../middleware/api-key.ts';
import { MAX_BODY_BYTES, requireJson } from '../middleware/body.ts';
import type { AppEnv } from '../middleware/context.ts';
import { idempotencyHeader } from '../middleware/idempotency.ts';
import { type Cause, jsonResponse, refusals } from './schemas.ts';

type Middleware = MiddlewareHandler<AppEnv>;

/** What the success of an operation is. */
interface AnswerTerms {
  readonly status: 200 | 201 | 202 | 204;
  /** In the document. */
  readonly says: string;
  /** Of its JSON. */
  readonly schema?: z.ZodType;
  /** Of a text that is no JSON. */
  readonly type?: 'text/csv' | 'text/plain';
}

/** What a route of the API and its place in the document are made of. */
export interface RouteTerms {
  readonly id: string;
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** As Hono reads it. */
  readonly path: `/api/${string}`;
  readonly tag: 'Claims' | 'Gigs' | 'Events';
  /** What an API key needs for it; null for a public operation. */
  readonly scope: Scope | null;
  /** Where a part of the operation is public: asks for the key where it is needed, by what requires it. */
  readonly keyIfNeeded?: (requireKey: Middleware) => Middleware;
  readonly summary: string;
  readonly description: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: {
    readonly schema: z.ZodType;
    /** A valid body as JSON, which the refusal of a malformed one shows. */
    readonly sample: string;
  };
  readonly answer: AnswerTerms;
  /** What it refuses, beyond what every operation of its kind refuses. */
  readonly refuses?: readonly Cause[];
  /** Whether it takes the Idempotency-Key; those that have `prepare` do. */
  readonly takesKey?: true;
  /** Limits it further than all of the API. */
  readonly limit?: (deps: HttpContext) => Middleware;
  /** For those that agents are offered as tools: the place among the tools, which stays, and whether it cannot be undone. */
  readonly mcp?: { readonly place: number; readonly isFinal?: true };
}

/** Whether everybody may do it, or a part of it, without a key. */
export function isPublic({ scope, keyIfNeeded }: RouteTerms): boolean {
  return scope === null || keyIfNeeded !== undefined;
}

/** What every operation of this kind refuses. */
function commonRefusals({ scope, body }: RouteTerms, isOnce: boolean): Cause[] {
  return [
    ...(scope === null ? [] : ([{ code: 'invalid_api_key' }, { code: 'scope_missing', scope }] as const)),
    ...(isOnce && body ? ([{ code: 'key_reused' }] as const) : []),
    ...(body
      ? ([
          `Body is not valid JSON: send ${body.sample}`,
          { code: 'body_too_large', limit: MAX_BODY_BYTES },
          { code: 'body_encoded' },
        ] as const)
      : []),
    { code: 'rate_limited', limit: 100, retryAfter: 42 },
    { code: 'internal' },
  ];
}

/** The document's description of what an operation needs. */
function securityOf({ scope, keyIfNeeded }: RouteTerms) {
  if (scope === null) return { security: [] };
  return { security: [...(keyIfNeeded ? [{}] : []), { apiKey: [] }], 'x-required-scope': scope };
}

function successOf({ says, schema, type }: AnswerTerms) {
  if (schema) return jsonResponse(says, schema);
  return { description: says, ...(type && { content: { [type]: { schema: z.string() } } }) };
}

/** The route of an operation, which is also its description in the document. @param isOnce whether it runs once for a key */
export function routeOf(terms: RouteTerms, isOnce: boolean): RouteConfig {
  const { id, method, path, tag, summary, description, params, query, body, answer, refuses = [] } = terms;
  return {
    method,
    path,
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...securityOf(terms),
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...((isOnce || terms.takesKey) && { headers: idempotencyHeader }),
      ...(body && { body: { required: true, content: { 'application/json': { schema: body.schema } } } }),
    },
    responses: {
      [answer.status]: successOf(answer),
      ...refusals([...refuses, ...commonRefusals(terms, isOnce)]),
    },
  };
}

/** What a request passes in this order before its parameters and its body are validated: its key, its limit, its JSON. */
export function middlewareOf({ scope, keyIfNeeded, limit, body }: RouteTerms, deps: HttpContext): Middleware[] {
  const requireKey = scope && requireApiKey(deps, scope);
  return [
    ...(requireKey ? [keyIfNeeded?.(requireKey) ?? requireKey] : []),
    ...(limit ? [limit(deps)] : []),
    ...(body ? [requireJson(body.sample)] : []),
  ];
}
