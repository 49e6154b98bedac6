import { AdapterError, type AdapterReason } from './domain/errors.ts';
import { retryAfter } from './domain/time.ts';
import { limitTime } from './time-limit.ts';

/**
 * The machine's time in epoch milliseconds, with which receivers compare that of a signature. The sandbox moves the service's clock,
 * `Date.now`, and nothing else.
 */
// biome-ignore lint/complexity/useDateNow: that is the clock which may be moved.
export const machineTime = (): number => new Date().getTime();

/** A request to a program whose URL the operator or a client has set. */
export interface OutboundRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** Posted; the request is a GET when it is absent. */
  readonly body?: string;
  /** For all of the answer that is read, milliseconds. */
  readonly timeoutMs: number;
  /** Who is asked, at the beginning of the words about a failure: `the verifier`. */
  readonly who: string;
  readonly stop?: AbortSignal | undefined;
  /** How connections are made; as Node makes them when absent. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** A request whose answer is read. */
export interface QuestionRequest extends OutboundRequest {
  /** No more of the answer is read. */
  readonly maxBytes: number;
}

/** A connection that was refused on this side. The message is a clause. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused';
}

/** Why a connection was refused; null when it was not. */
function refusalOf(error: unknown): ConnectionRefused | null {
  if (error instanceof ConnectionRefused) return error;
  return error instanceof Error && error.cause !== undefined ? refusalOf(error.cause) : null;
}

/** A failure of such a program. */
export function postFailure(who: string, reason: AdapterReason, message: string, cause?: unknown): AdapterError {
  return new AdapterError({ retry: 'safe', reason, message: `${who} ${message}`, cause });
}

/** The body of an answer; null when it is longer than `maxBytes`, and then the rest is not read. */
async function readWithin(response: Response, maxBytes: number): Promise<Buffer<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function readBody(response: Response, { who, maxBytes }: QuestionRequest): Promise<string> {
  const body = await readWithin(response, maxBytes);
  if (body === null) throw postFailure(who, 'bad_response', 'answered too much');
  return body.toString('utf8');
}

const BODILESS: readonly number[] = [204, 205, 304];

/** `fetch` for a library that limits neither time nor size: it returns when the whole answer is there. Redirects are not followed. */
export function createBoundedFetch({
  timeoutMs,
  maxBytes,
}: {
  /** For the whole answer, milliseconds. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
}): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    using limit = limitTime(timeoutMs, init?.signal ?? undefined);
    const response = await fetch(input, { ...init, redirect: 'manual', signal: limit.signal });
    const body = await readWithin(response, maxBytes);
    if (body === null) throw new RangeError(`the answer has more than ${maxBytes} bytes`);
    const { status, headers } = response;
    return new Response(BODILESS.includes(status) ? null : body, { status, headers });
  };
}

/** The statuses that may say when to ask again. */
const BUSY = [429, 503];

/** What a status that was not wanted says; a date in it is by the clock of the answer itself. */
function statusFailure(who: string, { status, headers }: Response): AdapterError {
  const retryAfterMs = BUSY.includes(status)
    ? retryAfter(headers.get('retry-after') ?? '', Date.parse(headers.get('date') ?? ''))
    : undefined;
  const message = `${who} answered with status ${status}`;
  return new AdapterError({ retry: 'safe', reason: 'server_error', message, status, retryAfterMs });
}

/** Asks once. `take` reads an answer that is wanted, and returns null for another one. */
async function ask<Taken>(
  url: string,
  { who, timeoutMs, headers, body, stop, fetch: send = fetch }: OutboundRequest,
  take: (response: Response) => Promise<Taken> | null,
): Promise<Taken> {
  using limit = limitTime(timeoutMs, stop);
  const { signal } = limit;
  try {
    const method = body === undefined ? 'GET' : 'POST';
    const response = await send(url, { method, headers, body: body ?? null, redirect: 'manual', signal });
    const taking = take(response);
    if (taking !== null) return await taking;
    await response.body?.cancel();
    throw statusFailure(who, response);
  } catch (cause) {
    if (cause instanceof AdapterError) throw cause;
    if (stop?.aborted === true) throw postFailure(who, 'timeout', 'did not answer before the service stopped');
    if (signal.aborted) throw postFailure(who, 'timeout', `did not answer within ${timeoutMs} ms`);
    const refusal = refusalOf(cause);
    if (refusal !== null) throw postFailure(who, 'forbidden', refusal.message);
    throw postFailure(who, 'unreachable', 'cannot be reached', cause);
  }
}

/**
 * Asks once. Redirects are not followed: one could lead to an address that nobody allowed.
 * @returns the status and the text of an answer that `isWanted`
 * @throws AdapterError when there is no such answer; its message never holds the URL
 */
export async function requestOnce(
  url: string,
  request: QuestionRequest,
  isWanted: (status: number) => boolean,
): Promise<{ status: number; text: string }> {
  return await ask(url, request, (response) => {
    const { status } = response;
    return isWanted(status) ? readBody(response, request).then((text) => ({ status, text })) : null;
  });
}

/** For the head of an answer. */
const ANSWER_MS = 10_000;

async function dropBody({ status, body }: Response): Promise<number> {
  // The status has said all: a body that breaks off changes nothing.
  await body?.cancel().catch(() => undefined);
  return status;
}

/**
 * Posts a message once, to a receiver whose status says whether it has arrived. The body of the answer is not read.
 * @returns the status @throws AdapterError unless that is a success, with the wait that a 429 or 503 asks for
 */
export async function postMessage(
  url: string,
  {
    timeoutMs = ANSWER_MS,
    ...message
  }: Omit<OutboundRequest, 'timeoutMs'> & { readonly timeoutMs?: number | undefined },
): Promise<number> {
  return await ask(url, { ...message, timeoutMs }, (response) => (response.ok ? dropBody(response) : null));
}
