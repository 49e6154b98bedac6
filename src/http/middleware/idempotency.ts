import { createHash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import type { ServiceContext } from '../../services/context.ts';
import {
  type IdempotencyKey,
  type KeptAnswer,
  type OnceAnswered,
  repeatFirstResponse,
  withIdempotency,
} from '../../services/idempotency.ts';
import type { Prepared } from '../../services/prepared.ts';
import { createSingleFlight } from '../../services/single-flight.ts';
import { actorOf } from './api-key.ts';
import { MAX_DEPTH, nestedTooDeeply, restIfLarge } from './body.ts';
import { type AppEnv, answerText } from './context.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** What is wrong with an idempotency key, or null. */
export function keyProblem(key: string): string | null {
  return KEY.test(key) ? null : 'must have 1 to 255 visible ASCII characters, without spaces';
}

/** The idempotency header, for the API document. */
export const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .optional()
    .openapi({
      description:
        'At most 255 visible characters. The same key and body always get the first response, with `Idempotent-Replayed: true`; ' +
        'the same key with another body is refused with 409.',
      example: 'order-7f3a',
    }),
});

function canonical(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw nestedTooDeeply();
  if (Array.isArray(value)) return value.map((item) => canonical(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, canonical(inner, depth + 1)]));
}

/**
 * A hash of a JSON body that ignores the order of its keys.
 * @throws DomainError `invalid_request` when it is nested too deeply
 */
export function fingerprint(body: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(canonical(body)))
    .digest('hex');
}

/** The text of the idempotency header, or null. @throws DomainError `invalid_request` for a malformed key */
export function sentKey(c: Context<AppEnv>): string | null {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return null;
  const problem = keyProblem(key);
  if (problem !== null) throw new DomainError({ code: 'invalid_request', message: `Idempotency-Key ${problem}` });
  return key;
}

/**
 * The idempotency key of a request, or null without the header. It belongs to the client, for any of its API keys, and
 * to one route. @throws DomainError `invalid_request` for a malformed key
 */
function readIdempotencyKey(c: Context<AppEnv>, body: unknown): IdempotencyKey | null {
  const key = sentKey(c);
  if (key === null) return null;
  return { scope: `client:${actorOf(c).client} ${c.req.method} ${c.req.path}`, key, fingerprint: fingerprint(body) };
}

/** Runs an operation that may be requested several times under a key, and answers each time with its first response. */
export type Once = <Result>(
  key: IdempotencyKey | null,
  render: (result: Result) => KeptAnswer,
  prepare: () => Prepared<Result> | Promise<Prepared<Result>>,
) => Promise<OnceAnswered>;

/**
 * A {@link Once} for the requests of one route.
 * @param deps where responses are saved
 * @param options.hasLooked when each request has just looked for the first response under its key. One that is saved since then
 * is found in the transaction of the operation, or when its preparation is refused.
 */
export function createOnce(deps: ServiceContext, { hasLooked = false } = {}): Once {
  // Concurrent requests under one key would each prepare an effect, and only one is kept.
  const together = createSingleFlight<OnceAnswered>();

  /** Runs the operation, unless another instance has committed it under the same key meanwhile. */
  async function runOnce(key: IdempotencyKey | null, run: () => Promise<OnceAnswered>): Promise<OnceAnswered> {
    const first = hasLooked ? null : await repeatFirstResponse(deps, key);
    if (first !== null) return first;
    try {
      return await run();
    } catch (error) {
      const meanwhile = error instanceof DomainError ? await repeatFirstResponse(deps, key) : null;
      if (meanwhile === null) throw error;
      return meanwhile;
    }
  }

  return async (key, render, prepare) => {
    const request = key && { key: JSON.stringify([key.scope, key.key]), body: key.fingerprint };
    let isOwn = false;
    const answered = await together(request, async () => {
      isOwn = true;
      return await runOnce(key, async () => await withIdempotency(deps, key, { prepared: await prepare(), render }));
    });
    return isOwn ? answered : { ...answered, isFirst: false };
  };
}

/**
 * Middleware and responses for an idempotent route.
 * @param deps where responses are saved
 * @param answering.status of its success
 * @param answering.readsBody false where no body is read: then all requests under a key are the same
 */
export function createIdempotency(
  deps: ServiceContext,
  { status, readsBody }: { readonly status: number; readonly readsBody: boolean },
) {
  // By `replay`.
  const once = createOnce(deps, { hasLooked: true });

  function tell(c: Context<AppEnv>, { isFirst, ...response }: OnceAnswered): Response {
    return answerText(c, { ...response, headers: isFirst ? {} : { 'idempotent-replayed': 'true' } });
  }

  /** Repeats the saved response of an earlier request, before the body is validated. */
  const replay: MiddlewareHandler<AppEnv> = async (c, next) => {
    const key = readIdempotencyKey(c, readsBody ? await c.req.json() : null);
    c.set('idempotencyKey', key);
    await restIfLarge(c);
    const first = await repeatFirstResponse(deps, key);
    return first === null ? await next() : tell(c, first);
  };

  /**
   * Answers with the rendered result of the operation, which is saved in the operation's transaction.
   * @throws DomainError `invalid_request` for a caller whose key is wrong, before anything is done
   */
  async function answer<Result>(
    c: Context<AppEnv>,
    render: (result: Result) => object,
    prepare: () => Prepared<Result> | Promise<Prepared<Result>>,
  ): Promise<Response> {
    const keyFault = c.env?.keyProblem ?? null;
    if (keyFault !== null) throw invalidRequest(keyFault);
    const toText = (result: Result) => ({ status, body: JSON.stringify(render(result)) });
    return tell(c, await once(c.get('idempotencyKey'), toText, prepare));
  }

  return { replay, answer };
}
