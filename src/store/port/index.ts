import type { AccountName } from '../../domain/account.ts';
import type { AccessReads, AccessWrites } from './access.ts';
import type { GigReads, GigWrites } from './gigs.ts';
import type { LedgerReads, LedgerWrites } from './ledger.ts';
import type { MentionReads, MentionWrites } from './mentions.ts';
import type { OperatorReads, OperatorWrites } from './operators.ts';

export type { IdempotentResponse } from './access.ts';
export type { GigFilter } from './gigs.ts';
export type { LedgerReads, LedgerWrites, Sender, SettledInclusion, TransferFilter } from './ledger.ts';
export type { LeaseRequest } from './mentions.ts';
export type { Page } from './page.ts';

/** What can be read, outside a transaction (from the last commit) or inside one (with its own writes). */
export interface StoreReads extends GigReads, AccessReads, MentionReads, LedgerReads, OperatorReads {}

/**
 * What can be changed, inside a transaction. Methods that answer a boolean are conditional:
 * `false` means the row was not in the state the change needs, and nothing was changed.
 */
export interface StoreTx extends StoreReads, GigWrites, AccessWrites, MentionWrites, LedgerWrites, OperatorWrites {}

export interface TransactionOptions {
  /**
   * Whether what is run may be run again after everything it did was undone: it changes nothing but through `tx`. Those that
   * come together share the precautions that undo one caller alone.
   */
  readonly repeatable: boolean;
}

/**
 * Everything the service remembers. Larger users may run it on another database, so every method is async and coarse.
 *
 * `transaction` is the only way to write. Nothing in `run` awaits anything but `tx`: a transaction that waits for
 * something else is rolled back with a TypeError. Its promise settles only after the commit is on disk.
 */
export interface Store extends StoreReads {
  /** Without `options` nothing is run twice. */
  transaction<T>(run: (tx: StoreTx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * What was read under one version is true for as long as the version stays the same: whatever is committed changes it,
   * by this process or another, before anybody is told of the commit.
   */
  version(): number;
  /**
   * The accounts whose tips or names were changed by what was committed since the last call, each by its id and by the handles
   * that it had or has; null when any account may have changed, because another process committed. A commit is told of
   * before its callers hear of it. For one reader alone.
   */
  takeChangedAccounts(): readonly AccountName[] | null;
  /** Proves that the store takes writes; throws when it does not. */
  checkWritable(): Promise<void>;
  /**
   * Ends the leases on mentions and replies that a dead process left behind, when no other process serves this store.
   * Answers how many there were. What it had claimed to poll is free again; starts of gigs keep their own lease.
   */
  endStaleLeases(): Promise<number>;
  /** Waits for the transactions under way, then closes. */
  close(): Promise<void>;
}
