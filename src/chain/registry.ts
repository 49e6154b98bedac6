import type { Chain, ChainReader, Chains } from '../domain/chain.ts';
import { AdapterError } from '../domain/errors.ts';
import { createReader } from './reader.ts';

/** The enabled chains, each read through its own endpoint. Nothing is sent before the first read. */
export function createChains(options: {
  /** One for each chain id; an `rpcUrl` may hold a key and appears in no error. */
  readonly endpoints: readonly { readonly chain: Chain; readonly rpcUrl: string }[];
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** For one request; 10 s by default. */
  readonly timeoutMs?: number;
  /** How often a request that failed for the moment is made again; twice by default. */
  readonly retries?: number;
  /** For one call with all its requests, retries and pauses; 20 s by default. */
  readonly deadlineMs?: number;
}): Chains {
  const { clock, timeoutMs = 10_000, retries = 2, deadlineMs = 20_000 } = options;
  const readers = new Map<number, ChainReader>(
    options.endpoints.map((endpoint) => [
      endpoint.chain.id,
      createReader({ ...endpoint, clock, timeoutMs, retries, deadlineMs }),
    ]),
  );
  return {
    reader(chainId) {
      const reader = readers.get(chainId);
      if (reader !== undefined) return reader;
      const message = `chain id ${chainId} is not enabled`;
      throw new AdapterError({ retry: 'never', reason: 'unreachable', message });
    },
    list: () => [...readers.values()],
  };
}
