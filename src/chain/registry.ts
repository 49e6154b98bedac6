import type { Chain, ChainReader, Chains } from '../domain/chain.ts';
import { AdapterError } from '../domain/errors.ts';
import type { PayerChain, PayerChains } from '../domain/payer-chain.ts';
import { createPayerChain } from './payer/chain.ts';
import { createPayerContracts, type PayerContracts } from './payer/deploy/deployment.ts';
import { createChainReader } from './reader.ts';
import type { Wallets } from './wallets.ts';

/** The enabled chains and the limits of their requests. */
export interface ChainsOptions {
  /** One for each chain id; an `rpcUrl` may hold a key and appears in no error. */
  readonly endpoints: readonly { readonly chain: Chain; readonly rpcUrl: string }[];
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** For one request; 10 s by default. */
  readonly timeoutMs?: number;
  /** How often a request is repeated after a temporary failure; twice by default. Signed bytes are sent once. */
  readonly retries?: number;
  /** For one call with all its requests, retries and pauses; 20 s by default. */
  readonly deadlineMs?: number;
}

function enabled<T>(byId: ReadonlyMap<number, T>, chainId: number): T {
  const found = byId.get(chainId);
  if (found !== undefined) return found;
  const message = `chain id ${chainId} is not enabled`;
  throw new AdapterError({ retry: 'never', reason: 'unreachable', message });
}

/** The enabled chains, each read through its own endpoint. Nothing is sent before the first read. */
export function createChains(options: ChainsOptions): Chains {
  const { clock, timeoutMs = 10_000, retries = 2, deadlineMs = 20_000 } = options;
  const readers = new Map<number, ChainReader>(
    options.endpoints.map((endpoint) => [
      endpoint.chain.id,
      createChainReader({ ...endpoint, clock, timeoutMs, retries, deadlineMs }),
    ]),
  );
  return {
    reader: (chainId) => enabled(readers, chainId),
    list: () => [...readers.values()],
  };
}

/**
 * The enabled chains, for payments. Nothing is sent before the first call.
 * @throws RangeError when a chain's number of confirmations is not a whole number from 1
 */
export function createPayerChains(
  options: ChainsOptions & { readonly wallets: Pick<Wallets, 'gigAccount' | 'gasTankAccount' | 'gasTankAddress'> },
): PayerChains {
  const { clock, wallets, timeoutMs = 10_000, retries = 2, deadlineMs = 20_000 } = options;
  const payers = new Map<number, PayerChain>(
    options.endpoints.map((endpoint) => [
      endpoint.chain.id,
      createPayerChain({ ...endpoint, clock, wallets, timeoutMs, retries, deadlineMs }),
    ]),
  );
  return { payer: (chainId) => enabled(payers, chainId) };
}

/** The payer contracts of each enabled chain, in the order of the endpoints. Nothing is sent before the first call. */
export function listPayerContracts(options: ChainsOptions): PayerContracts[] {
  const { clock, timeoutMs = 10_000, retries = 2, deadlineMs = 20_000 } = options;
  return options.endpoints.map((endpoint) =>
    createPayerContracts({ ...endpoint, clock, timeoutMs, retries, deadlineMs }),
  );
}
