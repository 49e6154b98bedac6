import type { Agent } from 'undici';
import { type CustomTransport, custom, HttpRequestError, ResponseBodyTooLargeError, RpcRequestError } from 'viem';
import { AdapterError } from '../../domain/errors.ts';
import { credentialsOf } from './rpc-url.ts';

/** The largest answer that is read, in bytes: more than any list of events that is asked for. */
const MAX_BODY_BYTES = 10 * 2 ** 20;

/** What undici says of an answer that is larger than that. */
const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';

/** How many connections to each origin have ended. */
const ended = new Map<string, number>();

async function openAgent(): Promise<Agent> {
  const undici = await import('undici');
  const agent = new undici.Agent({
    maxResponseSize: MAX_BODY_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  });
  agent.on('disconnect', ({ origin }) => ended.set(origin, (ended.get(origin) ?? 0) + 1));
  return agent;
}

let opening: Promise<Agent> | undefined;

/**
 * One for all endpoints: connections stay open between questions. What a question may take is for its signal to say.
 * Loaded with the first question, because a start is 40 ms shorter without it.
 */
function sharedAgent(): Promise<Agent> {
  opening ??= openAgent();
  return opening;
}

/** Counts the connections to an endpoint that have ended: another count means that behind the next may be another server. */
export function countDisconnects(rpcUrl: string): () => number {
  const { origin } = new URL(rpcUrl);
  return () => ended.get(origin) ?? 0;
}

/** What an endpoint answered, before anybody has looked into the body. */
export interface HttpAnswer {
  readonly status: number;
  /** `Retry-After` as it came. */
  readonly retryAfter: string | null;
}

interface ReadAnswer extends HttpAnswer {
  /** Some pack what they were asked to send as it is. */
  readonly packedAs: string | undefined;
  readonly text: string;
}

/** Where an endpoint is asked, and as whom: user and password of a URL are sent as a header. */
function placeOf(rpcUrl: string) {
  const url = new URL(rpcUrl);
  const credentials = credentialsOf(url);
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    headers: {
      accept: 'application/json',
      // Short answers take longer to unpack than to send.
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      // Some gateways refuse whoever does not say what it is.
      'user-agent': 'gigclaim',
      ...(credentials === null ? {} : { authorization: `Basic ${credentials}` }),
    },
  };
}

/** The body as JSON, and undefined when it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What viem's errors say of the question. */
interface Context {
  readonly body: Record<string, unknown>;
  readonly url: string;
}

interface RpcError {
  readonly code: number;
  readonly message: string;
}

function isRpcError(error: unknown): error is RpcError {
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error)) return false;
  return typeof error.code === 'number' && typeof error.message === 'string';
}

/** What ended a question before there was an answer, as viem says it. */
function failure(cause: unknown, context: Context): Error {
  if (cause instanceof AdapterError) return cause;
  if (cause instanceof Error && 'code' in cause && cause.code === TOO_LARGE) {
    return new ResponseBodyTooLargeError({ maxSize: MAX_BODY_BYTES, size: MAX_BODY_BYTES + 1 });
  }
  return new HttpRequestError({ ...context, ...(cause instanceof Error ? { cause } : {}) });
}

/** What an answer holds as its result; otherwise the error of viem that says what it is instead. */
function resultOf({ status, packedAs, text }: ReadAnswer, context: Context): unknown {
  const answer = parsed(text);
  const isObject = typeof answer === 'object' && answer !== null;
  const error = isObject && 'error' in answer ? answer.error : null;
  // Some endpoints answer an error of JSON-RPC with HTTP status 400 or 500: what it says is worth more.
  if (isRpcError(error)) throw new RpcRequestError({ ...context, error });
  if (status < 200 || status > 299) throw new HttpRequestError({ ...context, status });
  if (answer === undefined) {
    const cause = new SyntaxError(
      packedAs === undefined ? 'not JSON' : `packed as ${packedAs}, which was not asked for`,
    );
    throw new HttpRequestError({ ...context, cause });
  }
  if (error) throw new RpcRequestError({ ...context, error: { code: 0, message: JSON.stringify(error) } });
  if (!isObject || !('result' in answer)) throw new Error('neither a result nor an error');
  return answer.result;
}

/**
 * JSON-RPC over HTTP for a client of viem. Redirects are never followed and nothing is sent a second time. `onAnswer` sees
 * every answer before its body is read, and what it throws ends the question. Throws viem's errors otherwise.
 *
 * viem's own transport asks by `fetch`, which takes 330 µs of processor time for a question, most of it in streams and
 * their promises; the same connections without `fetch` take 50 to 90, and a payment asks seven.
 */
export function overHttp(rpcUrl: string, onAnswer: (answer: HttpAnswer) => void): CustomTransport {
  const place = placeOf(rpcUrl);
  let lastId = 0;

  async function post(body: string, signal: AbortSignal | null): Promise<ReadAnswer> {
    const agent = await sharedAgent();
    const response = await agent.request({ ...place, method: 'POST', body, signal });
    const { statusCode, headers } = response;
    const answer = { status: statusCode, retryAfter: headers['retry-after']?.toString() ?? null };
    try {
      onAnswer(answer);
    } catch (error) {
      // Its end may never come. What destroying it throws says nothing more.
      response.body.on('error', () => undefined).destroy();
      throw error;
    }
    return { ...answer, packedAs: headers['content-encoding']?.toString(), text: await response.body.text() };
  }

  async function request(question: { method: string; params?: unknown }, options?: { signal?: AbortSignal }) {
    lastId += 1;
    const body = { jsonrpc: '2.0', id: lastId, ...question };
    const context = { body, url: rpcUrl };
    const answer = await post(JSON.stringify(body), options?.signal ?? null).catch((cause: unknown) => {
      throw failure(cause, context);
    });
    return resultOf(answer, context);
  }

  return custom({ request }, { retryCount: 0 });
}
