import type { Address, Token } from './token.ts';

/** The facts of an EVM chain that the service can be told to use. */
export interface Chain {
  /** EIP-155 chain id. */
  readonly id: number;
  /** What requests, error details and gig records call it. */
  readonly key: string;
  /** What people call it. */
  readonly name: string;
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  /** The chain's own public endpoint, used when no `RPC_URL_<id>` is set. */
  readonly publicRpcUrl: string;
}

const ETHER = { name: 'Ether', symbol: 'ETH', decimals: 18 } as const;

/** Every chain that can be named in `CHAINS`. */
export const CHAINS: readonly Chain[] = [
  { id: 8453, key: 'base', name: 'Base', nativeCurrency: ETHER, publicRpcUrl: 'https://mainnet.base.org' },
  {
    id: 84532,
    key: 'base-sepolia',
    name: 'Base Sepolia',
    nativeCurrency: ETHER,
    publicRpcUrl: 'https://sepolia.base.org',
  },
  { id: 10, key: 'optimism', name: 'Optimism', nativeCurrency: ETHER, publicRpcUrl: 'https://mainnet.optimism.io' },
  { id: 42161, key: 'arbitrum', name: 'Arbitrum', nativeCurrency: ETHER, publicRpcUrl: 'https://arb1.arbitrum.io/rpc' },
  {
    id: 137,
    key: 'polygon',
    name: 'Polygon',
    nativeCurrency: { name: 'POL', symbol: 'POL', decimals: 18 },
    publicRpcUrl: 'https://polygon-rpc.com',
  },
  { id: 1, key: 'ethereum', name: 'Ethereum', nativeCurrency: ETHER, publicRpcUrl: 'https://eth.merkle.io' },
  { id: 31337, key: 'anvil', name: 'Anvil', nativeCurrency: ETHER, publicRpcUrl: 'http://127.0.0.1:8545' },
];

/** The chain with this id, or undefined when the service knows none. */
export function chainById(id: number): Chain | undefined {
  return CHAINS.find((chain) => chain.id === id);
}

/** The chain with this key (`base`, `optimism`, …), or undefined. */
export function chainByKey(key: string): Chain | undefined {
  return CHAINS.find((chain) => chain.key === key);
}

/** What an address holds of a token, and the block in which it was read. */
export interface Balance {
  /** Base units. */
  readonly amount: bigint;
  readonly blockNumber: bigint;
}

/** One enabled chain, read only. Every failure is an AdapterError; a wrong or missing answer is never a number. */
export interface ChainReader {
  readonly chain: Chain;
  /** The balance of `owner` in one named block. */
  balance(query: { token: Pick<Token, 'address' | 'isNative'>; owner: Address }): Promise<Balance>;
  /** What an ERC-20 contract says of itself: raw, untrusted text. */
  tokenMetadata(address: Address): Promise<{ name: string; symbol: string; decimals: number }>;
  /** Asks the endpoint for its chain id and newest block; throws when it is unreachable or another chain. */
  ping(): Promise<{ blockNumber: bigint }>;
  /** Epoch milliseconds of the last answer the endpoint gave, or null. */
  lastSuccess(): number | null;
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
}
