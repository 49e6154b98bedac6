import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import type { KeyActor } from '../../domain/actor.ts';
import type { Log } from '../../log.ts';
import type { IdempotencyKey } from '../../services/idempotency.ts';

/** One request and what its answer will carry. */
export interface RequestContext {
  readonly requestId: string;
  /**
   * The answer's headers so far, by lower-case name. They are collected in a plain object because building and copying
   * `Headers` costs more than a whole claim look-up.
   */
  readonly headers: Record<string, string>;
  /** A logger whose lines carry the request id; made when asked for, since most requests need none. */
  readonly log: () => Log;
}

/** Through which server a request came: the one for everybody, or the operators' own. */
export type Door = 'public' | 'operators';

/** What a Hono context of this app holds. Without a socket, as in `app.request()`, there are no bindings. */
export interface AppEnv {
  Bindings: Partial<HttpBindings> & { readonly door?: Door };
  Variables: {
    request: RequestContext;
    /** The client behind the key that was presented, on routes that need one. */
    actor: KeyActor;
    /** On routes that have their effect once for each key; null without a key. */
    idempotencyKey: IdempotencyKey | null;
    /** Where people read the answers: shows an error as a page. */
    errorPage?: (error: HttpResult) => Promise<Response>;
  };
}

export type App = OpenAPIHono<AppEnv>;

/**
 * Sent with every answer. The values of hono's `secureHeaders`, written out because that middleware sets each of them on
 * every response anew. Nothing that is answered here may run scripts, load anything or be framed; the API's document
 * page brings its own policy.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=15552000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** The context of a new request with this id. */
export function createRequestContext(requestId: string, log: Log): RequestContext {
  // Set afterwards: V8 defines what follows a spread slowly.
  const headers: Record<string, string> = { ...SECURITY_HEADERS };
  headers['x-request-id'] = requestId;
  return { requestId, headers, log: () => log.child({ requestId }) };
}

/** An answer before it is written. */
export interface HttpResult {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Writes an answer as JSON, with the request's headers so far. */
export function answer(c: Context<AppEnv>, { body, ...rest }: HttpResult): Response {
  return answerText(c, { ...rest, body: JSON.stringify(body) });
}

/** Writes an answer whose body is JSON text already. */
export function answerText(
  c: Context<AppEnv>,
  { status, body, headers }: HttpResult & { readonly body: string },
): Response {
  const all: Record<string, string> = { ...c.get('request').headers };
  all['content-type'] = 'application/json';
  return new Response(body, { status, headers: headers === undefined ? all : Object.assign(all, headers) });
}

/** Puts the request's headers so far on an answer made by foreign middleware; what that middleware set itself stays. */
export const carryHeaders: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(c.get('request').headers)) {
    if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  }
};
