import type { Account, AccountKey, AccountName, Platform } from '../../domain/account.ts';
import type { FundingCheck, Gig, GigTransaction, NewGig } from '../../domain/gig.ts';
import type { NewTip, Tip, TipRecord } from '../../domain/tip.ts';
import type { Address, Token } from '../../domain/token.ts';
import type { Page } from './page.ts';

/**
 * Which gigs: by where they stand at `now`, and by platform. `live` went live and is not over;
 * of these, `active` are inside their window; `ended` went live and are over.
 */
export interface GigFilter {
  readonly phase: 'created' | 'live' | 'active' | 'ended' | 'all';
  readonly now: number;
  /** All when absent. */
  readonly platforms?: readonly Platform[] | undefined;
}

/** What can be read of gigs, their tips, and the accounts and tokens they are about. */
export interface GigReads {
  /**
   * Pending tips of every identified account (FID, X user id, or X handle held now), each once, oldest first, with their
   * tokens. Touches only those accounts' rows.
   */
  pendingTips(identifiers: readonly AccountName[]): Promise<{ tips: Tip[]; tokens: ReadonlyMap<number, Token> }>;
  gig(id: number): Promise<Gig | null>;
  /** Newest first. `now` decides where a live gig stands in its window. */
  gigs(query: Page & GigFilter): Promise<Gig[]>;
  /** The gig's owners in the order in which they were added, with the handles they hold now. */
  gigOwners(gigId: number): Promise<Account[]>;
  gigTransactions(gigId: number): Promise<GigTransaction[]>;
  /**
   * The started gigs of a chain whose funding has to be looked at again, each with the block in which it was seen and the
   * block that must have settled.
   */
  fundingsToCheck(chainId: number): Promise<FundingCheck[]>;
  ownsGig(gigId: number, account: AccountKey): Promise<boolean>;
  account(key: AccountKey): Promise<Account | null>;
  /** Whoever holds this handle now; compared without case. */
  accountByHandle(platform: Platform, handle: string): Promise<Account | null>;
  token(chainId: number, address: Address): Promise<Token | null>;
  tip(id: number): Promise<TipRecord | null>;
  /** Whether the account has a tip, pending or claimed but not void, from the gig. */
  hasTip(gigId: number, account: AccountKey): Promise<boolean>;
}

/** What can be changed of gigs, their tips, and the accounts and tokens they are about, inside a transaction. */
export interface GigWrites {
  /** The token with this chain and address, inserted if it is new; an existing row is returned unchanged. */
  ensureToken(token: Omit<Token, 'id'>): Promise<Token>;
  /**
   * Remembers an account under the handle that its platform says it holds now; the account that held it before loses it.
   * A `null` username says nothing: the handle known before stays.
   */
  setUsername(account: Account, now: number): Promise<void>;
  /**
   * Takes a label from an API client, whose word moves no handle: it counts only for an account without a label, and
   * while no other account holds the handle. False when it was ignored.
   */
  suggestUsername(account: Account, now: number): Promise<boolean>;
  /** Takes the next gig id out of use for everybody else, for ever or until it is released. */
  reserveGigId(): Promise<number>;
  /** Gives a reserved id back that no gig got; false when a later one was given out meanwhile: then it stays unused. */
  releaseGigId(id: number): Promise<boolean>;
  /**
   * Ids are never used twice, because the wallet derives from them. Under the reserved `id` when one is given, else under
   * the next one.
   */
  insertGig(
    gig: NewGig,
    options: {
      now: number;
      walletAddress: (id: number) => Address;
      id?: number | undefined;
      /** The client that it belongs to; none when absent. */
      client?: string | null;
      /** The API key that creates it; none when absent. */
      createdBy?: number | null;
    },
  ): Promise<Gig>;
  /** Gives a gig that has no client to one; false when it has one, or there is no such gig. */
  assignGig(gigId: number, client: string): Promise<boolean>;
  /** False when the account owns the gig already, or there is no such gig. `addedBy` is the API key that adds it. */
  addGigOwner(gigId: number, owner: AccountKey, now: number, addedBy?: number | null): Promise<boolean>;
  /** False when the account does not own the gig. */
  removeGigOwner(gigId: number, owner: AccountKey): Promise<boolean>;
  /** New terms for a gig that is `created` and whose start lock nobody holds at `now`; false otherwise. */
  changeTerms(gigId: number, change: { terms: NewGig; now: number }): Promise<boolean>;
  /**
   * Takes the start lock; `holder` may take it again, and takes it over from every holder whose name begins with
   * `takesOver`. False while another holder's lease runs, or when not `created`.
   */
  lockGig(
    gigId: number,
    request: { holder: string; takesOver?: string | undefined; now: number; until: number },
  ): Promise<boolean>;
  /** Gives the lock back; false when `holder` no longer held it. */
  unlockGig(gigId: number, holder: string): Promise<boolean>;
  /** Created → live, production, lock released. Only while `holder` has the lock. */
  markLive(gigId: number, change: { holder: string; startTime: number; endTime: number }): Promise<boolean>;
  recordGigTransaction(transaction: GigTransaction, now: number): Promise<void>;
  /** The gig's funding was looked at again; false when it had not to be. */
  markFundingChecked(gigId: number): Promise<boolean>;
  /** The funding is looked at again once block `to` has settled, not `from`; false when `from` is no longer the block. */
  postponeFundingCheck(gigId: number, change: { from: bigint; to: bigint }): Promise<boolean>;
  /**
   * Inserts tips and adds them to what their gigs have awarded. Whether the reward allows it is the caller's to check.
   * `awardedBy` is the API key that awards them.
   */
  insertTips(tips: readonly NewTip[], now: number, awardedBy?: number | null): Promise<Tip[]>;
  /**
   * Takes a tip back that is pending and that no running claim holds: nobody can claim it any more, and what its gig has
   * awarded is less by it. False when it is not such a tip.
   */
  voidTip(id: number, change: { reason: string; now: number }): Promise<boolean>;
}
