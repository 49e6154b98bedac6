import type { Address, TokenPlace } from '../gigs/token.ts';
import type { FeedRound } from '../prices/feeds.ts';
import type { BlockRef } from './block.ts';
import type { EndpointStatus } from './endpoint-status.ts';

export interface Chain {
  /** EIP-155 chain id. */
  readonly id: number;
  /** Its name in requests, error details and gig records. */
  readonly key: string;
  readonly name: string;
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  /** The chain's own public endpoint, used when no `RPC_URL_<id>` is set. */
  readonly publicRpcUrl: string;
  /** Its block explorer, without a slash at the end; null when there is none. */
  readonly explorerUrl: string | null;
  /** How many blocks, its own included, a transaction needs to be final. */
  readonly confirmations: number;
  /** The cap on the fee for a unit of gas, in wei. */
  readonly maxFeePerGas: bigint;
  /** Whether it is a rollup of the OP stack: publishing costs the sender wei beyond the gas, by the gas price oracle. */
  readonly isOpStack: boolean;
  /** The gas of the payments in one transaction. The transaction itself needs more, up to {@link txGas}. */
  readonly batchGas: bigint;
  /** The highest gas limit of a transaction that the chain's nodes take: 16,777,216 by EIP-7825, more where the chain says so. */
  readonly txGas: bigint;
  /** The most bytes of a signed transaction that the chain's nodes take. */
  readonly txBytes: number;
  /** The tag of the block from which on a payment counts; by the number of confirmations when it is left out. */
  readonly settledBy?: 'safe' | 'finalized';
}

const GWEI = 1_000_000_000n;
const BATCH_GAS = 10_000_000n;
/** EIP-7825. */
const TX_GAS = 16_777_216n;
/** The cap of Arbitrum and of Polygon. */
const HIGHER_TX_GAS = 32_000_000n;
/** The pools of geth and of the other clients take no more. */
const TX_BYTES = 131_072;
/** What Arbitrum's sequencer takes. */
const ARBITRUM_TX_BYTES = 95_000;
const ETHER = { name: 'Ether', symbol: 'ETH', decimals: 18 } as const;

/** Every chain that `CHAINS` can name. */
export const CHAINS: readonly Chain[] = [
  {
    id: 8453,
    key: 'base',
    name: 'Base',
    nativeCurrency: ETHER,
    publicRpcUrl: 'https://mainnet.base.org',
    explorerUrl: 'https://basescan.org',
    confirmations: 5,
    maxFeePerGas: 10n * GWEI,
    isOpStack: true,
    batchGas: BATCH_GAS,
    txGas: TX_GAS,
    txBytes: TX_BYTES,
  },
  {
    id: 84532,
    key: 'base-sepolia',
    name: 'Base Sepolia',
    nativeCurrency: ETHER,
    publicRpcUrl: 'https://sepolia.base.org',
    explorerUrl: 'https://sepolia.basescan.org',
    confirmations: 2,
    maxFeePerGas: 10n * GWEI,
    isOpStack: true,
    batchGas: BATCH_GAS,
    txGas: TX_GAS,
    txBytes: TX_BYTES,
  },
  {
    id: 10,
    key: 'optimism',
    name: 'Optimism',
    nativeCurrency: ETHER,
    publicRpcUrl: 'https://mainnet.optimism.io',
    explorerUrl: 'https://optimistic.etherscan.io',
    confirmations: 5,
    maxFeePerGas: 10n * GWEI,
    isOpStack: true,
    batchGas: BATCH_GAS,
    txGas: TX_GAS,
    txBytes: TX_BYTES,
  },
  {
    id: 42161,
    key: 'arbitrum',
    name: 'Arbitrum',
    nativeCurrency: ETHER,
    publicRpcUrl: 'https://arb1.arbitrum.io/rpc',
    explorerUrl: 'https://arbiscan.io',
    confirmations: 5,
    maxFeePerGas: 10n * GWEI,
    isOpStack: false,
    batchGas: BATCH_GAS,
    txGas: HIGHER_TX_GAS,
    txBytes: ARBITRUM_TX_BYTES,
  },
  {
    id: 137,
    key: 'polygon',
    name: 'Polygon',
    nativeCurrency: { name: 'POL', symbol: 'POL', decimals: 18 },
    publicRpcUrl: 'https://polygon-rpc.com',
    explorerUrl: 'https://polygonscan.com',
    confirmations: 32,
    maxFeePerGas: 2_000n * GWEI,
    isOpStack: false,
    batchGas: BATCH_GAS,
    txGas: HIGHER_TX_GAS,
    txBytes: TX_BYTES,
  },
  {
    id: 1,
    key: 'ethereum',
    name: 'Ethereum',
    nativeCurrency: ETHER,
    publicRpcUrl: 'https://eth.merkle.io',
    explorerUrl: 'https://etherscan.io',
    confirmations: 6,
    maxFeePerGas: 300n * GWEI,
    isOpStack: false,
    batchGas: BATCH_GAS,
    txGas: TX_GAS,
    txBytes: TX_BYTES,
  },
  {
    id: 31337,
    key: 'anvil',
    name: 'Anvil',
    nativeCurrency: ETHER,
    publicRpcUrl: 'http://127.0.0.1:8545',
    explorerUrl: null,
    confirmations: 1,
    maxFeePerGas: 1_000n * GWEI,
    isOpStack: false,
    batchGas: BATCH_GAS,
    txGas: TX_GAS,
    txBytes: TX_BYTES,
  },
];

/** A chain and the URLs of its endpoints, in the order in which they are asked. They may hold keys and appear in no error. */
export interface ChainEndpoints {
  readonly chain: Chain;
  readonly rpcUrls: readonly [string, ...string[]];
}

/** The chain with this id, or undefined. */
export function chainById(id: number): Chain | undefined {
  return CHAINS.find((chain) => chain.id === id);
}

/** The chain with this key (`base`, `optimism`, …), or undefined. */
export function chainByKey(key: string): Chain | undefined {
  return CHAINS.find((chain) => chain.key === key);
}

/** The explorer's URL of a transaction or an address; null when the chain is unknown or has no explorer. */
export function explorerLink(
  chainId: number,
  { kind, value }: { kind: 'tx' | 'address'; value: string },
): string | null {
  const explorer = chainById(chainId)?.explorerUrl ?? null;
  return explorer === null ? null : `${explorer}/${kind}/${value}`;
}

export interface Balance {
  /** Base units. */
  readonly amount: bigint;
  readonly blockNumber: bigint;
}

export interface BalanceQuery {
  readonly wallet: Address;
  /** An ERC-20, or NATIVE_TOKEN_ADDRESS. */
  readonly token: Address;
}

export interface AddressUse {
  readonly spentNonces: number;
  readonly hasCode: boolean;
  readonly wei: bigint;
  /** Base units of the requested token. */
  readonly amount: bigint;
}

/** Whether the chain itself knows no use of an address: only a token's contract may. */
export function isUntouched({ spentNonces, hasCode, wei }: AddressUse): boolean {
  return spentNonces === 0 && !hasCode && wei === 0n;
}

/** Whether an address was never used. */
export function isFresh(use: AddressUse): boolean {
  return isUntouched(use) && use.amount === 0n;
}

/**
 * Runs one decision about a chain with several endpoints: everything that `run` asks of the chain, by its reader and its
 * payer, is asked of one of them, because two nodes can be at different heights. When that one has failed meanwhile and
 * `run` rejects with an AdapterError or a DomainError, `run` begins anew at another. A decision within a decision is a part of it.
 */
export type Decide = <T>(run: () => Promise<T>) => Promise<T>;

/** Runs one decision about several chains: each is asked at one endpoint. */
export function decideOnAll<T>(chains: readonly { readonly decide: Decide }[], run: () => Promise<T>): Promise<T> {
  return chains.reduce<() => Promise<T>>((inner, chain) => () => chain.decide(inner), run)();
}

/** How a transaction stands in a chain: `unknown` when the endpoint has not seen it, or has forgotten it. */
export type TransactionState = 'unknown' | 'pending' | 'confirmed' | 'reverted';

export interface TransactionStanding {
  readonly state: TransactionState;
  /** The block that it is in; null for one in none. */
  readonly blockNumber: bigint | null;
}

/** One enabled chain, read only. Every failure is an AdapterError; a wrong or missing answer never becomes a number. */
export interface ChainReader {
  readonly chain: Chain;
  readonly decide: Decide;
  /** The balance of `owner`, with the block in which it was read. */
  balance(query: { token: TokenPlace; owner: Address }): Promise<Balance>;
  /** The same in a recent block. */
  balanceIn(query: { token: TokenPlace; owner: Address; blockNumber: bigint }): Promise<Balance>;
  /**
   * What wallets hold in the newest block, in base units and in the order of the queries; null where a token cannot tell.
   * Asked in few requests.
   */
  balances(queries: readonly BalanceQuery[]): Promise<(bigint | null)[]>;
  /** The newest block that has the required confirmations. */
  settledBlock(): Promise<bigint>;
  newestBlock(): Promise<BlockRef>;
  /** The first block with this timestamp (epoch milliseconds) or a later one; null while it lacks the confirmations. */
  firstBlockSince(time: number): Promise<BlockRef | null>;
  /** The use of an address in the newest block. */
  useOf(query: { owner: Address; token: TokenPlace }): Promise<AddressUse>;
  /** How a transaction of anybody stands in the newest block. */
  standingOf(hash: `0x${string}`): Promise<TransactionStanding>;
  /** The name, symbol and decimals that an ERC-20 contract reports: raw, untrusted text. */
  tokenMetadata(address: Address): Promise<{ name: string; symbol: string; decimals: number }>;
  /** The newest rounds of feeds of prices, in their order; null where one gives no valid answer. */
  feeds(feeds: readonly Address[]): Promise<(FeedRound | null)[]>;
  /** Asks the endpoint for its chain id and newest block; throws when it is unreachable, another chain, or has no blocks. */
  ping(): Promise<{ blockNumber: bigint }>;
  /** Epoch milliseconds of the last answer of an endpoint of this chain, or null. */
  lastSuccess(): number | null;
  /** How each of several endpoints stood when they were last asked; empty before that, and when there is only one. */
  endpoints(): readonly EndpointStatus[];
}

/** The enabled chains. */
export interface Chains {
  /** @throws AdapterError (`never`, `unreachable`) when the chain is not enabled here */
  reader(chainId: number): ChainReader;
  list(): readonly ChainReader[];
}

/** The wallets that derive from the operator's mnemonic. */
export interface GigWallets {
  /** A gig's own wallet, in lower case. @throws RangeError when the id is not a whole number from 1 to 2^31 - 1 */
  gigAddress(gigId: number): Address;
  /** The wallet that pays for gas, in lower case. */
  gasTankAddress(): Address;
  /** The contracts by which they pay, in lower case: nobody can take out what is sent there. */
  contractAddresses(): readonly Address[];
}

/** EIP-1559 fees, in wei for each unit of gas. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}
