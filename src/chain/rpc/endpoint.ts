import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { getHttpRpcClient } from 'viem/utils';
import type { Chain } from '../../domain/chains/chain.ts';
import { AdapterError, type FaultKind } from '../../domain/errors.ts';
import type { Address } from '../../domain/gigs/token.ts';
import { limitTime } from '../../time-limit.ts';
import { isBytes, isTooLong } from './bytes.ts';
import { countDisconnects, fetchCounted } from './connections.ts';
import { kindOfStatus, OtherChain, readResult, readResults, toFault } from './fault.ts';
import { credentialsOf, secretParts } from './rpc-url.ts';

const BACKOFF_MS = 200;
/** An endpoint that asks for more is asked again after this long, so that its header cannot stop the service. */
const MAX_DELAY_MS = 5 * 60_000;
const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
/** How an error names several requests that were sent as one. */
const BATCH = 'a batch';

/** A block's number, the newest one, what the node would put on top of it from its pool, or one that the chain keeps. */
export type BlockTag = Hex | 'latest' | 'pending' | 'safe' | 'finalized';

/** An authorization of EIP-7702 within a simulated transaction. */
export interface SimulatedAuthorization {
  readonly address: Address;
  readonly chainId: Hex;
  readonly nonce: Hex;
  readonly r: Hex;
  readonly s: Hex;
  readonly yParity: Hex;
}

/** Code that accounts have in a simulation, instead of their own. */
export type CodeOverrides = Readonly<Record<Address, { readonly code: Hex }>>;

/** A simulated transaction. Without a gas price the sender needs no balance for gas. */
export interface Simulated {
  readonly from?: Address;
  readonly to: Address;
  readonly data?: Hex;
  readonly value?: Hex;
  readonly gas?: Hex;
  readonly type?: '0x4';
  readonly authorizationList?: readonly SimulatedAuthorization[];
}

/** Code that runs once as if it were being deployed; what it returns is the result. */
export interface Undeployed {
  readonly data: Hex;
}

/** Which events, of which contracts, in which blocks, both ends included. An item of each list must match. */
export interface LogFilter {
  readonly address: Address[];
  readonly topics: [Hex, ...Hex[][]];
  readonly fromBlock: Hex;
  readonly toBlock: Hex;
}

/** A request whose result is one number. */
export type QuantityRead =
  | { method: 'eth_chainId' }
  | { method: 'eth_blockNumber' }
  | { method: 'eth_getBalance'; params: [Address, BlockTag] }
  | { method: 'eth_estimateGas'; params: [Simulated, BlockTag] }
  | { method: 'eth_getTransactionCount'; params: [Address, BlockTag] }
  | { method: 'eth_getStorageAt'; params: [Address, Hex, BlockTag] }
  | { method: 'eth_maxPriorityFeePerGas' }
  | { method: 'eth_gasPrice' };

/** A request whose result is bytes. */
export type DataRead =
  | { method: 'eth_getCode'; params: [Address, BlockTag] }
  | {
      method: 'eth_call';
      params: [Simulated, BlockTag] | [Simulated, BlockTag, CodeOverrides] | [Undeployed, BlockTag];
    };

/** A request whose result is an object, a list of them, or null. */
export type RecordRead =
  | { method: 'eth_getBlockByNumber'; params: [BlockTag, boolean] }
  | { method: 'eth_getTransactionByHash'; params: [Hex] }
  | { method: 'eth_getTransactionReceipt'; params: [Hex] }
  | { method: 'eth_getLogs'; params: [LogFilter] }
  | { method: 'eth_feeHistory'; params: [Hex, BlockTag, number[]] };

export type Read = QuantityRead | DataRead | RecordRead;
type Request = Read | { method: 'eth_sendRawTransaction'; params: [Hex] };

/** Reads a result; undefined when it is not usable. */
export type Accept<T> = (result: unknown) => T | undefined;

/** A read, and what its result has to be. */
export interface ReadQuestion<T> {
  readonly read: Read;
  readonly accept: Accept<T>;
}

/** The requests of one call, under that call's deadline. */
export interface RpcSession {
  quantity(read: QuantityRead): Promise<bigint>;
  data(read: DataRead): Promise<Hex>;
  /** `accept` reads the result; when it returns undefined, the result is refused as unusable. */
  record<T>(read: Read, accept: Accept<T>): Promise<T>;
  /** Sends several reads as one request; an error in place of each that has no usable answer. Endpoints may refuse that. */
  batch<T>(questions: readonly ReadQuestion<T>[]): Promise<(T | AdapterError)[]>;
  /** Sends signed bytes once and returns the endpoint's result. */
  send(raw: Hex): Promise<unknown>;
}

export interface EndpointOptions {
  readonly chain: Chain;
  /** May hold a key; no message and no cause contains it. */
  readonly rpcUrl: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** For one request with its response, in milliseconds. */
  readonly timeoutMs: number;
  /** How often a request is repeated after a temporary failure. */
  readonly retries: number;
  /** For one whole call with all its requests, retries and pauses, in milliseconds. */
  readonly deadlineMs: number;
}

/**
 * A JSON-RPC endpoint whose chain id is checked before use, and again after a connection has ended, because the next
 * connection may reach a node of another chain.
 */
export interface Endpoint {
  /**
   * Runs one call. Checks the chain id first, unless a check succeeded since a connection ended; `recheck` forces it.
   * Every error of the session is an AdapterError.
   */
  run<T>(call: (session: RpcSession) => Promise<T>, options?: { recheck: boolean }): Promise<T>;
  /** Epoch milliseconds of the last valid answer of the right chain, or null. */
  lastSuccess(): number | null;
}

/** A result as a number. */
export function toQuantity(result: unknown): bigint | undefined {
  return typeof result === 'string' && QUANTITY.test(result) ? BigInt(result) : undefined;
}

/** A result as bytes; undefined as well when it is too long. */
export function toData(result: unknown): Hex | undefined {
  return typeof result === 'string' && !isTooLong(result) && isBytes(result) ? result : undefined;
}

function accepted<T>(accept: Accept<T>, result: unknown): T | undefined {
  try {
    return accept(result);
  } catch {
    return undefined;
  }
}

/** `Retry-After` is in seconds or a date. */
function delayOf(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const delay = !Number.isNaN(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isNaN(delay) ? undefined : Math.min(Math.max(0, delay), MAX_DELAY_MS);
}

/** User and password of a URL are sent as a header, because `fetch` takes no URL that holds them. */
function openClient(rpcUrl: string) {
  const url = new URL(rpcUrl);
  const credentials = credentialsOf(url);
  url.username = '';
  url.password = '';
  const headers = {
    // Unpacking a short answer takes longer than receiving it uncompressed.
    'accept-encoding': 'identity',
    // Some gateways refuse clients without a user agent.
    'user-agent': 'gigclaim',
    ...(credentials === null ? {} : { authorization: `Basic ${credentials}` }),
  };
  // The caller's signal is the time limit.
  return getHttpRpcClient(url.href, {
    fetchFn: fetchCounted,
    fetchOptions: { headers, redirect: 'manual' },
    timeout: 0,
  });
}

function methodOf(request: Request | readonly Read[]): string {
  return 'method' in request ? request.method : BATCH;
}

/**
 * Sends one request, or several as one. An endpoint is not trusted to follow the specification, so its result is unknown;
 * that of several is a list of such.
 */
function connect({ chain, rpcUrl, clock }: EndpointOptions) {
  const client = openClient(rpcUrl);
  const secrets = secretParts(rpcUrl);

  // A JSON-RPC error in the body would otherwise hide these statuses and their Retry-After.
  function refuse({ status, headers }: Response): void {
    const redirects = status >= 300 && status < 400;
    if (!redirects && ![401, 402, 403, 429].includes(status)) return;
    throw new AdapterError({
      ...kindOfStatus(status),
      message: `chain ${chain.key}: the endpoint ${redirects ? 'redirects elsewhere' : 'answered'} with HTTP status ${status}`,
      retryAfterMs: delayOf(headers.get('retry-after'), clock()),
    });
  }

  return async (request: Request | readonly Read[], signal: AbortSignal): Promise<unknown> => {
    let response: Response | undefined;
    const context = () => ({ chainKey: chain.key, method: methodOf(request), secrets, status: response?.status });
    // viem would wrap the signal in a Request of its own, which stays in memory for seconds.
    const fetchFn: typeof fetch = async (url, init) => {
      response = await fetchCounted(url, { ...init, signal });
      refuse(response);
      return response;
    };
    try {
      if ('method' in request) return readResult(await client.request({ body: request, fetchFn }), context());
      const body = request.map((read, id) => ({ ...read, id }));
      const methods = request.map(({ method }) => method);
      return readResults(await client.request({ body, fetchFn }), methods, context());
    } catch (error) {
      // The body may never end. An error while it is cancelled adds nothing.
      await response?.body?.cancel().catch(() => undefined);
      throw toFault(error, context());
    }
  };
}

async function persist<T>(
  attempt: () => Promise<T>,
  { retries, deadlineMs, deadline }: { retries: number; deadlineMs: number; deadline: AbortSignal },
): Promise<T> {
  for (let count = 0; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof AdapterError) || error.retry !== 'safe' || count >= retries) throw error;
      const pause = error.retryAfterMs ?? BACKOFF_MS * 2 ** count;
      if (pause >= deadlineMs || deadline.aborted) throw error;
      await sleep(pause, undefined, { signal: deadline }).catch(() => {
        // Only the deadline ends a pause early; the error before it says more than the deadline.
        throw error;
      });
    }
  }
}

interface Query<T> {
  readonly accept: Accept<T>;
  readonly deadline: AbortSignal;
}

function endpointFault(chain: Chain, kind: FaultKind, what: string): AdapterError {
  return new AdapterError({ ...kind, message: `chain ${chain.key}: the endpoint ${what}` });
}

/** A contract that answers with too much does so again. */
function unusable(chain: Chain, result: unknown, method: string): AdapterError {
  const isLong = isTooLong(result);
  const what = isLong ? `answered ${method} with too much data` : `gave no usable answer to ${method}`;
  return endpointFault(chain, { retry: isLong ? 'never' : 'safe', reason: 'bad_response' }, what);
}

async function askOnce<T>(
  { chain, timeoutMs }: EndpointOptions,
  post: ReturnType<typeof connect>,
  { request, accept, deadline }: Query<T> & { readonly request: Request | readonly Read[] },
): Promise<T> {
  using limit = limitTime(timeoutMs, deadline);
  const { signal } = limit;
  const method = methodOf(request);
  let result: unknown;
  try {
    result = await post(request, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw endpointFault(chain, { retry: 'safe', reason: 'timeout' }, `did not answer ${method} in time`);
  }
  const answer = accepted(accept, result);
  if (answer === undefined) throw unusable(chain, result, method);
  return answer;
}

/** An endpoint of `options.chain`. Nothing is sent before the first call. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  const { chain, clock } = options;
  const post = connect(options);
  const disconnects = countDisconnects(options.rpcUrl);
  /** How many connections had ended when the chain id was last right; null when it was wrong. */
  let provedAt: number | null = null;
  let lastSuccess: number | null = null;

  async function ask<T>(request: Request | readonly Read[], query: Query<T>): Promise<T> {
    const answer = await askOnce(options, post, { request, ...query });
    if (methodOf(request) !== 'eth_chainId' && provedAt !== disconnects()) await prove(query.deadline);
    return answer;
  }

  function batch<T>(questions: readonly ReadQuestion<T>[], deadline: AbortSignal): Promise<(T | AdapterError)[]> {
    const accept = (results: unknown) =>
      questions.map((question, index) => {
        const result: unknown = Array.isArray(results) ? results[index] : undefined;
        return result instanceof AdapterError
          ? result
          : (accepted(question.accept, result) ?? unusable(chain, result, BATCH));
      });
    const reads = questions.map(({ read }) => read);
    return persistently(reads, { accept, deadline });
  }

  function persistently<T>(read: Request | readonly Read[], query: Query<T>): Promise<T> {
    return persist(() => ask(read, query), { ...options, deadline: query.deadline });
  }

  async function prove(deadline: AbortSignal): Promise<void> {
    const id = await persistently({ method: 'eth_chainId' }, { accept: toQuantity, deadline });
    provedAt = id === BigInt(chain.id) ? disconnects() : null;
    if (provedAt === null) {
      const message = `chain ${chain.key}: the endpoint serves chain id ${id}, expected ${chain.id}`;
      throw new OtherChain({ retry: 'never', reason: 'bad_response', message });
    }
    lastSuccess = clock();
  }

  async function noted<T>(answer: Promise<T>): Promise<T> {
    const value = await answer;
    lastSuccess = clock();
    return value;
  }

  return {
    async run(call, { recheck } = { recheck: false }) {
      using limit = limitTime(options.deadlineMs);
      const deadline = limit.signal;
      if (recheck || provedAt !== disconnects()) await prove(deadline);
      return await call({
        quantity: (read) => noted(persistently(read, { accept: toQuantity, deadline })),
        data: (read) => noted(persistently(read, { accept: toData, deadline })),
        record: (read, accept) => noted(persistently(read, { accept, deadline })),
        batch: (questions) => noted(batch(questions, deadline)),
        send: (raw) => {
          const request = { method: 'eth_sendRawTransaction', params: [raw] } as const satisfies Request;
          return noted(ask(request, { accept: (result) => result ?? null, deadline }));
        },
      });
    },
    lastSuccess: () => lastSuccess,
  };
}
