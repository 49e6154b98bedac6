import type { BlockId, BlockRef } from '../chains/block.ts';
import type { BalanceQuery, Chain, Decide, Fees } from '../chains/chain.ts';
import { AdapterError, type AdapterFault } from '../errors.ts';
import type { Address } from '../gigs/token.ts';

/** One transfer out of a gig's wallet, and the numbers of the wallet that it pays. */
export interface WalletPayment {
  /** An ERC-20, or NATIVE_TOKEN_ADDRESS. */
  readonly token: Address;
  readonly to: Address;
  /** Base units. */
  readonly amount: bigint;
  /** At least one, all of one word (256 numbers): tips' own numbers, or those of a fee. */
  readonly numbers: readonly bigint[];
}

/** What one wallet is to pay in one transaction: all of it or none. */
export interface WalletCall {
  readonly gigId: number;
  readonly wallet: Address;
  readonly payments: readonly WalletPayment[];
}

/** A payment that is on the chain, also when another process sent it. */
export interface PaidEvent {
  readonly wallet: Address;
  readonly token: Address;
  readonly to: Address;
  /** Base units. */
  readonly amount: bigint;
  /** Lowest first. */
  readonly numbers: readonly bigint[];
  readonly hash: `0x${string}`;
  readonly blockNumber: bigint;
}

/** A transaction of the gas tank in the chain. */
export interface BatchInclusion {
  readonly hash: `0x${string}`;
  readonly blockNumber: bigint;
  readonly succeeded: boolean;
  /** Wei that it cost the gas tank, publishing included. */
  readonly cost: bigint;
  readonly gasUsed: bigint;
  /** What it paid, by events in its receipt. Any contract in it can log one: only those of known wallets mean something. */
  readonly paid: readonly PaidEvent[];
  /** Wallets that failed in it, with why. */
  readonly failed: readonly { readonly wallet: Address; readonly reason: string }[];
}

/** A signed transaction of the gas tank; nothing was sent. */
export interface SignedBatch {
  readonly hash: `0x${string}`;
  readonly raw: `0x${string}`;
}

/** A word of a wallet's marks: 256 numbers. */
export interface MarkQuery {
  readonly wallet: Address;
  /** The numbers' upper 248 bits. */
  readonly word: bigint;
  /** Those of its bits that are to be marked, so that an answer without one of them lacks something; absent for none. */
  readonly due?: bigint;
}

/**
 * A simulated payment failed. One refusal proves nothing, because nodes lag and fail.
 */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';
  /** The block of the simulation, as the node reports it; null when it does not matter. */
  readonly blockNumber: bigint | null;
  /** Whether a failing or lagging node could cause it: no reason from the contract, or too low a balance. */
  readonly isBare: boolean;
  /** Whether the contract says that a number is marked. It is paid then, even if the endpoint shows no mark. */
  readonly isPaid: boolean;

  constructor(message: string, seen: { blockNumber: bigint | null; isBare: boolean; isPaid?: boolean }) {
    super(message);
    this.isPaid = seen.isPaid ?? false;
    this.blockNumber = seen.blockNumber;
    this.isBare = seen.isBare;
  }
}

/**
 * What an endpoint objects to in signed bytes: `too_large` in gas, bytes or cost, so that fewer payments may pass;
 * `too_cheap`, so that higher fees may; `not_now`, which has nothing to do with what is paid; or `other`, which may concern
 * one of the payments.
 */
export type Objection = 'too_large' | 'too_cheap' | 'not_now' | 'other';

/** An endpoint has read signed bytes and refused them. Another endpoint may have taken them. */
export class BroadcastRefused extends AdapterError {
  readonly objection: Objection;
  override readonly words: string;

  constructor(fault: AdapterFault, seen: { objection: Objection; words: string }) {
    super(fault);
    this.objection = seen.objection;
    this.words = seen.words;
  }
}

export interface WalletNumbers {
  readonly wallet: Address;
  readonly numbers: readonly bigint[];
}

export interface EventSearch {
  readonly wallets: readonly Address[];
  /** Blocks, both included. */
  readonly from: bigint;
  readonly to: bigint;
  /** How many requests it may take for each hundred wallets; thousands when absent. */
  readonly mostRequests?: bigint | undefined;
  /** Numbers that are marked, so that an answer without a payment of one of them lacks something. */
  readonly marked?: readonly WalletNumbers[];
}

/** One of several endpoints of a chain. */
export interface Witness {
  /** `endpoint 2 (rpc.example)`. */
  readonly name: string;
  readonly payer: PayerChain;
}

/** One enabled chain on which wallets pay by the payer contract. Every failed request is an AdapterError. */
export interface PayerChain {
  readonly chain: Chain;
  readonly decide: Decide;
  /** Each of several endpoints by itself, whatever is known of it; empty where there is one alone. */
  readonly witnesses: readonly Witness[];
  /**
   * Compares the endpoints of the chain, before the ledger counts on what one of them tells.
   * @throws AdapterError when the one that is asked turns out to be of a fork
   */
  compare(): Promise<void>;
  /** Whether the contracts are deployed with the committed code; nothing is paid otherwise. */
  isReady(): Promise<boolean>;
  /** The newest block, and the newest one that is deep enough to count. */
  head(): Promise<{ latest: BlockRef; settled: BlockRef }>;
  /** Whether a block is still part of the chain; false as well when the endpoint's chain is shorter, as of a lagging node. */
  isCanonical(block: BlockId): Promise<boolean>;
  /** A block by its number; null when the endpoint does not have it. */
  block(number: bigint): Promise<BlockRef | null>;
  /**
   * Words of marks after a block, in the order of the queries.
   * @throws AdapterError when another endpoint has a mark that the ledger holds and the answer lacks
   */
  marks(queries: readonly MarkQuery[], blockNumber: bigint): Promise<bigint[]>;
  /** What wallets hold after a block, in base units and in the order of the queries; null where a token cannot tell. */
  balances(queries: readonly BalanceQuery[], blockNumber: bigint): Promise<(bigint | null)[]>;
  /**
   * Whether a contract says of addresses after a block that they are sanctioned, in their order; null where it reverts or does
   * not answer as it should.
   */
  sanctioned(
    asked: { readonly oracle: Address; readonly addresses: readonly Address[] },
    blockNumber: bigint,
  ): Promise<(boolean | null)[]>;
  /** Whether wallets delegate to the payer contract after a block, in their order: all that have paid do. */
  delegated(wallets: readonly Address[], blockNumber: bigint): Promise<boolean[]>;
  /**
   * The payments of these wallets in a range of blocks, both included, oldest first.
   * @throws AdapterError (`never`, `rejected`) when that would take more requests than `mostRequests`, or thousands
   */
  paidEvents(query: EventSearch): Promise<PaidEvent[]>;
  /**
   * Simulates a wallet's call in the newest block, delegated or not; once more in a named block when it is refused.
   * @returns the gas limit of a transaction with this call alone, a margin included; within a batch it is more than enough
   * @throws PaymentRefused when it would revert, would mark nothing, or needs more than the chain's `batchGas`
   * @throws RangeError when it has no payment, or a payment has no number, or numbers of several words
   */
  simulate(call: WalletCall): Promise<{ gas: bigint }>;
  /** The current fees, capped. Wei for each unit of gas. */
  fees(): Promise<Fees>;
  /**
   * Wei that these signed bytes cost beyond their gas, for publishing and for the rollup's operator, rather too much; 0
   * where the gas holds it.
   */
  publishingCost(signed: { readonly raw: `0x${string}`; readonly gas: bigint }): Promise<bigint>;
  /** Wei that a plain transfer of an ERC-20 costs now, publishing included: the measure of what a payment may cost. */
  transferCost(): Promise<bigint>;
  /** The gas tank: wei, and how many of its nonces are spent in the newest block and in the newest settled one. */
  tank(): Promise<{ balance: bigint; spentNonces: number; settledNonces: number }>;
  /**
   * Signs one transaction of the gas tank that makes these calls: directly for one wallet, as a batch for more. Wallets that
   * do not delegate yet are delegated by it. The gas of the calls together is at most the chain's `batchGas`.
   * @returns the bytes with the gas limit of the whole transaction
   * @throws RangeError when there is no call, or a wallet has several
   * @throws AdapterError (`never`, `rejected`) when a wallet delegates to other code, which `simulate` refuses before
   */
  sign(batch: {
    calls: readonly (WalletCall & { gas: bigint })[];
    nonce: number;
    fees: Fees;
  }): Promise<SignedBatch & { gas: bigint }>;
  /**
   * Broadcasts signed bytes; returns when an endpoint accepts or already has them. Where there are several they are offered to
   * the next one until one does, and `again` to all: the same bytes can be included once. After an AdapterError the outcome
   * is unknown.
   * @throws BroadcastRefused when an endpoint has read them and says why it does not take them, and no other may have
   */
  broadcast(raw: `0x${string}`, options?: { readonly again: boolean }): Promise<void>;
  /** Whether the endpoint has a transaction, in a block or waiting for one. */
  isKnown(hash: `0x${string}`): Promise<boolean>;
  /** The inclusion of one of these transactions; null when none is in the chain. */
  inclusion(hashes: readonly `0x${string}`[]): Promise<BatchInclusion | null>;
}

export interface PayerChains {
  /** @throws AdapterError (`never`, `unreachable`) when the chain is not enabled here */
  payer(chainId: number): PayerChain;
}
