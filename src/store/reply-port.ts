import type { AccountKey, Platform } from '../domain/account.ts';
import type { HeldFor, ReplyRecord } from '../domain/mention.ts';
import type { ReplyWindow, WindowUse } from '../domain/reply-limits.ts';
import type { ReplyWorth } from '../domain/reply-worth.ts';

/** A part of the port: what can be read of replies that wait or follow another one. */
export interface HeldReplyReads {
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

/** A part of the port: what can be changed of replies that wait or follow another one, inside a transaction. */
export interface HeldReplyWrites {
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
