import type { BlockId } from '../domain/chains/block.ts';
import type { Chain, ChainEndpoints, ChainReader, Chains } from '../domain/chains/chain.ts';
import { AdapterError } from '../domain/errors.ts';
import type { AskGateway, NameResolver } from '../domain/names/names.ts';
import type { PayerChain, PayerChains } from '../domain/payments/payer-chain.ts';
import type { NoteOddAnswer } from '../domain/platforms/odd-answer.ts';
import type { DepositChain, DepositChains } from '../domain/x402/deposit-chain.ts';
import type { Log } from '../log.ts';
import { createDepositChain } from './deposits/chain.ts';
import { createEndpointPool, type EndpointPool } from './endpoint-pool.ts';
import { createSignatureCheck, type SignatureCheck } from './evm/signed-message.ts';
import { createNameReader } from './names/resolver.ts';
import { createPayerChain } from './payer/chain.ts';
import { createPayerContracts, type PayerContracts } from './payer/deploy/deployment.ts';
import type { OnBlocks } from './payer/read/paid-events.ts';
import { createChainReader } from './reader.ts';
import type { EndpointOptions } from './rpc/endpoint.ts';
import { checkThrough, deployThrough, depositThrough, payThrough, readThrough, resolveThrough } from './several.ts';
import type { Wallets } from './wallets.ts';

export interface ChainsOptions {
  /** One for each chain id. */
  readonly endpoints: readonly ChainEndpoints[];
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** For one request; 10 s by default. */
  readonly timeoutMs?: number;
  /** How often a request is repeated after a temporary failure; twice by default. Signed bytes are sent once. */
  readonly retries?: number;
  /** For one call with all its requests, retries and pauses; 20 s by default. */
  readonly deadlineMs?: number;
  /** What is called while a chain lists events. */
  readonly onBlocksOf?: ((chain: Chain) => OnBlocks) | undefined;
  /** The settled block of a chain on which the ledger counts; null when it has none, or nobody knows. */
  readonly anchorOf?: ((chainId: number) => Promise<BlockId | null>) | undefined;
  /** What readers and payers of the same chains share, so that a decision by both asks one endpoint; their own when absent. */
  readonly pools?: EndpointPools;
  /** Takes answers of endpoints that are not understood. */
  readonly note?: NoteOddAnswer | undefined;
}

/** The endpoints of each chain that has several, by the chain's id. */
export type EndpointPools = ReadonlyMap<number, EndpointPool>;

function limitsOf({ clock, timeoutMs = 10_000, retries = 2, deadlineMs = 20_000, note }: ChainsOptions) {
  return { clock, timeoutMs, retries, deadlineMs, note };
}

/** What the readers and payers of these chains share. Nothing is sent before the first question. */
export function createEndpointPools(options: ChainsOptions & { readonly log?: Log }): EndpointPools {
  const several = options.endpoints.filter(({ rpcUrls }) => rpcUrls.length > 1);
  return new Map(
    several.map((endpoints) => [
      endpoints.chain.id,
      createEndpointPool({
        ...endpoints,
        ...limitsOf(options),
        log: options.log,
        anchor: async () => (await options.anchorOf?.(endpoints.chain.id)) ?? null,
      }),
    ]),
  );
}

function ofEach<T>(
  options: ChainsOptions,
  create: (endpoint: EndpointOptions) => T,
  join: (pool: EndpointPool, sites: readonly [T, ...T[]]) => T,
): Map<number, T> {
  const pools = options.pools ?? createEndpointPools(options);
  return new Map(
    options.endpoints.map(({ chain, rpcUrls: [first, ...others] }) => {
      const open = (rpcUrl: string) => create({ chain, rpcUrl, ...limitsOf(options) });
      const pool = pools.get(chain.id);
      return [chain.id, pool === undefined ? open(first) : join(pool, [open(first), ...others.map(open)])];
    }),
  );
}

function enabled<T>(byId: ReadonlyMap<number, T>, chainId: number): T {
  const found = byId.get(chainId);
  if (found !== undefined) return found;
  const message = `chain id ${chainId} is not enabled`;
  throw new AdapterError({ retry: 'never', reason: 'unreachable', message });
}

/** The enabled chains, each read through its own endpoints. Nothing is sent before the first read. */
export function createChains(options: ChainsOptions): Chains {
  const readers = ofEach<ChainReader>(options, createChainReader, readThrough);
  return {
    reader: (chainId) => enabled(readers, chainId),
    list: () => [...readers.values()],
  };
}

/**
 * The enabled chains, for payments. Nothing is sent before the first call.
 * @throws RangeError when a chain's number of confirmations is not a whole number from 1
 */
export function createPayerChains(options: ChainsOptions & { readonly wallets: Wallets }): PayerChains {
  const { wallets } = options;
  const create = (endpoint: EndpointOptions) =>
    createPayerChain({ ...endpoint, wallets, onBlocks: options.onBlocksOf?.(endpoint.chain) });
  const payers = ofEach<PayerChain>(options, create, payThrough);
  return { payer: (chainId) => enabled(payers, chainId) };
}

/** The payer contracts of each enabled chain, in the order of the chains. Nothing is sent before the first call. */
export function listPayerContracts(options: ChainsOptions): PayerContracts[] {
  return [...ofEach<PayerContracts>(options, createPayerContracts, deployThrough).values()];
}

/** Checks signatures on the enabled chain with this id. @throws AdapterError (`never`, `unreachable`) when it is not enabled here */
export type SignatureChecks = (chainId: number) => SignatureCheck;

/** The {@link SignatureChecks} of the enabled chains. Nothing is sent before the first question. */
export function createSignatureChecks(options: ChainsOptions): SignatureChecks {
  const checks = ofEach<SignatureCheck>(options, createSignatureCheck, checkThrough);
  return (chainId) => enabled(checks, chainId);
}

/** The enabled chains, for deposits. Nothing is sent before the first call. */
export function createDepositChains(options: ChainsOptions & { readonly wallets: Wallets }): DepositChains {
  const { wallets } = options;
  const create = (endpoint: EndpointOptions) => createDepositChain({ ...endpoint, wallets });
  const deposits = ofEach<DepositChain>(options, create, depositThrough);
  return (chainId) => enabled(deposits, chainId);
}

/** Resolves names on the one chain of these endpoints. Nothing is sent before the first question. */
export function createNameResolver(options: ChainsOptions & { readonly askGateway: AskGateway }): NameResolver {
  const { askGateway } = options;
  const create = (endpoint: EndpointOptions) => createNameReader({ ...endpoint, askGateway });
  const [resolver] = ofEach<NameResolver>(options, create, resolveThrough).values();
  if (resolver === undefined) throw new RangeError('names are resolved on no chain');
  return resolver;
}
