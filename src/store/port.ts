import type { Account, AccountKey, Identifier, Platform } from '../domain/account.ts';
import type { ApiKey, LoginLink, NewApiKey, Session } from '../domain/api-key.ts';
import type { AuditEvent } from '../domain/audit-event.ts';
import type { FundingCheck, Gig, GigTransaction, NewGig } from '../domain/gig.ts';
import type {
  IgnoreReason,
  LeasedMention,
  LeasedReply,
  Mention,
  MentionRecord,
  MentionState,
  NewReply,
  ReplyKind,
  ReplyRecord,
  ReplyState,
} from '../domain/mention.ts';
import type { ReplyWorth } from '../domain/reply-worth.ts';
import type { NewTip, Tip, TipRecord } from '../domain/tip.ts';
import type { Address, Token } from '../domain/token.ts';
import type { LedgerReads, LedgerWrites } from './ledger-port.ts';
import type { Page } from './page.ts';
import type { HeldReplyReads, HeldReplyWrites } from './reply-port.ts';

export type { LedgerReads, LedgerWrites, Sender, SettledInclusion, TransferFilter } from './ledger-port.ts';
export type { Page } from './page.ts';

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

/** The answer to a request that carried an idempotency key. */
export interface IdempotentResponse {
  /** What tells one request from another: a hash of its body. */
  readonly fingerprint: string;
  /** The body that was answered, as it was sent. */
  readonly body: string;
}

/** What can be read, outside a transaction (from the last commit) or inside one (with its own writes). */
export interface StoreReads extends LedgerReads, HeldReplyReads {
  /**
   * Pending tips of every identified account (FID, X user id, or X handle held now), each once, oldest first, with their
   * tokens. Touches only those accounts' rows.
   */
  pendingTips(identifiers: readonly Identifier[]): Promise<{ tips: Tip[]; tokens: ReadonlyMap<number, Token> }>;
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
  /** What was answered to the first request that came under this key. */
  findIdempotentResponse(scope: string, key: string): Promise<IdempotentResponse | null>;
  hasOptedOut(account: AccountKey): Promise<boolean>;
  /** When the account asked for no more replies, epoch ms; null when it did not, or has changed its mind. */
  optedOutAt(account: AccountKey): Promise<number | null>;
  apiKeyByHash(hash: string): Promise<ApiKey | null>;
  apiKey(id: number): Promise<ApiKey | null>;
  apiKeys(): Promise<ApiKey[]>;
  /** The log-in under the hash of its token, also one that is over. */
  sessionByHash(hash: string): Promise<Session | null>;
  /** What was done, newest first; optionally to one gig, or by one API key and its log-ins. */
  auditEvents(query: Page & { gigId?: number | undefined; apiKeyId?: number | undefined }): Promise<AuditEvent[]>;
  mention(id: number): Promise<MentionRecord | null>;
  mentionByPost(platform: Platform, postId: string): Promise<MentionRecord | null>;
  mentions(query: Page & { state?: MentionState | undefined }): Promise<MentionRecord[]>;
  reply(id: number): Promise<ReplyRecord | null>;
  /** The first reply to a mention. */
  replyTo(mentionId: number): Promise<ReplyRecord | null>;
  replies(query: Page & { state?: ReplyState | undefined }): Promise<ReplyRecord[]>;
  /**
   * Replies queued for one author at or after `since` and not after `until`, optionally of one kind. What was queued after
   * now was so on a clock that was set back since.
   */
  countRepliesToAuthor(
    author: AccountKey,
    query: { since: number; until?: number | undefined; kind?: ReplyKind | undefined },
  ): Promise<number>;
  /** How many replies a platform has got from `since` to `until`, those that are being sent now included. */
  countRepliesSent(platform: Platform, query: { since: number; until: number }): Promise<number>;
  /** Where the last complete look for mentions ended. */
  pollCursor(platform: Platform): Promise<string | null>;
  /** Whether this post is one of the bot's own. */
  isOwnPost(platform: Platform, postId: string): Promise<boolean>;
  /** When the newest mention came, in epoch milliseconds; null before the first one. */
  lastArrival(): Promise<number | null>;
  /** How many mentions stand in each state; kept as they change, as all counts by state are. */
  mentionDepths(): Promise<Record<MentionState, number>>;
  /** How many mentions wait for an answer, and how many replies stand in each state. */
  queueDepths(): Promise<{ mentions: number; replies: Record<ReplyState, number> }>;
}

/** A lease taken at `now`, under a name nobody else uses. */
export interface LeaseRequest {
  readonly lease: string;
  readonly now: number;
  readonly until: number;
}

/**
 * What can be changed, inside a transaction. Methods that answer a boolean are conditional:
 * `false` means the row was not in the state the change needs, and nothing was changed.
 */
export interface StoreTx extends StoreReads, LedgerWrites, HeldReplyWrites {
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
  setOptedOut(account: AccountKey, optedOut: boolean, now: number): Promise<void>;

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
  /** Keeps the first answer under a key; a second one for the same key breaks the store's constraint and throws. */
  saveIdempotentResponse(scope: string, key: string, answer: IdempotentResponse & { now: number }): Promise<void>;

  insertApiKey(key: NewApiKey): Promise<ApiKey>;
  revokeApiKey(id: number, now: number): Promise<boolean>;
  /** Lets a key expire at `at`, unless it does so earlier; false when there is none, or it was revoked. */
  endApiKey(id: number, at: number): Promise<boolean>;
  touchApiKey(id: number, now: number): Promise<void>;
  /** Keeps a log-in, and forgets those that were over when it was made. */
  insertSession(session: Session): Promise<void>;
  /** False when there is none under this hash. */
  deleteSession(hash: string): Promise<boolean>;
  /** Keeps a log-in link; its id. */
  insertLoginLink(link: Pick<LoginLink, 'hash' | 'createdAt' | 'expiresAt'>): Promise<number>;
  /** Uses a log-in link up; its id, or null when there is none that is unused and not over. */
  takeLoginLink(hash: string, now: number): Promise<number | null>;
  /** Adds a line to the audit trail, which nothing can change or take away. */
  insertAuditEvent(event: Omit<AuditEvent, 'id'>): Promise<void>;

  /**
   * Stores a mention unless its `(platform, postId)` is known; the id when it is new, else null. A new one labels its
   * author, as {@link setUsername}.
   */
  insertMention(mention: Mention, arrival: { now: number; source: 'webhook' | 'poll' }): Promise<number | null>;
  /**
   * The mention that has been due longest, now held under the lease, or null. Its `attempts` are those before this one;
   * the store counts this one at once, so that a crash counts as well.
   * None is taken before an older one of its author, held or waiting for its next try, so that each author's commands
   * run in order, one at a time; and none of a platform that is not named: it waits until the platform is on again.
   */
  leaseMention(request: LeaseRequest & { readonly platforms: readonly Platform[] }): Promise<LeasedMention | null>;
  /** Whether the mention is still held under this lease. */
  holdsMention(id: number, lease: string): Promise<boolean>;
  /** Received → answered. Only under the lease. */
  markAnswered(id: number, lease: string): Promise<boolean>;
  /** Received → ignored. Only under the lease. */
  markIgnored(id: number, change: { lease: string; silence: IgnoreReason }): Promise<boolean>;
  /** Gives a mention back to be tried again at `retryAt`, or for good as `failed` when that is null. */
  putMentionBack(id: number, change: { lease: string; retryAt: number | null; error: string }): Promise<boolean>;
  /** Gives a mention back until what it waits for has had time to happen; its lease was no attempt. */
  postponeMention(id: number, change: { lease: string; until: number; reason: string }): Promise<boolean>;

  /**
   * Queues the first reply to a mention, or the one that follows it up. A second one of the same sort for the same mention
   * breaks the store's constraint and throws.
   */
  queueReply(reply: NewReply, now: number): Promise<number>;
  /**
   * The reply of a platform that is worth most, `queued`, `unknown` or `sending` with its lease over, and of those the one
   * that has been due longest; now held, its state unchanged. None that is worth less than `least`, when that is given.
   */
  leaseReply(
    platform: Platform,
    request: LeaseRequest & { readonly least?: ReplyWorth | undefined },
  ): Promise<LeasedReply | null>;
  /** Queued or unknown or sending → sending, one attempt more. Only under the lease. */
  markSending(id: number, lease: string): Promise<boolean>;
  /** → sent. Only under the lease. */
  markSent(id: number, change: { lease: string; postId: string; now: number }): Promise<boolean>;
  /** → queued, unknown or failed, and the lease given back. Only under the lease. */
  putReplyBack(
    id: number,
    change: { lease: string; state: 'queued' | 'unknown' | 'failed'; retryAt: number; error: string },
  ): Promise<boolean>;
  /** Queued → failed for every reply of this worth that has been due since `dueBefore` or longer. Answers how many. */
  giveUpReplies(platform: Platform, which: { worth: ReplyWorth; dueBefore: number; error: string }): Promise<number>;
  /** Failed → unknown with no attempts made, by an operator's hand: it is looked up before it is sent again. */
  retryReply(id: number, now: number): Promise<boolean>;

  setPollCursor(platform: Platform, cursor: string | null, now: number): Promise<void>;
  /**
   * Takes it upon the caller to look for a platform's mentions, so that of several processes one does. False when that was
   * taken less than `everyMs` before `now`.
   */
  claimPoll(platform: Platform, request: { now: number; everyMs: number }): Promise<boolean>;
  /** Gives back what was claimed at `claimedAt`, so that the look may be taken up again at once; false when another has it. */
  releasePoll(platform: Platform, claimedAt: number): Promise<boolean>;
  /**
   * Makes due at `now` what waits for a later time, mentions and replies; those under a lease when a lease taken now would
   * end. Answers how many there were.
   */
  endWaits(request: { now: number; leaseMs: number }): Promise<number>;
}

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
   * by this process or another, before anybody is told of the commit. Not a promise, since it is asked with every look-up.
   */
  version(): number;
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
