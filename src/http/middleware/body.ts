import type { Context, MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { DomainError } from '../../domain/errors.ts';
import type { AppEnv } from './context.ts';
import { HttpError } from './errors.ts';

/** The largest accepted body, in bytes. */
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
 * The raw bytes of a request's body. A body with an announced length that is too long is refused unread; others are
 * counted while they arrive.
 * @throws HttpError `body_too_large`, or `body_unreadable` when the client disconnected
 */
export async function readBody(c: Context<AppEnv>): Promise<Uint8Array> {
  const announced = c.req.header('content-length');
  if (announced !== undefined && Number(announced) > MAX_BODY_BYTES) {
    throw new HttpError({ code: 'body_too_large', limit: MAX_BODY_BYTES });
  }
  try {
    // Node's parser enforces the announced length.
    if (announced !== undefined) return new Uint8Array(await c.req.arrayBuffer());
    return c.req.raw.body === null ? new Uint8Array() : await collect(c.req.raw.body);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    c.get('request')
      .log()
      .info({ reason: String(error) }, 'request body was cut off');
    throw new HttpError({ code: 'body_unreadable' });
  }
}

/**
 * Passes the body on as JSON, regardless of its Content-Type: published clients send none, and route validators read
 * only declared JSON. Throws DomainError `invalid_request` when it is not JSON, HttpError as {@link readBody}.
 * @param example a valid body, for the error
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

/** Answers with JSON, typed so that a route's handler matches the route's document. */
export function answerJson<const Body extends object, Status extends ContentfulStatusCode>(
  c: Context<AppEnv>,
  body: Body,
  status: Status,
) {
  return c.json(body, status, c.get('request').headers);
}
