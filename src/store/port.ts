import type { Account, AccountKey, Identifier, Platform } from '../domain/account.ts';
import type { ApiKey, LoginLink, NewApiKey, Session } from '../domain/api-key.ts';
import type { AuditEvent } from '../domain/audit-event.ts';
import type { Claim, NewClaim } from '../domain/claim.ts';
import type { AcceptedUse, ForeignUse } from '../domain/foreign-use.ts';
import type { Gig, GigTransaction, NewGig } from '../domain/gig.ts';
import type {
  LeasedMention,
  LeasedReply,
  Mention,
  MentionRecord,
  MentionState,
  NewReply,
  ReplyKind,
  ReplyRecord,
  ReplyState,
  Silence,
} from '../domain/mention.ts';
import type { NewTip, Tip, TipRecord } from '../domain/tip.ts';
import type { Address, Token } from '../domain/token.ts';
import type { NewTransfer, SignedTransaction, Transfer, TransferKind, TransferState } from '../domain/transfer.ts';

/** A page of a list: newest first, rows with an id below `before`. */
export interface Page {
  readonly limit: number;
  readonly before?: number | undefined;
}

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
export interface KeptAnswer {
  /** What tells one request from another: a hash of its body. */
  readonly fingerprint: string;
  /** The body that was answered, as it was sent. */
  readonly body: string;
}

/** What can be read, outside a transaction (from the last commit) or inside one (with its own writes). */
export interface StoreReads extends LedgerReads {
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
  ownsGig(gigId: number, account: AccountKey): Promise<boolean>;
  account(key: AccountKey): Promise<Account | null>;
  /** Whoever holds this handle now; compared without case. */
  accountByHandle(platform: Platform, handle: string): Promise<Account | null>;
  token(chainId: number, address: Address): Promise<Token | null>;
  tip(id: number): Promise<TipRecord | null>;
  /** Whether the account has a tip, pending or claimed but not void, from the gig. */
  hasTip(gigId: number, account: AccountKey): Promise<boolean>;
  /** What was answered to the first request that came under this key. */
  firstAnswer(scope: string, key: string): Promise<KeptAnswer | null>;
  hasOptedOut(account: AccountKey): Promise<boolean>;
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
  replyTo(mentionId: number): Promise<ReplyRecord | null>;
  replies(query: Page & { state?: ReplyState | undefined }): Promise<ReplyRecord[]>;
  /** Replies queued for one author at or after `since`, optionally of one kind. */
  countRepliesToAuthor(author: AccountKey, query: { since: number; kind?: ReplyKind | undefined }): Promise<number>;
  countRepliesInThread(thread: { platform: Platform; threadId: string }, query: { since: number }): Promise<number>;
  /** Where the last complete look for mentions ended. */
  pollCursor(platform: Platform): Promise<string | null>;
  /** Whether this post is one of the bot's own. */
  isOwnPost(platform: Platform, postId: string): Promise<boolean>;
  /** How many mentions stand in each state. */
  mentionDepths(): Promise<Record<MentionState, number>>;
  /** How many mentions wait for an answer, and how many replies stand in each state. */
  queueDepths(): Promise<{ mentions: number; replies: Record<ReplyState, number> }>;
}

/** One wallet on one chain. */
export interface Sender {
  readonly chainId: number;
  readonly sender: Address;
}

/** Where and how a transfer landed. */
export interface Landing {
  readonly hash: `0x${string}`;
  readonly blockNumber: bigint;
  /** Wei. */
  readonly gasSpent: bigint;
}

/** What one payout of a gig's tips moved: base units of the gig's token, and when it was found final, in epoch ms. */
export interface GigPayment {
  readonly at: number;
  readonly amount: bigint;
}

/** Which transfers; all when nothing is said. */
export interface TransferFilter {
  readonly state?: TransferState | undefined;
  readonly kind?: TransferKind | undefined;
  /** Those for this gig, gas included. */
  readonly gigId?: number | undefined;
}

/** What the store knows of claims and of the money that left or will leave the service's wallets. */
export interface LedgerReads {
  claim(id: number): Promise<Claim | null>;
  claimByPost(platform: Platform, postId: string): Promise<Claim | null>;
  claims(query: Page & { account?: AccountKey | undefined }): Promise<Claim[]>;
  transfer(id: number): Promise<Transfer | null>;
  /** Oldest first. */
  transfersOfClaim(claimId: number): Promise<Transfer[]>;
  /** Every transfer for a gig, gas included, oldest first. */
  transfersOfGig(gigId: number): Promise<Transfer[]>;
  /** What a gig's confirmed transfers moved, payouts and fee but no gas, in base units of its token. */
  amountPaidByGig(gigId: number): Promise<bigint>;
  /** Whether gas for a gig's wallet is planned or on its way. */
  awaitsGas(gigId: number): Promise<boolean>;
  transfers(query: Page & TransferFilter): Promise<Transfer[]>;
  /** How many payouts to an account landed since then without moving anything, at the gas tank's expense. */
  failedLandings(account: AccountKey, query: { since: number }): Promise<number>;
  /** Wallets with a transfer that is planned, signed or broadcast, the longest waiting first. */
  busySenders(): Promise<Sender[]>;
  /** The one transfer of a wallet that is signed or broadcast, or null. */
  openTransfer(sender: Sender): Promise<Transfer | null>;
  /** The transfer that used a nonce of a wallet, whatever became of it, or null. */
  transferByNonce(sender: Sender, nonce: number): Promise<Transfer | null>;
  /** The oldest planned transfer of a wallet, or null. */
  nextPlanned(sender: Sender): Promise<Transfer | null>;
  /** One more than the highest nonce that any transfer of the wallet was signed with, or null when none was. */
  nextNonce(sender: Sender): Promise<number | null>;
  /**
   * The tips that a transfer is to pay, has paid, or failed to pay and that no other claim has taken since. Oldest first.
   */
  tipsOfTransfer(transferId: number): Promise<Tip[]>;
  /** The confirmed payouts of an account's claims, newest first. */
  paidTo(account: AccountKey, page: Page): Promise<Transfer[]>;
  /** The confirmed payouts of a gig's tips, oldest first. */
  paidByGig(gigId: number): Promise<GigPayment[]>;
  /** How many transfers stand in each state. */
  transferDepths(): Promise<Record<TransferState, number>>;
  /** Whether an address is a stored token's or a gig's wallet: nobody is paid there. */
  isOwnAddress(address: Address): Promise<boolean>;
  /** Why a gig pays nothing, or null: what was found comes before what the operator said. */
  gigFreeze(gigId: number): Promise<string | null>;
  /** Every gig that pays nothing, with the reason, by id. */
  frozenGigs(): Promise<{ gigId: number; reason: string }[]>;
  /** What others did with the gig's wallet and the operator accepted, in the order in which that was done. */
  acceptedUses(gigId: number): Promise<AcceptedUse[]>;
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
export interface StoreTx extends StoreReads, LedgerWrites {
  /** The token with this chain and address, inserted if it is new; an existing row is returned unchanged. */
  ensureToken(token: Omit<Token, 'id'>): Promise<Token>;

  /**
   * Remembers an account under the handle it holds now; whoever held that handle before loses it. A `null` username says
   * nothing: the handle known before stays.
   */
  labelAccount(account: Account, now: number): Promise<void>;
  setOptedOut(account: AccountKey, optedOut: boolean, now: number): Promise<void>;

  /** Ids are never used twice, because the wallet derives from them. */
  insertGig(
    gig: NewGig,
    options: {
      now: number;
      walletAddress: (id: number) => Address;
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
  /** Takes the start lock; `holder` may take it again. False while another holder's lease runs, or when not `created`. */
  lockGig(gigId: number, request: { holder: string; now: number; until: number }): Promise<boolean>;
  /** Gives the lock back; false when `holder` no longer held it. */
  unlockGig(gigId: number, holder: string): Promise<boolean>;
  /** Created → live, production, lock released. Only while `holder` has the lock. */
  markLive(gigId: number, change: { holder: string; startTime: number; endTime: number }): Promise<boolean>;
  recordGigTransaction(transaction: GigTransaction, now: number): Promise<void>;

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
  keepAnswer(scope: string, key: string, answer: KeptAnswer & { now: number }): Promise<void>;

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
   * author, as {@link labelAccount}.
   */
  insertMention(mention: Mention, arrival: { now: number; source: 'webhook' | 'poll' }): Promise<number | null>;
  /**
   * The mention that has been due longest, now held under the lease, or null. Its `attempts` are those before this one;
   * the store counts this one at once, so that a crash counts as well.
   * None is taken before an older one of its author, held or waiting for its next try, so that each author's commands
   * run in order, one at a time; and none of a platform that is not named: it waits until the platform is on again.
   */
  leaseMention(request: LeaseRequest & { readonly platforms: readonly Platform[] }): Promise<LeasedMention | null>;
  /** Received → answered. Only under the lease. */
  markAnswered(id: number, lease: string): Promise<boolean>;
  /** Received → ignored. Only under the lease. */
  markIgnored(id: number, change: { lease: string; silence: Silence }): Promise<boolean>;
  /** Gives a mention back to be tried again at `retryAt`, or for good as `failed` when that is null. */
  putMentionBack(id: number, change: { lease: string; retryAt: number | null; error: string }): Promise<boolean>;
  /** Gives a mention back until what it waits for has had time to happen; its lease was no attempt. */
  postponeMention(id: number, change: { lease: string; until: number; reason: string }): Promise<boolean>;

  /** Queues the one reply to a mention. A second one for the same mention breaks the store's constraint and throws. */
  queueReply(reply: NewReply, now: number): Promise<number>;
  /**
   * The reply of a platform that has been due longest, `queued`, `unknown` or `sending` with its lease over; now held,
   * its state unchanged.
   */
  leaseReply(platform: Platform, request: LeaseRequest): Promise<LeasedReply | null>;
  /** Queued or unknown or sending → sending, one attempt more. Only under the lease. */
  markSending(id: number, lease: string): Promise<boolean>;
  /** → sent. Only under the lease. */
  markSent(id: number, change: { lease: string; postId: string; now: number }): Promise<boolean>;
  /** → queued, unknown or failed, and the lease given back. Only under the lease. */
  putReplyBack(
    id: number,
    change: { lease: string; state: 'queued' | 'unknown' | 'failed'; retryAt: number; error: string },
  ): Promise<boolean>;
  /** Failed → unknown with no attempts made, by an operator's hand: it is looked up before it is sent again. */
  retryReply(id: number, now: number): Promise<boolean>;

  setPollCursor(platform: Platform, cursor: string | null, now: number): Promise<void>;
}

/** What can be changed in the ledger, inside a transaction. */
export interface LedgerWrites {
  /** A second claim for the same post breaks the store's constraint and throws. */
  insertClaim(claim: NewClaim): Promise<Claim>;
  /**
   * Takes every pending tip of the claim's account that no running claim holds: from now on they carry the claim's
   * public id, the start and the timeout, and the recipient as their address. Oldest first.
   */
  takeTips(claim: Claim, options: { now: number; lockTimeout: number }): Promise<Tip[]>;
  /**
   * Takes again, for their claim, the tips of a failed transfer that are still pending and that no other claim has taken
   * since. Oldest first.
   */
  retakeTips(transferId: number, options: { claim: Claim; now: number; lockTimeout: number }): Promise<Tip[]>;
  /**
   * A `planned` transfer that pays these tips; none for gas and fees. Throws a RangeError when the tips are not what its
   * claim took for its recipient from its gig and in its token, when another transfer pays one of them already, or when
   * they do not add up to its amount.
   */
  planTransfer(transfer: NewTransfer, options: { now: number; tipIds: readonly number[] }): Promise<Transfer>;
  /**
   * Planned → signed, with the first form. False when it is not planned, or the wallet has another open transfer.
   * A nonce that the wallet has used before breaks the store's constraint and throws.
   */
  markSigned(id: number, change: { nonce: number; form: SignedTransaction; now: number }): Promise<boolean>;
  /** One more signed form under the same nonce. Only while signed or broadcast. */
  addForm(id: number, change: { form: SignedTransaction; now: number }): Promise<boolean>;
  /** Signed → broadcast; one that is broadcast was offered once more. */
  markBroadcast(id: number, now: number): Promise<boolean>;
  /** Signed or broadcast → confirmed; its tips → claimed, with the hash. Throws when the hash is none of its forms. */
  markConfirmed(id: number, change: Landing & { now: number }): Promise<boolean>;
  /**
   * Planned → failed when `landing` is null; signed or broadcast → failed when it landed and did nothing, which is the
   * only way for it to fail: bytes that exist may still land. Its tips can be claimed again, and keep naming it until they
   * are. Throws when the hash is none of its forms.
   */
  markTransferFailed(id: number, change: { reason: string; landing: Landing | null; now: number }): Promise<boolean>;
  /**
   * Signed or broadcast → replaced, because its nonce was spent by a transaction that is not ours; the same payment is
   * planned anew and its tips move to it. The new transfer, or null when it was not open.
   */
  planAgain(id: number, change: { reason: string; now: number }): Promise<Transfer | null>;
  /**
   * What a transfer waits for, in words; null when it waits for nothing. Its next step clears it; one that is over keeps
   * its own.
   */
  noteTransfer(id: number, change: { reason: string | null; now: number }): Promise<void>;
  /**
   * Stops a gig's payments for what was found, or lets them go on with null, unless the operator froze it as well. Throws
   * when there is no such gig.
   */
  freezeGig(gigId: number, change: { reason: string | null; now: number }): Promise<void>;
  /**
   * Freezes a gig by the operator's word, or ends that with null; what was found of it stays. False when it is so already,
   * or there is no such gig.
   */
  freezeByOperator(gigId: number, reason: string | null): Promise<boolean>;
  /** Remembers for ever that an operator accepted a foreign use; false when one did before, which stays as it was. */
  acceptUse(gigId: number, use: ForeignUse, now: number): Promise<boolean>;
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
   * Answers how many there were. Starts of gigs keep their own lease.
   */
  endStaleLeases(): Promise<number>;
  /** Waits for the transactions under way, then closes. */
  close(): Promise<void>;
}
