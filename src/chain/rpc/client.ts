import type { IncomingHttpHeaders } from 'node:http';
import type { Chain } from '../../domain/chains/chain.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { NoteOddAnswer } from '../../domain/platforms/odd-answer.ts';
import { AnswerTooLong, post } from './connections.ts';
import {
  EndpointUnfit,
  type FaultContext,
  isPlainStatus,
  kindOfStatus,
  RpcFault,
  readResult,
  readResults,
  toFault,
  Unreached,
} from './fault.ts';
import { credentialsOf, secretParts } from './rpc-url.ts';

/** An endpoint that asks for more is asked again after this long, so that its header cannot stop the service. */
const MAX_DELAY_MS = 5 * 60_000;
/** How an error names several requests that are sent as one. */
export const SEVERAL = 'a batch';

/** A request of JSON-RPC, without its id. */
export interface RpcRequest {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** Sends requests to one endpoint, which is not trusted to follow the specification: results are unknown. */
export interface RpcClient {
  /** @throws AdapterError */
  one(request: RpcRequest, signal: AbortSignal): Promise<unknown>;
  /**
   * Sends several as one, and answers in their order; an error in place of each that has no answer.
   * @throws AdapterError when they are refused as a whole
   */
  several(requests: readonly RpcRequest[], signal: AbortSignal): Promise<unknown[]>;
}

/** `Retry-After` is in seconds or a date. */
function delayOf(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  const seconds = Number(header);
  const delay = !Number.isNaN(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isNaN(delay) ? undefined : Math.min(Math.max(0, delay), MAX_DELAY_MS);
}

/** User and password of a URL are sent as a header. */
function addressOf(rpcUrl: string) {
  const url = new URL(rpcUrl);
  const credentials = credentialsOf(url);
  const headers = {
    'content-type': 'application/json',
    // Unpacking a short answer takes longer than receiving it uncompressed.
    'accept-encoding': 'identity',
    // Some gateways refuse clients without a user agent.
    'user-agent': 'gigclaim',
    ...(credentials === null ? {} : { authorization: `Basic ${credentials}` }),
  };
  return { origin: url.origin, path: `${url.pathname}${url.search}`, headers };
}

/** Whether a body holds an error of JSON-RPC, which says more than the HTTP status that it came with. */
function hasError(body: unknown): boolean {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
  if (typeof error !== 'object' || error === null) return false;
  return 'code' in error && 'message' in error && typeof error.code === 'number' && typeof error.message === 'string';
}

/** @throws SyntaxError when the body of a success is no JSON; Error when the status is a failure, and the body no JSON-RPC */
function readBody(text: string, status: number): unknown {
  const isOk = status >= 200 && status <= 299;
  let body: unknown = text;
  try {
    body = JSON.parse(text === '' ? '{}' : text);
  } catch (error) {
    if (isOk) throw error;
  }
  if (isOk || hasError(body)) return body;
  throw new Error(`HTTP status ${status}: ${text}`);
}

/** An answer as far as it has come. */
interface Arrived {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Null until the whole body is there. */
  readonly text: string | null;
}

/** Whether a failure tells that an answer was not understood, not that it means a failure. */
function isOdd(fault: AdapterError, { status = 0, text }: Arrived): boolean {
  if (fault instanceof RpcFault) return fault.basis === null;
  if (text === null) return false;
  return status >= 200 && status <= 299 ? fault.reason === 'bad_response' : !isPlainStatus(status);
}

export interface RpcClientOptions {
  readonly chain: Chain;
  /** May hold a key; no message and no cause contains it. */
  readonly rpcUrl: string;
  readonly clock: () => number;
  /** Takes answers that are not understood. */
  readonly note?: NoteOddAnswer | undefined;
}

/** Notes answers of an endpoint that are not understood, each under the method that was asked for. */
export function createEndpointNotes({ chain, rpcUrl, note }: RpcClientOptions) {
  const secrets = secretParts(rpcUrl);
  return (method: string, answer: { status: number; headers?: IncomingHttpHeaders; body: unknown }): void =>
    note?.({
      service: `chain ${chain.key}`,
      method: 'POST',
      path: method,
      headers: {},
      basis: 'status',
      secrets,
      ...answer,
    });
}

/** Nothing is sent before the first request. */
export function createRpcClient(options: RpcClientOptions): RpcClient {
  const { chain, rpcUrl, clock } = options;
  const address = addressOf(rpcUrl);
  const secrets = secretParts(rpcUrl);
  const note = createEndpointNotes(options);
  let lastId = 0;

  // A JSON-RPC error in the body would otherwise hide these statuses and their Retry-After.
  function refuse(status: number, headers: IncomingHttpHeaders): void {
    const redirects = status >= 300 && status < 400;
    if (!redirects && ![401, 402, 403, 429].includes(status)) return;
    throw new EndpointUnfit({
      ...kindOfStatus(status),
      message: `chain ${chain.key}: the endpoint ${redirects ? 'redirects elsewhere' : 'answered'} with HTTP status ${status}`,
      retryAfterMs: delayOf(headers['retry-after'], clock()),
    });
  }

  async function exchange<T>(
    { body, method, signal }: { body: object; method: string; signal: AbortSignal },
    read: (answer: unknown, context: FaultContext) => T,
  ): Promise<T> {
    let arrived: Arrived = { status: undefined, headers: {}, text: null };
    const onStatus = (status: number, headers: IncomingHttpHeaders) => {
      arrived = { status, headers, text: null };
      refuse(status, headers);
    };
    const context = () => ({ chainKey: chain.key, method, secrets, status: arrived.status });
    try {
      const text = await post({ ...address, body: JSON.stringify(body), signal, onStatus }).catch((cause: unknown) => {
        throw cause instanceof AdapterError || cause instanceof AnswerTooLong
          ? cause
          : new Unreached('no answer', { cause });
      });
      arrived = { ...arrived, text };
      return read(readBody(text, arrived.status ?? 0), context());
    } catch (error) {
      const fault = toFault(error, context());
      const { status = 0, headers, text } = arrived;
      if (isOdd(fault, arrived)) note(method, { status, headers, body: text });
      throw fault;
    }
  }

  return {
    one(request, signal) {
      lastId += 1;
      return exchange({ body: { jsonrpc: '2.0', id: lastId, ...request }, method: request.method, signal }, readResult);
    },
    several(requests, signal) {
      const body = requests.map((request, id) => ({ jsonrpc: '2.0', id, ...request }));
      const methods = requests.map(({ method }) => method);
      return exchange({ body, method: SEVERAL, signal }, (answer, context) => {
        const results = readResults(answer, methods, context);
        for (const [place, fault] of results.entries()) {
          if (!(fault instanceof RpcFault) || fault.basis !== null) continue;
          const { code, text: message, data } = fault;
          note(methods[place] ?? SEVERAL, { status: context.status ?? 0, body: { error: { code, message, data } } });
        }
        return results;
      });
    },
  };
}
