import type { Account, AccountKey, AccountName, Platform } from '../../domain/account.ts';
import type { FundingCheck, Gig, GigTransaction, NewGig } from '../../domain/gig.ts';
import type { NewTip, Tip, TipRecord } from '../../domain/tip.ts';
import type { Address, Token } from '../../domain/token.ts';
import type { Page } from './page.ts';

/**
 * Filters gigs by phase at `now` and by platform. `live`: started and not over; `active`: live and inside the window;
 * `ended`: started and over; `cancelled`: never started, and not to be.
 */
export interface GigFilter {
  readonly phase: 'created' | 'live' | 'active' | 'ended' | 'cancelled' | 'all';
  readonly now: number;
  /** All when absent. */
  readonly platforms?: readonly Platform[] | undefined;
}

/** Pending tips, and the tokens that they are in, by id. */
export interface PendingTips {
  readonly tips: readonly Tip[];
  readonly tokens: ReadonlyMap<number, Token>;
}

/** Reads of gigs, their tips, accounts and tokens. */
export interface GigReads {
  /**
   * Pending tips of every identified account (FID, X user id, or current X handle), each once, oldest first, with their
   * tokens. Reads only those accounts' rows.
   */
  pendingTips(identifiers: readonly AccountName[]): Promise<PendingTips>;
  gig(id: number): Promise<Gig | null>;
  /** Newest first. `now` decides the phase of a live gig. */
  gigs(query: Page & GigFilter): Promise<Gig[]>;
  /** The gig's owners in the order of their addition, with their current handles. */
  gigOwners(gigId: number): Promise<Account[]>;
  gigTransactions(gigId: number): Promise<GigTransaction[]>;
  /**
   * The started gigs of a chain whose funding must be checked again, each with the block in which it was seen and the
   * block that must have settled.
   */
  fundingsToCheck(chainId: number): Promise<FundingCheck[]>;
  ownsGig(gigId: number, account: AccountKey): Promise<boolean>;
  account(key: AccountKey): Promise<Account | null>;
  /** The account that holds this handle now; compared without case. */
  accountByHandle(platform: Platform, handle: string): Promise<Account | null>;
  token(chainId: number, address: Address): Promise<Token | null>;
  tip(id: number): Promise<TipRecord | null>;
  /** Whether the account has a tip, pending or claimed but not void, from the gig. */
  hasTip(gigId: number, account: AccountKey): Promise<boolean>;
  /** The highest gig id that was reserved or skipped; 0 before the first. */
  lastGigId(): Promise<number>;
}

/** Changes of gigs, their tips, accounts and tokens, inside a transaction. */
export interface GigWrites {
  /** The token with this chain and address, inserted if it is new; an existing row is returned unchanged. */
  ensureToken(token: Omit<Token, 'id'>): Promise<{ token: Token; isNew: boolean }>;
  /**
   * Stores an account's current handle according to its platform, and takes it from the account that held it before. A
   * `null` username keeps the known handle.
   * @param seenAt when the platform said it, epoch milliseconds, now when absent: what it has said later stays
   */
  setUsername(account: Account, now: number, seenAt?: number): Promise<void>;
  /**
   * Stores a label from an API client, which cannot move a handle: it counts only for an account without a label, and
   * while no other account holds the handle. False when it was ignored.
   */
  suggestUsername(account: Account, now: number): Promise<boolean>;
  /** Reserves the next gig id until it is released, or for ever. */
  reserveGigId(): Promise<number>;
  /**
   * Releases a reserved, unused id; false when a later id was given out meanwhile, or the engine takes none back: then it
   * stays unused.
   */
  releaseGigId(id: number): Promise<boolean>;
  /** Sees to it that no new gig gets this id or one before it. */
  passGigIds(last: number): Promise<void>;
  /**
   * Inserts a gig under the reserved `id`, or else the next one. Ids are never reused, because the wallet derives from
   * them.
   */
  insertGig(
    gig: NewGig,
    options: {
      now: number;
      walletAddress: (id: number) => Address;
      id?: number | undefined;
      /** The newest block of its chain now; not noted when absent. */
      createdBlock?: bigint | null;
      /** The owning client; none when absent. */
      client?: string | null;
      /** The API key that creates it; none when absent. */
      createdBy?: number | null;
    },
  ): Promise<Gig>;
  /** Assigns a gig without a client; false when it has one, or there is no such gig. */
  assignGig(gigId: number, client: string): Promise<boolean>;
  /** False when the account owns the gig already, or there is no such gig. `addedBy` is the API key that adds it. */
  addGigOwner(gigId: number, owner: AccountKey, now: number, addedBy?: number | null): Promise<boolean>;
  /** False when the account does not own the gig. */
  removeGigOwner(gigId: number, owner: AccountKey): Promise<boolean>;
  /** Replaces the terms of a gig that is `created` and whose start is not locked at `now`; false otherwise. */
  changeTerms(gigId: number, change: { terms: NewGig; now: number }): Promise<boolean>;
  /**
   * Takes the start lock; `holder` may take it again, and takes it over from every holder whose name begins with
   * `takesOver`. False while another holder's lease runs, or when not `created`.
   */
  lockGig(
    gigId: number,
    request: { holder: string; takesOver?: string | undefined; now: number; until: number },
  ): Promise<boolean>;
  /** Releases the lock; false when `holder` no longer had it. */
  unlockGig(gigId: number, holder: string): Promise<boolean>;
  /** Created → live, production, lock released. Only while `holder` has the lock. */
  markLive(gigId: number, change: { holder: string; startTime: number; endTime: number }): Promise<boolean>;
  recordGigTransaction(transaction: GigTransaction, now: number): Promise<void>;
  /** Marks the gig's funding as checked again; false when no check was due. */
  markFundingChecked(gigId: number): Promise<boolean>;
  /** Moves the funding check from block `from` to block `to`; false when it is no longer due at `from`. */
  postponeFundingCheck(gigId: number, change: { from: bigint; to: bigint }): Promise<boolean>;
  /**
   * Inserts tips under the next numbers of their gigs and adds them to the awarded sums; the caller must check the
   * reward. `awardedBy` is the API key that awards them.
   */
  insertTips(tips: readonly NewTip[], now: number, awardedBy?: number | null): Promise<Tip[]>;
  /**
   * Voids a pending tip that no running claim holds and subtracts it from the awarded sum. False when it is not such a
   * tip.
   */
  voidTip(id: number, change: { reason: string; now: number }): Promise<boolean>;
}
