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
export interface PostRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For all of the answer that is read, milliseconds. */
  readonly timeoutMs: number;
  /** Who is asked, at the beginning of the words about a failure: `the verifier`. */
  readonly who: string;
  /** Ends the request early. */
  readonly stop?: AbortSignal | undefined;
  /** How connections are made; as Node makes them when absent. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** A request whose answer is read. */
export interface QuestionRequest extends PostRequest {
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

async function readBody(response: Response, { who, maxBytes }: QuestionRequest): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw postFailure(who, 'bad_response', 'answered too much');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
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

/** Posts once. `take` reads an answer that is wanted, and returns null for another one. */
async function post<Taken>(
  url: string,
  { who, timeoutMs, headers, body, stop, fetch: send = fetch }: PostRequest,
  take: (response: Response) => Promise<Taken> | null,
): Promise<Taken> {
  using limit = limitTime(timeoutMs, stop);
  const { signal } = limit;
  try {
    const response = await send(url, { method: 'POST', headers, body, redirect: 'manual', signal });
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
 * Posts once. Redirects are not followed: one could lead to an address that nobody allowed.
 * @returns the status and the text of an answer that `isWanted`
 * @throws AdapterError when there is no such answer; its message never holds the URL
 */
export async function postOnce(
  url: string,
  request: QuestionRequest,
  isWanted: (status: number) => boolean,
): Promise<{ status: number; text: string }> {
  return await post(url, request, (response) => {
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
  { timeoutMs = ANSWER_MS, ...message }: Omit<PostRequest, 'timeoutMs'> & { readonly timeoutMs?: number | undefined },
): Promise<number> {
  return await post(url, { ...message, timeoutMs }, (response) => (response.ok ? dropBody(response) : null));
}
