import { AdapterError, type AdapterReason } from './domain/errors.ts';
import { limitTime } from './time-limit.ts';

/** A request to a program whose URL the operator or a client has set. */
export interface PostRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the whole answer, milliseconds. */
  readonly timeoutMs: number;
  /** No more of the answer is read. */
  readonly maxBytes: number;
  /** Who is asked, at the beginning of the words about a failure: `the verifier`. */
  readonly who: string;
  /** Ends the request early. */
  readonly stop?: AbortSignal | undefined;
  /** How connections are made; as Node makes them when absent. */
  readonly fetch?: typeof globalThis.fetch | undefined;
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

async function readBody(response: Response, { who, maxBytes }: PostRequest): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw postFailure(who, 'bad_response', 'answered too much');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Posts once. Redirects are not followed: one could lead to an address that nobody allowed.
 * @returns the status and the text of an answer that `isWanted`
 * @throws AdapterError when there is no such answer; its message never holds the URL
 */
export async function postOnce(
  url: string,
  request: PostRequest,
  isWanted: (status: number) => boolean,
): Promise<{ status: number; text: string }> {
  const { who, timeoutMs, headers, body, fetch: send = fetch } = request;
  using limit = limitTime(timeoutMs, request.stop);
  const { signal } = limit;
  try {
    const response = await send(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    const { status } = response;
    if (isWanted(status)) return { status, text: await readBody(response, request) };
    await response.body?.cancel();
    const message = `${who} answered with status ${status}`;
    throw new AdapterError({ retry: 'safe', reason: 'server_error', message, status });
  } catch (cause) {
    if (cause instanceof AdapterError) throw cause;
    if (request.stop?.aborted === true) throw postFailure(who, 'timeout', 'did not answer before the service stopped');
    if (signal.aborted) throw postFailure(who, 'timeout', `did not answer within ${timeoutMs} ms`);
    const refusal = refusalOf(cause);
    if (refusal !== null) throw postFailure(who, 'forbidden', refusal.message);
    throw postFailure(who, 'unreachable', 'cannot be reached', cause);
  }
}

/** For a whole answer. */
const ANSWER_MS = 10_000;
/** Answers say no more than that the message has arrived. */
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Posts a message once, to a receiver whose answer says no more than that it has arrived.
 * @returns the status @throws AdapterError unless that is a success
 */
export async function postMessage(
  url: string,
  {
    timeoutMs = ANSWER_MS,
    ...message
  }: Omit<PostRequest, 'timeoutMs' | 'maxBytes'> & { readonly timeoutMs?: number | undefined },
): Promise<number> {
  const request = { ...message, timeoutMs, maxBytes: MAX_ANSWER_BYTES };
  return (await postOnce(url, request, (status) => status >= 200 && status <= 299)).status;
}
