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

/** A lease taken at `now`, under a name nobody else uses. */
export interface LeaseRequest {
  readonly lease: string;
  readonly now: number;
  readonly until: number;
}

/** What can be read of mentions and the replies to them. */
export interface MentionReads {
  hasOptedOut(account: AccountKey): Promise<boolean>;
  /** When the account asked for no more replies, epoch ms; null when it did not, or has changed its mind. */
  optedOutAt(account: AccountKey): Promise<number | null>;
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
  /** The second reply to a mention. */
  followUpTo(mentionId: number): Promise<ReplyRecord | null>;
  /**
   * What has used the limit of an author or a thread; replies sent from `since` to `until` count. Of those that wait, those
   * that are held for another window do not.
   */
  replyWindow(window: ReplyWindow, query: { since: number; until?: number | undefined }): Promise<WindowUse>;
  /**
   * The replies held for a window that go before another one, because they are worth more, or as much and were queued
   * earlier: the oldest of them, and how many there are.
   */
  heldBefore(
    window: ReplyWindow,
    reply: { readonly id: number; readonly worth: ReplyWorth },
  ): Promise<{ first: number | null; count: number }>;
  /** Replies to an account, queued at or after `since`, that are held or were given up or refused; newest first. */
  unpostedReplies(author: AccountKey, query: { since: number; limit: number }): Promise<ReplyRecord[]>;
  /**
   * Claims whose authors were told that they are on their way and of which nothing is under way any more, oldest first,
   * each with the mention that was told.
   */
  keptPromises(): Promise<{ claimId: number; mentionId: number; platform: Platform }[]>;
}

/** What can be changed of mentions and the replies to them, inside a transaction. */
export interface MentionWrites {
  setOptedOut(account: AccountKey, optedOut: boolean, now: number): Promise<void>;
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
  markIgnored(id: number, change: { lease: string; ignoreReason: IgnoreReason }): Promise<boolean>;
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
  /** Another text for a reply that is queued and was never tried; false when it may have been. */
  reviseReply(id: number, text: string): Promise<boolean>;
  /** Gives a queued reply back until `until`, because it may not be sent yet. Only under the lease. */
  holdReply(id: number, change: { lease: string; heldFor: HeldFor; until: number; reason: string }): Promise<boolean>;
  /** Makes a held reply that no worker has due now. */
  releaseReply(id: number, now: number): Promise<boolean>;
  /** Remembers that a mention was told that the claim is on its way, so that it is told when the claim fails. */
  promiseOutcome(claimId: number, mentionId: number): Promise<boolean>;
  /** Forgets that; false when the mention is owed nothing any more. */
  endPromise(claimId: number, mentionId: number): Promise<boolean>;
}
