import type { Account, AccountKey, Platform } from '../account.ts';
import type { ActEvent, WatchedTarget } from '../earning/act.ts';
import type { ActReader } from '../earning/platform.ts';
import type { AdapterError } from '../errors.ts';
import type { GigEvent } from '../gigs/notice.ts';
import type { Address } from '../gigs/token.ts';
import type { ReplyAllowance, ReplyWorth } from './reply-worth.ts';

export interface RepliedPost {
  /** The key: a cast hash, or the id of the first post of an X post's edit history. Stored once, for ever. */
  readonly postId: string;
  /** The post to reply to: the newest edit that was seen. Equal to `postId` on Farcaster. */
  readonly replyTo: string;
  /** The thread or conversation, for the per-thread limit; the post itself when the platform names none. */
  readonly threadId: string;
  readonly authorId: string;
}

/**
 * A post that names the bot, reduced to what the service needs. `version` is the shape of the stored row.
 */
export interface Mention extends RepliedPost {
  readonly version: 1;
  readonly platform: Platform;
  /** The author's handle as reported by the platform, or null; a label, never an identity. */
  readonly authorUsername: string | null;
  /**
   * The author's own text, without the platform's prefix; never quotes, embeds or names. Where the platform says that the
   * bot's handle stands, it is a word of its own in the spelling of the configuration.
   */
  readonly text: string;
  /** Epoch milliseconds, as reported by the platform. */
  readonly postedAt: number;
}

export type MentionEvent = Mention & { readonly kind: 'mention' };

export type PlatformEvent = MentionEvent | ActEvent;

export interface Post {
  readonly platform: Platform;
  readonly postId: string;
  readonly authorId: string;
  readonly authorUsername: string | null;
  /** The author's own text. */
  readonly text: string;
  /** The same without the handles and links that the platform marks in it; absent where it marks none. */
  readonly plainText?: string;
  /** Epoch milliseconds. */
  readonly postedAt: number;
}

export interface OutgoingReply {
  readonly replyTo: string;
  readonly authorId: string;
  readonly text: string;
  /** The idempotency key of this reply, the same for every attempt, 16 characters. */
  readonly idem: string;
  /** The URL that it shows as a card, where the platform has cards; absent for none. */
  readonly embed?: string;
  /** Epoch milliseconds from which another worker may send it, so nothing is sent at or after that time. */
  readonly notAfter: number;
}

/** A notification of the mini app on its way to one account. */
export interface OutgoingNotification {
  readonly accountId: string;
  readonly title: string;
  readonly body: string;
  /** The page that it opens, below the public URL. */
  readonly url: string;
  /** The idempotency key, the same for every attempt: an account is shown it once. */
  readonly uuid: string;
  /** As of {@link OutgoingReply}. */
  readonly notAfter: number;
}

/** What a platform did with a notification. `unreached`: the account takes none of this mini app. */
export type NotificationOutcome = 'sent' | 'unreached';

export interface PolledEvents {
  readonly events: readonly MentionEvent[];
  /** Opaque outside the platform; null when it has seen nothing yet. */
  readonly cursor: string | null;
  /** Why the poll ended early; its events count, and the cursor is the old one. */
  readonly brokenOff?: AdapterError;
}

/** How a finding is marked: `warning` is something to look at, `off` a part that is not set up. */
export type CheckMark = 'passed' | 'warning' | 'off' | 'failed';

export interface PlatformCheck {
  readonly name: string;
  readonly ok: boolean;
  /** `passed` or `failed`, by `ok`, when absent. */
  readonly mark?: CheckMark;
  readonly detail: string;
  /** How to fix it; empty when it is fine. */
  readonly remedy: string;
}

export interface WebhookRegistration {
  /** What the platform delivers now, and where. */
  readonly detail: string;
  /** What the operator has to do next; empty when nothing. */
  readonly next: string;
  /** A secret of the webhook that the configuration lacks, or null. For the operator only. */
  readonly secret: string | null;
}

export interface RegisteredWebhook {
  readonly id: string;
  readonly url: string;
  /** Whether the platform delivers to it; X calls that valid. */
  readonly active: boolean;
  /** The bot's events that it delivers, in the platform's own words. */
  readonly events: readonly string[];
}

/**
 * A social network. Its payloads stay behind this interface. Every method that reaches the network throws only
 * AdapterError.
 */
export interface SocialPlatform {
  readonly platform: Platform;
  readonly bot: { readonly id: string; readonly username: string };
  /** Whether repeating a reply under the same `idem` posts it once. X has no such key. */
  readonly idempotent: boolean;
  /** The longest reply, in the platform's own measure. */
  readonly replyLimit: number;
  /** How many replies the platform accepts; empty when that is more than the service sends. */
  readonly replyBudget: readonly ReplyAllowance[];
  /** The length of a text in the platform's own measure: UTF-8 bytes on Farcaster, weighted characters on X. */
  measure(text: string): number;
  /** Whether the platform shows a part of a text as a link; absent where replies may have links. */
  hasLink?(text: string): boolean;
  /** Whether the platform signed these exact bytes. Constant time in the signature. */
  verify(rawBody: Uint8Array, signature: string | undefined): boolean;
  /**
   * The response to the platform's webhook challenge, if it has one; null for a token outside the known alphabet,
   * because the same key signs events.
   */
  answerChallenge?(token: string): string | null;
  /**
   * The events in a verified body; empty when it has none of interest.
   * @param wanted.acts whether acts are parsed, too, which takes longer than the rest; true when absent
   * @throws AdapterError `bad_response` when the body is not JSON
   */
  parse(rawBody: Uint8Array, wanted?: { readonly acts: boolean }): PlatformEvent[];
  /**
   * Posts a reply and returns its id. The deadline is checked last, right before the request is written.
   * @throws AdapterError whose `retry` says whether it may be sent again; `too_late` when `notAfter` has passed and
   * nothing was sent
   */
  reply(reply: OutgoingReply): Promise<{ postId: string }>;
  /**
   * Sends a notification of the mini app; absent where there is no such thing. It shares no pause with other calls, so that replies never
   * wait for it.
   * @throws AdapterError when it was not taken; one with the status 200 is about this account alone
   */
  notify?(notification: OutgoingNotification): Promise<NotificationOutcome>;
  /**
   * The id of the bot's own reply under this post, other than `others`, or null. With `earlier`, only replies of earlier
   * processes matter, so one listing of the bot's posts may serve many look-ups.
   */
  findReply(query: {
    replyTo: string;
    threadId: string;
    others?: readonly string[];
    earlier?: boolean;
  }): Promise<string | null>;
  /** Every event at or after `since` (epoch ms) that the platform still shows, from `cursor` on. */
  pollEvents(query: { cursor: string | null; since: number }): Promise<PolledEvents>;
  /** The post behind a URL, or null when there is none or the URL is no post of this platform. */
  lookUpPost(url: string): Promise<Post | null>;
  /**
   * The verified Ethereum addresses of an account, in lower case, each once and the one that it prefers first; none when
   * the platform does not know such addresses.
   */
  payoutAddresses(accountId: string): Promise<readonly Address[]>;
  /** The verified address that the account itself has made its primary one, in lower case; null without one. */
  primaryAddress(accountId: string): Promise<Address | null>;
  resolveAccount(who: { id: string } | { username: string }): Promise<Account | null>;
  /** The public key that signs what the bot posts; absent where nothing is signed so. */
  appKey?(): Promise<Address>;
  /** Reads what accounts do, for gigs that are watched; null on a platform where none is. */
  readonly acts: ActReader | null;
  /** Checks credentials and, given the webhook's URL, its registration. Never throws; a fault is a failed check. */
  check(webhookUrl: string, watched?: readonly WatchedTarget[]): Promise<PlatformCheck[]>;
  /**
   * Registers `webhookUrl` for the bot's mentions and for acts towards what is watched, where the platform reports them;
   * repeating it repairs only what is wrong. X sends a challenge to that URL meanwhile.
   */
  registerWebhook(webhookUrl: string, watched?: readonly WatchedTarget[]): Promise<WebhookRegistration>;
  /**
   * Replaces what the registered webhook asks for when it differs; absent where no webhook reports acts.
   * @returns false when no webhook is registered for this URL
   */
  updateWebhook?(webhookUrl: string, watched: readonly WatchedTarget[]): Promise<boolean>;
  /** Every webhook that these credentials can see, including those of other services. */
  listWebhooks(): Promise<RegisteredWebhook[]>;
  /** @throws AdapterError `not_found` when there is no such webhook */
  deleteWebhook(id: string): Promise<void>;
}

export type Platforms = ReadonlyMap<Platform, SocialPlatform>;

/** The handle of the bot on a platform; null where it has none. */
export function botName(platforms: Platforms, platform: Platform): string | null {
  return platforms.get(platform)?.bot.username ?? null;
}

/** A mention that is older than this when first seen is not answered, in milliseconds. */
export const MAX_MENTION_AGE_MS = 24 * 60 * 60 * 1000;

export const MENTION_STATES = ['received', 'answered', 'ignored', 'failed'] as const;
export type MentionState = (typeof MENTION_STATES)[number];

export const IGNORE_REASONS = ['opted_out', 'author_limit', 'thread_limit', 'help_already_given', 'gave_up'] as const;
export type IgnoreReason = (typeof IGNORE_REASONS)[number];

/** A stored mention. Times are epoch milliseconds. */
export interface MentionRecord extends Mention {
  readonly id: number;
  readonly receivedAt: number;
  readonly source: 'webhook' | 'poll';
  readonly state: MentionState;
  /** How often it was leased and not postponed; a {@link LeasedMention} does not count its own lease. */
  readonly attempts: number;
  readonly ignoreReason: IgnoreReason | null;
  readonly lastError: string | null;
}

/** The last error of a mention that is neither answered nor ignored, else null. */
export function mentionFault({ state, lastError }: { state: MentionState; lastError: string | null }): string | null {
  return state === 'answered' || state === 'ignored' ? null : lastError;
}

export interface LeasedMention extends MentionRecord {
  readonly lease: string;
}

/** After a crash, `sending` means an unknown outcome. */
export const REPLY_STATES = ['queued', 'sending', 'sent', 'failed', 'unknown'] as const;
export type ReplyState = (typeof REPLY_STATES)[number];

/** The kinds of reply: `unasked_help` answers an unknown command, a `notice` tells an owner of a gig's event. */
export const REPLY_KINDS = ['answer', 'unasked_help', 'notice'] as const;
export type ReplyKind = (typeof REPLY_KINDS)[number];

/** What a reply waits for: room in its author's or thread's hourly limit, or an earlier reply to the same mention. */
export const HELD_FOR = ['author', 'thread', 'first_reply'] as const;
export type HeldFor = (typeof HELD_FOR)[number];

export interface NoticeSubject {
  readonly gigId: number;
  readonly event: GigEvent;
}

export interface NewReply {
  readonly mentionId: number;
  readonly kind: ReplyKind;
  readonly text: string;
  /** When absent, that of a look-up, or of unasked help for that kind. */
  readonly worth?: ReplyWorth | undefined;
  /** Whether it is the second reply to its mention: that a promised claim has failed, or that a submission is awarded. */
  readonly followUp?: boolean;
  /** Of a notice, and of no other kind. */
  readonly notice?: NoticeSubject | null;
}

/** A stored reply with what is needed to send it. Times are epoch milliseconds. */
export interface ReplyRecord extends NewReply {
  readonly id: number;
  readonly worth: ReplyWorth;
  readonly followUp: boolean;
  readonly notice: NoticeSubject | null;
  /** Null when it waits only for its turn. */
  readonly heldFor: HeldFor | null;
  readonly platform: Platform;
  readonly createdAt: number;
  readonly state: ReplyState;
  readonly attempts: number;
  /** The id of the bot's post when it is known. */
  readonly postId: string | null;
  readonly sentAt: number | null;
  readonly lastError: string | null;
  readonly mention: RepliedPost;
}

/** Whether the outcome of a reply is not known yet. */
export function isUnderWay({ state }: ReplyRecord): boolean {
  return state !== 'sent' && state !== 'failed';
}

export interface LeasedReply extends ReplyRecord {
  readonly lease: string;
}

/** The author of a mention, as an account. */
export function authorOf(mention: { readonly platform: Platform; readonly authorId: string }): AccountKey {
  return { platform: mention.platform, platformUserId: mention.authorId };
}
