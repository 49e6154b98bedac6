import type { Chains } from '../domain/chains/chain.ts';
import type { NameResolver } from '../domain/names/names.ts';
import type { PayerChains } from '../domain/payments/payer-chain.ts';
import type { Log } from '../log.ts';
import type { Store, StoreReads } from '../store/port/index.ts';

/** What a use case needs that only reads: the store, or a transaction of it. */
export interface ReadContext {
  readonly store: StoreReads;
}

/** The same for one to which it matters what time it is. */
export interface TimedReads extends ReadContext {
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** What a use case needs that changes the ledger. Each room of services adds what else it needs. */
export interface ServiceContext extends TimedReads {
  readonly store: Store;
}

/** The same for work that nobody waits for. */
export interface JobContext extends ServiceContext {
  readonly log: Log;
}

/** What resolves names. */
export interface NameContext {
  /** Absent where names are off. */
  readonly names?: NameResolver | undefined;
}

export interface ChainReads {
  readonly chains: Chains;
  /** Null without a mnemonic: then nothing was ever paid. */
  readonly payers: PayerChains | null;
}

export type ChainContext = ServiceContext & ChainReads;
