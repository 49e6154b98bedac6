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
  /** Where people look things up on the chain, without a slash at the end; null when there is no such place. */
  readonly explorerUrl: string | null;
  /** How many blocks must hold a transaction, its own included, before it counts. */
  readonly confirmations: number;
  /** The most that is offered for a unit of gas, in wei. */
  readonly maxFeePerGas: bigint;
}

const GWEI = 1_000_000_000n;
const ETHER = { name: 'Ether', symbol: 'ETH', decimals: 18 } as const;

/** Every chain that can be named in `CHAINS`. */
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
  },
];

/** The chain with this id, or undefined when the service knows none. */
export function chainById(id: number): Chain | undefined {
  return CHAINS.find((chain) => chain.id === id);
}

/** The chain with this key (`base`, `optimism`, …), or undefined. */
export function chainByKey(key: string): Chain | undefined {
  return CHAINS.find((chain) => chain.key === key);
}

/** Where a chain's explorer shows a transaction or an address; null when the chain is unknown or has no explorer. */
export function explorerLink(
  chainId: number,
  { kind, value }: { kind: 'tx' | 'address'; value: string },
): string | null {
  const explorer = chainById(chainId)?.explorerUrl ?? null;
  return explorer === null ? null : `${explorer}/${kind}/${value}`;
}

/** What an address holds of a token, and the block in which it was read. */
export interface Balance {
  /** Base units. */
  readonly amount: bigint;
  readonly blockNumber: bigint;
}

/** What an address has done and holds, as of one block. */
export interface AddressUse {
  readonly spentNonces: number;
  readonly hasCode: boolean;
  /** Wei. */
  readonly wei: bigint;
  /** Base units of the token that was asked for. */
  readonly amount: bigint;
}

/** Whether an address was never used. */
export function isFresh({ spentNonces, hasCode, wei, amount }: AddressUse): boolean {
  return spentNonces === 0 && !hasCode && wei === 0n && amount === 0n;
}

/** One enabled chain, read only. Every failure is an AdapterError; a wrong or missing answer is never a number. */
export interface ChainReader {
  readonly chain: Chain;
  /** The balance of `owner` in one named block. */
  balance(query: { token: Pick<Token, 'address' | 'isNative'>; owner: Address }): Promise<Balance>;
  /** The same in a recent block. */
  balanceIn(query: {
    token: Pick<Token, 'address' | 'isNative'>;
    owner: Address;
    blockNumber: bigint;
  }): Promise<Balance>;
  /** The newest block that has as many confirmations as it must. */
  settledBlock(): Promise<bigint>;
  /** How many nonces of an address were spent after a recent block. */
  spentNonces(query: { address: Address; blockNumber: bigint }): Promise<number>;
  /** Whether and how an address was used, in the newest block. */
  useOf(query: { owner: Address; token: Pick<Token, 'address' | 'isNative'> }): Promise<AddressUse>;
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

/** One enabled chain as the service pays on it. Every failure to ask is an AdapterError. */
export interface ChainWriter {
  readonly chain: Chain;
  /** How many blocks must hold a transaction, its own included, before it counts. */
  readonly confirmations: number;
  /**
   * Tries a transfer without sending it.
   * @returns the gas to allow for it, with a margin
   * @throws TransferRefused when it would revert, or its token answers that it failed
   */
  simulateTransfer(transfer: TransferCall): Promise<{ gas: bigint }>;
  /** What a transaction has to offer now, capped. Wei for each unit of gas. */
  fees(): Promise<Fees>;
  /** Signs with a wallet's key; `wallet` is a gig's id, or 0 for the gas tank. Nothing is sent. */
  sign(wallet: number, call: TransferCall & Fees & { nonce: number; gas: bigint }): Promise<SignedBytes>;
  /**
   * Offers signed bytes to the chain. Returns when it took them or has them already; an AdapterError leaves open what
   * became of them.
   */
  broadcast(raw: `0x${string}`): Promise<void>;
  /** Which of these transactions is in the chain now, and what it did; null when none is. */
  inclusion(query: { hashes: readonly `0x${string}`[]; call: TransferCall }): Promise<Inclusion | null>;
  /** How many nonces of an address are spent: now, and as of the newest block that is deep enough to count. */
  spentNonces(address: Address): Promise<{ latest: number; final: number }>;
  /** How many are spent when everything lands that waits in the endpoint's pool, as far as it tells. */
  pendingNonces(address: Address): Promise<number>;
  /** How many were spent after a block, which may be so old that only an archive knows it. */
  noncesAt(query: { address: Address; blockNumber: bigint }): Promise<number>;
  /**
   * The transaction that spent a nonce of an address, deep enough to count; null when the chain does not show it. A
   * missing receipt proves nothing, because endpoints lag and forget: only this tells whose transaction it was.
   */
  transactionAtNonce(query: { address: Address; nonce: number }): Promise<`0x${string}` | null>;
  /** Wei. */
  nativeBalance(address: Address): Promise<bigint>;
}

/** A transfer of a token, or of the native asset, as the chain needs it. */
export interface TransferCall {
  readonly from: Address;
  readonly token: Pick<Token, 'address' | 'isNative'>;
  readonly to: Address;
  /** Base units. */
  readonly amount: bigint;
}

/** EIP-1559 fees, in wei for each unit of gas. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export interface SignedBytes {
  readonly hash: `0x${string}`;
  readonly raw: `0x${string}`;
}

/** A transaction in the chain. */
export interface Inclusion {
  readonly hash: `0x${string}`;
  readonly blockNumber: bigint;
  /** Whether as many blocks hold it as must. */
  readonly final: boolean;
  /** Whether it was carried out; a transaction that reverted moved nothing for certain. */
  readonly succeeded: boolean;
  /** Base units that left the sender by it, as the chain recorded them; 0 when it reverted or did nothing. */
  readonly moved: bigint;
  /** Wei. */
  readonly gasSpent: bigint;
}

/**
 * The transfer itself seems not to work: it reverts, or its token says no. Sending it would only burn gas. One look proves
 * nothing, because nodes lag and fail.
 */
export class TransferRefused extends Error {
  override readonly name = 'TransferRefused';
  /** The block in which it was tried, as far as the node told the truth; null when that does not matter. */
  readonly blockNumber: bigint | null;
  /** Whether a node that fails or lags would say the same: no word of the contract's, or a sender that holds too little. */
  readonly isBare: boolean;

  constructor(message: string, seen: { blockNumber: bigint | null; isBare: boolean }) {
    super(message);
    this.blockNumber = seen.blockNumber;
    this.isBare = seen.isBare;
  }
}

/** The chains that the service can pay on. */
export interface ChainWriters {
  /** @throws AdapterError (`never`, `unreachable`) when the chain is not enabled here */
  writer(chainId: number): ChainWriter;
}

/** What tokens' `Transfer` events say that one transaction took from one wallet. */
export interface TokensSent {
  readonly token: Address;
  readonly owner: Address;
  readonly hash: `0x${string}`;
  readonly blockNumber: bigint;
  /** Base units, never 0: anybody can have a token note that nothing has left a wallet. */
  readonly amount: bigint;
}

/** One enabled chain, asked what wallets did on it. Every failure is an AdapterError. */
export interface ChainAuditor {
  readonly chain: Chain;
  /** The newest block that is deep enough to count, or `since` when that is newer. */
  block(since: bigint): Promise<bigint>;
  /** What a wallet holds of a token, in base units, and how many of its nonces are spent, after a recent block. */
  wallet(query: {
    token: Pick<Token, 'address' | 'isNative'>;
    owner: Address;
    blockNumber: bigint;
  }): Promise<{ held: bigint; spentNonces: number }>;
  /** How many nonces of an address were spent after a block, which may be so old that only an archive knows it. */
  spentNonces(query: { address: Address; blockNumber: bigint }): Promise<number>;
  /** What left these wallets of these tokens in the blocks after `after`, up to and with `until`, oldest first. */
  tokensSent(query: {
    tokens: readonly Address[];
    owners: readonly Address[];
    after: bigint;
    until: bigint;
  }): Promise<TokensSent[]>;
  /** Which of these transactions is in the chain now, and what it did; null when none is. */
  inclusion(query: { hashes: readonly `0x${string}`[]; call: TransferCall }): Promise<Inclusion | null>;
}

/** The chains whose wallets can be audited. */
export interface ChainAuditors {
  /** @throws AdapterError (`never`, `unreachable`) when the chain is not enabled here */
  auditor(chainId: number): ChainAuditor;
}
