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
  const { who, timeoutMs, headers, body } = request;
  using limit = limitTime(timeoutMs, request.stop);
  const { signal } = limit;
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    const { status } = response;
    if (isWanted(status)) return { status, text: await readBody(response, request) };
    await response.body?.cancel();
    throw postFailure(who, 'server_error', `answered with status ${status}`);
  } catch (cause) {
    if (cause instanceof AdapterError) throw cause;
    if (request.stop?.aborted === true) throw postFailure(who, 'timeout', 'did not answer before the service stopped');
    if (signal.aborted) throw postFailure(who, 'timeout', `did not answer within ${timeoutMs} ms`);
    throw postFailure(who, 'unreachable', 'cannot be reached', cause);
  }
}
