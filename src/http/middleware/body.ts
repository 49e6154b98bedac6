import type { Context, MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { DomainError } from '../../domain/errors.ts';
import type { AppEnv } from './context.ts';
import { HttpError } from './errors.ts';

/** The largest body that is read, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new HttpError({ code: 'body_too_large', limit: MAX_BODY_BYTES });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The raw bytes of a request's body. A body that announces its length is refused unread when it is too long; any other
 * is counted while it comes in.
 * @throws HttpError `body_too_large`, or `body_unreadable` when the caller went away in the middle
 */
export async function readBody(c: Context<AppEnv>): Promise<Uint8Array> {
  const announced = c.req.header('content-length');
  if (announced !== undefined && Number(announced) > MAX_BODY_BYTES) {
    throw new HttpError({ code: 'body_too_large', limit: MAX_BODY_BYTES });
  }
  try {
    // Node's parser holds the caller to the announced length.
    if (announced !== undefined) return new Uint8Array(await c.req.arrayBuffer());
    return c.req.raw.body === null ? new Uint8Array() : await collect(c.req.raw.body);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    c.get('request')
      .log()
      .info({ reason: String(error) }, 'body broke off');
    throw new HttpError({ code: 'body_unreadable' });
  }
}

/**
 * Hands the body on as JSON, whatever its Content-Type says: published clients send none, and the validators of routes read
 * only what is declared to be JSON. Throws DomainError `invalid_request` when it is none, HttpError as {@link readBody}.
 * @param example what a right body looks like, for the error
 */
export function requireJson(example: string): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const text = new TextDecoder().decode(await readBody(c));
    try {
      JSON.parse(text);
    } catch {
      const message = `Body is not valid JSON: send ${example}`;
      throw new DomainError({ code: 'invalid_request', message });
    }
    Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
    c.req.raw.headers.set('content-type', 'application/json');
    await next();
  };
}

/** Answers with JSON, and tells the compiler what, so that a route's handler fits the route's document. */
export function answerJson<const Body extends object, Status extends ContentfulStatusCode>(
  c: Context<AppEnv>,
  body: Body,
  status: Status,
) {
  return c.json(body, status, c.get('request').headers);
}
