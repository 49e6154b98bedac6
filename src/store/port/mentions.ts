import type { AccountKey, Platform } from '../../domain/account.ts';
import type {
  HeldFor,
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
} from '../../domain/mention.ts';
import type { ReplyWindow, WindowUse } from '../../domain/reply-limits.ts';
import type { ReplyWorth } from '../../domain/reply-worth.ts';
import type { Page } from './page.ts';

/** A lease that begins at `now`, under a unique name. */
export interface LeaseRequest {
  readonly lease: string;
  readonly now: number;
  readonly until: number;
}

/** Reads of mentions and the replies to them. */
export interface MentionReads {
  hasOptedOut(account: AccountKey): Promise<boolean>;
  /** When the account last opted out of replies, epoch ms; null when it did not, or has opted in again. */
  optedOutAt(account: AccountKey): Promise<number | null>;
  mention(id: number): Promise<MentionRecord | null>;
  mentionByPost(platform: Platform, postId: string): Promise<MentionRecord | null>;
  mentions(query: Page & { state?: MentionState | undefined }): Promise<MentionRecord[]>;
  reply(id: number): Promise<ReplyRecord | null>;
  /** The first reply to a mention, notices aside. */
  replyTo(mentionId: number): Promise<ReplyRecord | null>;
  replies(query: Page & { state?: ReplyState | undefined }): Promise<ReplyRecord[]>;
  /**
   * Replies queued for one author from `since` to `until`, both included, optionally of one kind. `until` leaves out
   * replies that were queued on a clock that was set back since.
   */
  countRepliesToAuthor(
    author: AccountKey,
    query: { since: number; until?: number | undefined; kind?: ReplyKind | undefined },
  ): Promise<number>;
  /** How many replies a platform has received from `since` to `until`, including those being sent now. */
  countRepliesSent(platform: Platform, query: { since: number; until: number }): Promise<number>;
  /** Where the last complete poll for mentions ended. */
  pollCursor(platform: Platform): Promise<string | null>;
  /** Whether this post is one of the bot's own. */
  isOwnPost(platform: Platform, postId: string): Promise<boolean>;
  /** The second reply to a mention, notices aside. */
  followUpTo(mentionId: number): Promise<ReplyRecord | null>;
  /** All that the bot posts under a mention: its reply, the follow-up and notices, oldest first. */
  repliesTo(mentionId: number): Promise<ReplyRecord[]>;
  /**
   * What has used the limit of an author or a thread: replies sent from `since` to `until` count. Waiting replies count
   * unless they are notices, or held for another window.
   */
  replyWindow(window: ReplyWindow, query: { since: number; until?: number | undefined }): Promise<WindowUse>;
  /**
   * The replies held for a window that precede another one, because they are worth more, or as much and were queued
   * earlier: the oldest of them, and their number.
   */
  heldBefore(
    window: ReplyWindow,
    reply: { readonly id: number; readonly worth: ReplyWorth },
  ): Promise<{ first: number | null; count: number }>;
  /** Replies to an account, notices aside, queued at or after `since`, that are held or failed; newest first. */
  unpostedReplies(author: AccountKey, query: { since: number; limit: number }): Promise<ReplyRecord[]>;
  /**
   * Claims whose authors were told that payment is on its way and that have nothing under way any more, oldest first,
   * each with the mention that was told.
   */
  keptPromises(): Promise<{ claimId: number; mentionId: number; platform: Platform }[]>;
}

/** A choice among the replies that are due. */
export interface ReplyPick {
  /** Authors and threads that are left out. */
  readonly notTo: readonly string[];
  readonly notIn: readonly string[];
  /** Only those to authors to whom a reply was sent before. */
  readonly answeredBefore: boolean;
}

/** How mentions have arrived. */
export interface MentionArrival {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly source: 'webhook' | 'poll';
  /** The end of the poll that found them, stored with them. */
  readonly cursor?: { readonly platform: Platform; readonly value: string | null } | undefined;
}

/** A mention that is new, with its id. */
export interface KeptMention {
  readonly id: number;
  readonly mention: Mention;
}

/** Changes of mentions and the replies to them, inside a transaction. */
export interface MentionWrites {
  setOptedOut(account: AccountKey, optedOut: boolean, now: number): Promise<void>;
  /**
   * Stores a mention unless its `(platform, postId)` is known; returns the id when it is new, else null. A new mention
   * labels its author, as {@link setUsername}, unless a later post showed another label or another holder.
   */
  insertMention(mention: Mention, arrival: { now: number; source: 'webhook' | 'poll' }): Promise<number | null>;
  /** The same for several, at most 256, but for the bot's own posts; returns the new ones. Those of one author stay in order. */
  insertMentions(
    mentions: readonly Mention[],
    arrival: { now: number; source: 'webhook' | 'poll' },
  ): Promise<KeptMention[]>;
  /**
   * Leases the mention that has been due longest, or returns null. `attempts` excludes this attempt, which the store
   * counts at once, so that a crash counts too.
   * Mentions of one author run in order, one at a time: an older one blocks younger ones until it is done. Platforms
   * that are not named are skipped; their mentions wait.
   */
  leaseMention(request: LeaseRequest & { readonly platforms: readonly Platform[] }): Promise<LeasedMention | null>;
  /** Whether the mention is still held under this lease. */
  holdsMention(id: number, lease: string): Promise<boolean>;
  /** Received → answered. Only under the lease. */
  markAnswered(id: number, lease: string): Promise<boolean>;
  /** Received → ignored. Only under the lease. */
  markIgnored(id: number, change: { lease: string; ignoreReason: IgnoreReason }): Promise<boolean>;
  /** Returns a mention to be tried again at `retryAt`, or fails it when that is null. */
  putMentionBack(id: number, change: { lease: string; retryAt: number | null; error: string }): Promise<boolean>;
  /** Returns a mention until what it waits for may have happened; its lease does not count as an attempt. */
  postponeMention(id: number, change: { lease: string; until: number; reason: string }): Promise<boolean>;
  /**
   * Queues the first reply to a mention, the follow-up, or a notice. A second one of the same sort for the same mention, or
   * for the same gig, event and account, breaks the store's constraint and throws.
   */
  queueReply(reply: NewReply, now: number): Promise<number>;
  /**
   * Leases a platform's reply that is `queued`, `unknown`, or `sending` with its lease over: the one worth most, then
   * the one due longest; its state is unchanged. Skips replies worth less than `least`, when given. Of several `picks` the
   * first that finds a reply decides; without them every reply is one.
   */
  leaseReply(
    platform: Platform,
    request: LeaseRequest & { readonly least?: ReplyWorth | undefined; readonly picks?: readonly ReplyPick[] },
  ): Promise<LeasedReply | null>;
  /** Queued, unknown or sending → sending, with one more attempt. Only under the lease. */
  markSending(id: number, lease: string): Promise<boolean>;
  /** → sent. Only under the lease. */
  markSent(id: number, change: { lease: string; postId: string; now: number }): Promise<boolean>;
  /** → queued, unknown or failed, and the lease released. Only under the lease. */
  putReplyBack(
    id: number,
    change: { lease: string; state: 'queued' | 'unknown' | 'failed'; retryAt: number; error: string },
  ): Promise<boolean>;
  /** Queued → failed for every reply of this worth due at or before `dueBefore`. Returns how many. */
  giveUpReplies(platform: Platform, which: { worth: ReplyWorth; dueBefore: number; error: string }): Promise<number>;
  /** Failed → unknown with no attempts made, by the operator: it is looked up before it is sent again. */
  retryReply(id: number, now: number): Promise<boolean>;
  setPollCursor(platform: Platform, cursor: string | null, now: number): Promise<void>;
  /**
   * Claims the poll of a platform's mentions, so that only one of several processes polls. False when it was claimed
   * less than `everyMs` before `now`.
   */
  claimPoll(platform: Platform, request: { now: number; everyMs: number }): Promise<boolean>;
  /** Releases the poll claimed at `claimedAt`, so that it may be claimed at once; false when another process has it. */
  releasePoll(platform: Platform, claimedAt: number): Promise<boolean>;
  /** Replaces the text of a queued reply that was never tried; false when it may have been sent. */
  reviseReply(id: number, text: string): Promise<boolean>;
  /** Returns a queued reply until `until`, because it may not be sent yet. Only under the lease. */
  holdReply(id: number, change: { lease: string; heldFor: HeldFor; until: number; reason: string }): Promise<boolean>;
  /** Makes a held, unleased reply due now. False also when another transaction is about to lease or change it. */
  releaseReply(id: number, now: number): Promise<boolean>;
  /** Records that the mention's author was told that the claim is on its way, so that a failure is reported there. */
  promiseOutcome(claimId: number, mentionId: number): Promise<boolean>;
  /** Removes that record; false when there is none. */
  endPromise(claimId: number, mentionId: number): Promise<boolean>;
}
