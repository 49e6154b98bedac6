import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import type { KeyActor } from '../../domain/operators/actor.ts';
import type { Log } from '../../log.ts';
import type { IdempotencyKey } from '../../services/idempotency.ts';
import type { ErrorForPeople } from '../errors/error-words.ts';

/** One request and its response's headers so far. */
export interface RequestContext {
  readonly requestId: string;
  /**
   * The response headers so far, by lower-case name. A plain object, because building and copying `Headers` costs more
   * than a whole claim look-up.
   */
  readonly headers: Record<string, string>;
  /** A logger whose lines carry the request id; created on demand, since most requests need none. */
  readonly log: () => Log;
}

/** The server that received a request: the public one, or the operators' own. */
export type Door = 'public' | 'operators';

/** The types of a Hono context of this app. Without a socket, as in `app.request()`, there are no bindings. */
export interface AppEnv {
  Bindings: Partial<HttpBindings> & {
    readonly door?: Door;
    /** A request of the service to itself on behalf of a caller whose own request is counted already. */
    readonly isInner?: boolean;
    /** Of an inner request: what is wrong with its idempotency key, a sentence. A request that is otherwise valid is refused with it. */
    readonly keyProblem?: string | null;
  };
  Variables: {
    request: RequestContext;
    /** The client behind the key that was presented, on routes that need one. */
    actor: KeyActor;
    /** On idempotent routes; null without a key. */
    idempotencyKey: IdempotencyKey | null;
    /** Renders an error as a page, on routes that serve pages. */
    errorPage?: (error: ErrorForPeople) => Promise<Response>;
  };
}

export type App = OpenAPIHono<AppEnv>;

/**
 * Sent with every response. The values of hono's `secureHeaders`, which would set each of them anew on every response.
 * No response may run scripts, load anything or be framed; the API reference has its own policy.
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
  // Assigned after the spread: V8 is slow at properties that follow one.
  const headers: Record<string, string> = { ...SECURITY_HEADERS };
  headers['x-request-id'] = requestId;
  return { requestId, headers, log: () => log.child({ requestId }) };
}

export interface HttpResult {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Answers with JSON and the request's headers so far. */
export function answer(c: Context<AppEnv>, { body, ...rest }: HttpResult): Response {
  return answerText(c, { ...rest, body: JSON.stringify(body) });
}

/** Answers with a body that is JSON text already. */
export function answerText(
  c: Context<AppEnv>,
  { status, body, headers }: HttpResult & { readonly body: string },
): Response {
  const all: Record<string, string> = { ...c.get('request').headers };
  all['content-type'] = 'application/json';
  return new Response(body, { status, headers: headers === undefined ? all : Object.assign(all, headers) });
}

/** Adds the request's headers so far to a response of foreign middleware, whose own headers take precedence. */
export const carryHeaders: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(c.get('request').headers)) {
    if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  }
};
