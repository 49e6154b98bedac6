import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, defineChain, type Hex, http, rpcSchema } from 'viem';
import type { Chain } from '../domain/chain.ts';
import { AdapterError, type AdapterFault } from '../domain/errors.ts';
import type { Address } from '../domain/token.ts';
import { kindOfStatus, secretParts, toFault } from './fault.ts';

const BACKOFF_MS = 200;
const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
const DATA = /^0x([0-9a-f]{2})*$/i;

/** An endpoint is not trusted to answer what the specification promises, so every result is unknown. */
type ReadSchema = [
  { Method: 'eth_chainId'; Parameters?: undefined; ReturnType: unknown },
  { Method: 'eth_blockNumber'; Parameters?: undefined; ReturnType: unknown },
  { Method: 'eth_getBalance'; Parameters: [Address, Hex]; ReturnType: unknown },
  { Method: 'eth_getCode'; Parameters: [Address, Hex]; ReturnType: unknown },
  { Method: 'eth_call'; Parameters: [{ to: Address; data: Hex }, Hex]; ReturnType: unknown },
];

/** A question whose answer is one number. */
export type QuantityRead =
  | { method: 'eth_chainId' }
  | { method: 'eth_blockNumber' }
  | { method: 'eth_getBalance'; params: [Address, Hex] };

/** A question whose answer is bytes. */
export type DataRead =
  | { method: 'eth_getCode'; params: [Address, Hex] }
  | { method: 'eth_call'; params: [{ to: Address; data: Hex }, Hex] };

/** The questions of one call, under that call's deadline. */
export interface Session {
  quantity(read: QuantityRead): Promise<bigint>;
  data(read: DataRead): Promise<Hex>;
}

export interface EndpointOptions {
  readonly chain: Chain;
  /** May hold a key; appears in no message and no cause. */
  readonly rpcUrl: string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** For one request, answer included, in milliseconds. */
  readonly timeoutMs: number;
  /** How often a request that failed for the moment is made again. */
  readonly retries: number;
  /** For one whole call with all its requests, retries and pauses, in milliseconds. */
  readonly deadlineMs: number;
}

/** A JSON-RPC endpoint that is asked only after it has proved to be the chain it is taken for. */
export interface Endpoint {
  /**
   * Runs one call, after asking for the chain id unless that has succeeded before; `recheck` asks in any case.
   * Everything that the session throws is an AdapterError.
   */
  run<T>(call: (session: Session) => Promise<T>, options?: { recheck: boolean }): Promise<T>;
  /** Epoch milliseconds of the last valid answer of the right chain, or null. */
  lastSuccess(): number | null;
}

/** `Retry-After` in seconds or as a date, as milliseconds from `now`. */
function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const delay = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isFinite(delay) ? Math.max(0, delay) : undefined;
}

function connect(options: EndpointOptions) {
  const { chain, rpcUrl, clock } = options;
  return createClient({
    chain: defineChain({
      id: chain.id,
      name: chain.name,
      nativeCurrency: chain.nativeCurrency,
      rpcUrls: { default: { http: [rpcUrl] } },
    }),
    rpcSchema: rpcSchema<ReadSchema>(),
    transport: http(rpcUrl, {
      retryCount: 0,
      // The signal of each request bounds it, its body included, which this setting does not.
      timeout: 0,
      // A JSON-RPC error in the body would otherwise hide these statuses and their Retry-After.
      async onFetchResponse(response) {
        if (![401, 402, 403, 429].includes(response.status)) return;
        await response.body?.cancel();
        throw new AdapterError({
          ...kindOfStatus(response.status),
          message: `chain ${chain.key}: the endpoint answered with HTTP status ${response.status}`,
          retryAfterMs: retryAfter(response.headers.get('retry-after'), clock()),
        });
      },
    }),
  });
}

/** Makes one attempt after another while they fail for the moment, with pauses, until the deadline. */
async function persist<T>(
  attempt: () => Promise<T>,
  { retries, deadlineMs, deadline }: Pick<EndpointOptions, 'retries' | 'deadlineMs'> & { deadline: AbortSignal },
): Promise<T> {
  for (let count = 0; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof AdapterError) || error.retry !== 'safe' || count >= retries) throw error;
      const pause = error.retryAfterMs ?? BACKOFF_MS * 2 ** count;
      if (pause >= deadlineMs || deadline.aborted) throw error;
      await sleep(pause, undefined, { signal: deadline }).catch(() => {
        // Only the deadline ends a pause early, and then the fault before it says more than the deadline.
        throw error;
      });
    }
  }
}

/** An endpoint of `options.chain`. Nothing is sent before the first call. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  const { chain, clock, timeoutMs } = options;
  const client = connect(options);
  const secrets = secretParts(options.rpcUrl);
  let verified = false;
  let lastSuccess: number | null = null;

  function fault(kind: Pick<AdapterFault, 'retry' | 'reason'>, what: string): AdapterError {
    return new AdapterError({ ...kind, message: `chain ${chain.key}: the endpoint ${what}` });
  }

  async function ask(read: QuantityRead | DataRead, query: { shape: RegExp; deadline: AbortSignal }): Promise<Hex> {
    const signal = AbortSignal.any([query.deadline, AbortSignal.timeout(timeoutMs)]);
    let result: unknown;
    try {
      result = await client.request(read, { signal });
    } catch (error) {
      if (signal.aborted) throw fault({ retry: 'safe', reason: 'timeout' }, `did not answer ${read.method} in time`);
      throw toFault(error, { chainKey: chain.key, method: read.method, secrets });
    }
    if (typeof result !== 'string' || !query.shape.test(result)) {
      throw fault({ retry: 'safe', reason: 'bad_response' }, `gave no usable answer to ${read.method}`);
    }
    // Both shapes demand the prefix that the type promises.
    return result as Hex;
  }

  function answer(read: QuantityRead | DataRead, query: { shape: RegExp; deadline: AbortSignal }): Promise<Hex> {
    return persist(() => ask(read, query), { ...options, deadline: query.deadline });
  }

  async function verify(deadline: AbortSignal): Promise<void> {
    const id = BigInt(await answer({ method: 'eth_chainId' }, { shape: QUANTITY, deadline }));
    verified = id === BigInt(chain.id);
    if (!verified) {
      throw fault({ retry: 'never', reason: 'bad_response' }, `serves chain id ${id}, expected ${chain.id}`);
    }
    lastSuccess = clock();
  }

  async function answerOfChain(read: QuantityRead | DataRead, query: { shape: RegExp; deadline: AbortSignal }) {
    const result = await answer(read, query);
    lastSuccess = clock();
    return result;
  }

  return {
    async run(call, { recheck } = { recheck: false }) {
      const deadline = AbortSignal.timeout(options.deadlineMs);
      if (recheck || !verified) await verify(deadline);
      return await call({
        quantity: async (read) => BigInt(await answerOfChain(read, { shape: QUANTITY, deadline })),
        data: (read) => answerOfChain(read, { shape: DATA, deadline }),
      });
    },
    lastSuccess: () => lastSuccess,
  };
}
