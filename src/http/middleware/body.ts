import { setImmediate } from 'node:timers/promises';
import type { Context, MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { DomainError } from '../../domain/errors.ts';
import { type ExactJson, parseExactJson } from '../../domain/exact-json.ts';
import { HttpError } from '../errors/http-error.ts';
import type { AppEnv } from './context.ts';

export const MAX_BODY_BYTES = 64 * 1024;

/** A body from which on what is done with it is divided: to parse it, to hash it and to validate it take some milliseconds each. */
const LARGE_BYTES = 8 * 1024;
/** A look-up is answered in about as many. */
const TURNS_BETWEEN = 4;

/** How deep a JSON body may be nested: far deeper than any valid request; each level uses stack. */
export const MAX_DEPTH = 100;

/** The refusal of a JSON body that is nested more deeply than {@link MAX_DEPTH}. */
export function nestedTooDeeply(): DomainError {
  return new DomainError({
    code: 'invalid_request',
    message: `Body is nested more than ${MAX_DEPTH} levels deep`,
  });
}

/** Whether a parsed body is nested more deeply than {@link MAX_DEPTH}. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth >= MAX_DEPTH || Object.values(value).some((inner) => isTooDeep(inner, depth + 1));
}

async function collect(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > limit) throw new HttpError({ code: 'body_too_large', limit });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

let turns: Promise<unknown> = Promise.resolve();

/**
 * Lets the event loop turn when a body is a large one, before more is done with it. Of many such requests one goes on in a
 * turn, and others are answered in the turns between.
 */
async function restIfLong(text: string): Promise<void> {
  if (text.length <= LARGE_BYTES) return;
  for (let turn = 0; turn < TURNS_BETWEEN; turn += 1) turns = turns.then(() => setImmediate());
  await turns;
}

/** As {@link restIfLong}, for the body of a request that was read. */
export async function restIfLarge(c: Context<AppEnv>): Promise<void> {
  await restIfLong(await c.req.text());
}

/** @throws HttpError `body_encoded` when the body is compressed: its bytes would be taken for text */
function refuseEncoded(c: Context<AppEnv>): void {
  const encoding = c.req.header('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') throw new HttpError({ code: 'body_encoded' });
}

/**
 * The raw bytes of a request's body. A body with an announced length that is too long is refused unread; others are
 * counted while they arrive.
 * @throws HttpError `body_too_large`, `body_encoded`, or `body_unreadable` when the client disconnected
 */
export async function readBody(c: Context<AppEnv>, limit = MAX_BODY_BYTES): Promise<Uint8Array> {
  refuseEncoded(c);
  const announced = c.req.header('content-length');
  if (announced !== undefined && Number(announced) > limit) {
    throw new HttpError({ code: 'body_too_large', limit });
  }
  try {
    // Node's parser enforces the announced length.
    if (announced !== undefined) return new Uint8Array(await c.req.arrayBuffer());
    return c.req.raw.body === null ? new Uint8Array() : await collect(c.req.raw.body, limit);
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
 * only declared JSON. Numbers that lose digits are refused by the fields they are for, see {@link parseExactJson}. Throws DomainError `invalid_request` when it is not JSON, HttpError as {@link readBody}.
 * @param example a valid body, for the error
 */
export function requireJson(example: string): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const text = new TextDecoder().decode(await readBody(c));
    await restIfLong(text);
    let body: ExactJson;
    try {
      body = parseExactJson(text);
    } catch (error) {
      // What stands too deep for the stack is deeper than a body may be.
      if (error instanceof RangeError) throw nestedTooDeeply();
      const message = `Body is not valid JSON: send ${example}`;
      throw new DomainError({ code: 'invalid_request', message });
    }
    // The library parses the text again.
    const exact = body.hasInexact ? JSON.stringify(body.value) : text;
    Object.assign(c.req.bodyCache, { text: Promise.resolve(exact) });
    c.req.raw.headers.set('content-type', 'application/json');
    await restIfLong(exact);
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
