import type { AccountName } from '../../domain/account.ts';
import type { Mention } from '../../domain/mentions/mention.ts';
import type { GigIds } from '../sql/engine.ts';
import type { NounReads, NounWrites } from '../sql/nouns.ts';
import type { PendingTips } from './gigs.ts';
import type { Instance, InstanceStatus } from './instances.ts';
import type { PaymentStop } from './ledger.ts';
import type { MentionArrival, StoredMention } from './mentions.ts';
import type { EngineStatus, PoolStatus } from './status.ts';

export type { IdempotentResponse, KeptAnswer } from './access.ts';
export type { AuditFault } from './alerts.ts';
export type {
  BlockedAccount,
  EarningCount,
  EarningDecision,
  EarningOverview,
  Evaluation,
  NewObservation,
  Settleable,
  Sight,
  StoredEarningRules,
  TopEarning,
} from './earning.ts';
export type {
  EventFilter,
  EventLease,
  FailedTry,
  Release,
  ReplayRequest,
  TakenSlot,
  WaitingDeliveries,
} from './events.ts';
export type { GigFilter } from './gigs.ts';
export type { Instance, InstanceStatus } from './instances.ts';
export type { LedgerState, PaymentStop } from './ledger.ts';
export type { DueMention, LeaseRequest, MentionArrival, ReplyPick, StoredMention } from './mentions.ts';
export type { Page, TwoWayPage } from './page.ts';
export type {
  AccountFailures,
  LatePayments,
  MadePayment,
  MarkedIn,
  MissedPayment,
  PaymentFilter,
  PaymentScope,
  PaymentSums,
  PaymentsToSum,
  TokenSum,
} from './payments.ts';
export type { EngineName, EngineStatus, PoolStatus, ServerDoubt, ServerStatus, Standby } from './status.ts';

/**
 * Reads, outside a transaction (from the last commit) or inside one (including its own writes). Outside, a method sees one
 * state of the store, even if it runs several statements. Here are those that each engine has of its own; the others are
 * where their queries are, in `store/sql`.
 */
export interface StoreReads extends NounReads {
  /**
   * Pending tips of every identified account (FID, X user id, or current X handle), each once, oldest first, with their
   * tokens. Reads only those accounts' rows.
   */
  pendingTips(identifiers: readonly AccountName[]): Promise<PendingTips>;
  /** The highest gig id that was reserved or skipped; 0 before the first. */
  lastGigId(): Promise<number>;
  /** Null while payments may be made, as always where the store is a file. Compares the server with the one before at once. */
  paymentStop(): Promise<PaymentStop | null>;
}

/**
 * Writes, inside a transaction, one after another in the order of their calls. Methods that return a boolean are
 * conditional: `false` means that the row was not in the required state, and nothing was changed. A method that rejects
 * undoes the whole transaction, even if `run` catches its error.
 */
export interface StoreTx extends StoreReads, NounWrites, GigIds {
  /**
   * Ends a stop of payments. False when there is none, the server has changed since, or nobody has noted the change yet, as
   * each start and beat does.
   */
  allowPayments(stop: Pick<PaymentStop, 'server'>): Promise<boolean>;
  /**
   * Lets the event loop turn within a long transaction, so that it delays no requests. A file is written by no other
   * transaction meanwhile, so each of those waits until this one ends.
   */
  rest(): Promise<void>;
}

export interface TransactionOptions {
  /**
   * That the transaction rests only on the rows which its own conditional change names, as a lease or the end of a step
   * does. When the answer to its COMMIT is lost, a networked engine may run it again although it was committed, or reject:
   * what the rows say then must be true, and the second run must do no harm. SQLite loses no answers.
   */
  readonly narrow?: boolean;
  /**
   * That the transaction changes only what it has added itself, which no other can see before the commit. A networked engine
   * takes no locks then, because there is nobody to keep out: thousands of gigs would take as many.
   */
  readonly isUnseen?: boolean;
  /**
   * How long the transaction may wait for another one, whose commit it then shares, in milliseconds; none when absent. Only for
   * what its caller alone waits for. A networked engine does not wait.
   */
  readonly patienceMs?: number;
}

/**
 * The service's persistent state. Every method is async and coarse, so that it can be implemented on another database.
 * `transaction` is the only way to write. `run` may await only `tx`: a transaction that awaits anything else is rolled
 * back with a TypeError. Its promise settles only after the commit is on disk, and with it all that `run` has read. A read
 * outside may find what is not on disk yet, so nothing may rest on that alone which cannot be taken back.
 */
export interface Store extends StoreReads {
  /**
   * `run` may be called several times, each time after the writes of the call before were undone: it changes nothing but
   * through `tx`, and what is to follow from it follows from the value that it returns, after the commit.
   */
  transaction<T>(run: (tx: StoreTx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Stores mentions, and the cursor of the poll that found them, in one step that is on disk when this settles. It skips posts
   * that are known and the bot's own, and returns the new ones. Several deliveries may share a commit; each fails by itself.
   */
  storeMentions(mentions: readonly Mention[], arrival: MentionArrival): Promise<StoredMention[]>;
  /**
   * The same text means the same committed transactions: what was read under one version stays true while the version is
   * the same. It changes with every commit of any process, before the commit's caller is told.
   */
  version(): Promise<string>;
  /**
   * What `pendingTips` finds, in a state of the store that contains all commits whose callers were told before this is
   * called; `asOf` names the state. `found` is null when it is known to be the same as in the state `since`, which an
   * earlier answer of this store named. Those that are called in one turn are read together.
   */
  pendingTipsSince(
    identifiers: readonly AccountName[],
    since: string | null,
  ): Promise<{ asOf: string; found: PendingTips | null }>;
  /** Proves that the database is writable; throws when it is not. */
  checkWritable(): Promise<void>;
  /**
   * Begins to serve the store. Where the engine knows that no other process serves it, the leases on mentions, replies,
   * watches and deliveries that a dead process left are ended, and its poll claims, its watch for conditions and its release
   * of events are freed; gig start locks keep their own lease. Elsewhere leases end by time alone. Returns how many were ended.
   */
  begin(): Promise<number>;
  /**
   * Tells the others, every few seconds, that this process of a `version` serves the store, and notes on which server: when
   * that is another one than before, all payments are stopped, and the ids that gigs may have been given there are skipped.
   * Once a minute it keeps the ledger's beat.
   * @throws StoreMoved when the store is a side of a copy: this process must end
   */
  beat(version: string): Promise<InstanceStatus>;
  /** The processes that serve the store, and those that did so lately; none where one alone can. */
  instances(): Promise<Instance[]>;
  /** What keeps the store, asked now. */
  engine(): Promise<EngineStatus>;
  /** The connections of this process; asks nothing of the store. None where it is a file. */
  pools(): Promise<PoolStatus[]>;
  /** Waits for running transactions, then closes. */
  close(): Promise<void>;
}
