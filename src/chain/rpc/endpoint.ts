import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { Chain } from '../../domain/chains/chain.ts';
import { AdapterError, type FaultKind } from '../../domain/errors.ts';
import type { Address } from '../../domain/gigs/token.ts';
import type { NoteOddAnswer } from '../../domain/platforms/odd-answer.ts';
import { limitTime } from '../../time-limit.ts';
import { type BatchSizes, createBatchSizes } from './batch-sizes.ts';
import { isBytes, isTooLong } from './bytes.ts';
import { createEndpointNotes, createRpcClient, type RpcRequest, SEVERAL } from './client.ts';
import { countDisconnects } from './connections.ts';
import { OtherChain } from './fault.ts';
import { type Accept, createTurns, type RpcQuestion } from './turns.ts';

const BACKOFF_MS = 200;
const QUANTITY = /^0x[0-9a-f]{1,64}$/i;

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

/** A read, and what its result has to be. */
export interface ReadQuestion<T> extends RpcQuestion<T> {
  readonly read: Read;
}

/** The requests of one call, under that call's deadline. Reads of one turn of the event loop share a request. */
export interface RpcSession {
  quantity(read: QuantityRead): Promise<bigint>;
  data(read: DataRead): Promise<Hex>;
  /** `accept` reads the result; when it returns undefined, the result is refused as unusable. */
  record<T>(read: Read, accept: Accept<T>): Promise<T>;
  /** Asks in a request of its own. */
  alone<T>(question: ReadQuestion<T>): Promise<T>;
  /** Asks in one request; an error in place of each that has no usable answer. Endpoints may refuse that. */
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
  /** Takes answers that are not understood. */
  readonly note?: NoteOddAnswer | undefined;
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
  /** The batch sizes that it takes, known to all its callers. */
  readonly batches: BatchSizes;
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

function endpointFault(chain: Chain, kind: FaultKind, what: string): AdapterError {
  return new AdapterError({ ...kind, message: `chain ${chain.key}: the endpoint ${what}` });
}

/** A contract that answers with too much does so again. */
function unusable(chain: Chain, result: unknown, method: string): AdapterError {
  const isLong = isTooLong(result);
  const what = isLong ? `answered ${method} with too much data` : `gave no usable answer to ${method}`;
  return endpointFault(chain, { retry: isLong ? 'never' : 'safe', reason: 'bad_response' }, what);
}

/** Sends requests within the time limit of one, and reads their results. */
function createLimitedClient(options: EndpointOptions) {
  const { chain, timeoutMs } = options;
  const client = createRpcClient(options);
  const note = createEndpointNotes(options);

  function refused(result: unknown, method: string): AdapterError {
    if (!isTooLong(result)) note(method, { status: 200, body: { result } });
    return unusable(chain, result, method);
  }

  function late({ method }: Pick<RpcRequest, 'method'>): AdapterError {
    return endpointFault(chain, { retry: 'safe', reason: 'timeout' }, `did not answer ${method} in time`);
  }

  async function inTime<T>(method: string, outer: AbortSignal, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    using limit = limitTime(timeoutMs, outer);
    try {
      return await send(limit.signal);
    } catch (error) {
      throw limit.signal.aborted ? late({ method }) : error;
    }
  }

  return {
    late,
    async one<T>({ read, accept }: RpcQuestion<T>, outer: AbortSignal): Promise<T> {
      const result = await inTime(read.method, outer, (signal) => client.one(read, signal));
      const answer = accepted(accept, result);
      if (answer === undefined) throw refused(result, read.method);
      return answer;
    },
    async several<T>(questions: readonly RpcQuestion<T>[], outer: AbortSignal): Promise<(T | AdapterError)[]> {
      const reads = questions.map(({ read }) => read);
      const results = await inTime(SEVERAL, outer, (signal) => client.several(reads, signal));
      return questions.map(({ read, accept }, place) => {
        const result = results[place];
        if (result instanceof AdapterError) return result;
        const answer = accepted(accept, result);
        return answer === undefined ? refused(result, read.method) : answer;
      });
    },
  };
}

/** Proves that the endpoint serves its chain. `noted` is called after each proof. */
function createProofs(options: EndpointOptions, client: ReturnType<typeof createLimitedClient>, noted: () => void) {
  const { chain } = options;
  const disconnects = countDisconnects(options.rpcUrl);
  /** How many connections had ended when the chain id was last right; null when it was wrong. */
  let provedAt: number | null = null;
  let proving: Promise<void> | null = null;

  async function prove(deadline: AbortSignal): Promise<void> {
    const question = { read: { method: 'eth_chainId' }, accept: toQuantity };
    const id = await persist(() => client.one(question, deadline), { ...options, deadline });
    provedAt = id === BigInt(chain.id) ? disconnects() : null;
    if (provedAt === null) {
      const message = `chain ${chain.key}: the endpoint serves chain id ${id}, expected ${chain.id}`;
      throw new OtherChain({ retry: 'never', reason: 'bad_response', message });
    }
    noted();
  }

  return {
    isDue: () => provedAt !== disconnects(),
    /** Calls that begin in one turn of the event loop share a proof. */
    proveTogether(deadline: AbortSignal): Promise<void> {
      if (proving === null) {
        proving = prove(deadline);
        setImmediate(() => {
          proving = null;
        });
      }
      return proving;
    },
    /** The connection may have ended meanwhile, and another node have answered. */
    async proved<T>(answer: Promise<T>, deadline: AbortSignal): Promise<T> {
      const value = await answer;
      if (provedAt !== disconnects()) await prove(deadline);
      return value;
    },
  };
}

/** An endpoint of `options.chain`. Nothing is sent before the first call. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  const { clock } = options;
  let lastSuccess: number | null = null;
  const noteSuccess = () => {
    lastSuccess = clock();
  };
  const client = createLimitedClient(options);
  const { isDue, proveTogether, proved } = createProofs(options, client, noteSuccess);
  const alone = <T>(question: RpcQuestion<T>, deadline: AbortSignal) =>
    proved(client.one(question, deadline), deadline);
  const together = <T>(questions: readonly RpcQuestion<T>[], deadline: AbortSignal) =>
    proved(client.several(questions, deadline), deadline);
  const batches = createBatchSizes();
  const ask = createTurns({ alone, together, batches, late: client.late });

  async function read<T>(deadline: AbortSignal, attempt: () => Promise<T>): Promise<T> {
    const answer = await persist(attempt, { ...options, deadline });
    noteSuccess();
    return answer;
  }

  async function send(raw: Hex, deadline: AbortSignal): Promise<unknown> {
    const question = {
      read: { method: 'eth_sendRawTransaction', params: [raw] },
      accept: (result: unknown) => result ?? null,
    };
    const answer = await alone(question, deadline);
    noteSuccess();
    return answer;
  }

  return {
    async run(call, { recheck } = { recheck: false }) {
      using limit = limitTime(options.deadlineMs);
      const deadline = limit.signal;
      if (recheck || isDue()) await proveTogether(deadline);
      const inTurn = <T>(question: ReadQuestion<T>) => read(deadline, () => ask(question, deadline));
      return await call({
        quantity: (asked) => inTurn({ read: asked, accept: toQuantity }),
        data: (asked) => inTurn({ read: asked, accept: toData }),
        record: (asked, accept) => inTurn({ read: asked, accept }),
        alone: (question) => read(deadline, () => alone(question, deadline)),
        batch: (questions) => read(deadline, () => together(questions, deadline)),
        send: (raw) => send(raw, deadline),
      });
    },
    batches,
    lastSuccess: () => lastSuccess,
  };
}
