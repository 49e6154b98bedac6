import type { Account, AccountKey, Platform } from './account.ts';
import type { AdapterError } from './errors.ts';
import type { ReplyAllowance, ReplyWorth } from './reply-worth.ts';
import type { Address } from './token.ts';

/**
 * A post that names the bot, reduced to what the service needs and stored as it is.
 * `version` tells a later reader of the store which shape a row has.
 */
export interface Mention {
  readonly version: 1;
  readonly platform: Platform;
  /** The key: a cast hash, or the id of the first post of an X post's edit history. One mention for each, for ever. */
  readonly postId: string;
  /** The post a reply goes under: the newest edit that was seen. Equal to `postId` on Farcaster. */
  readonly replyTo: string;
  /** The thread or conversation, for the per-thread limit; the post itself when the platform names none. */
  readonly threadId: string;
  readonly authorId: string;
  /** The author's handle as the platform gave it, or null; a label, never an identity. */
  readonly authorUsername: string | null;
  /** The author's own text, without what the platform put before it; never quotes, embeds or names. */
  readonly text: string;
  /** Epoch milliseconds at which the platform says it was posted. */
  readonly postedAt: number;
}

/** Something that happened on a platform, as its webhooks and timelines tell it. The first kind is all there is so far. */
export type PlatformEvent = Mention & { readonly kind: 'mention' };

/** A post found by its URL. */
export interface Post {
  readonly platform: Platform;
  readonly postId: string;
  readonly authorId: string;
  readonly authorUsername: string | null;
  /** The author's own text. */
  readonly text: string;
  /** Epoch milliseconds. */
  readonly postedAt: number;
}

/** A reply as a platform needs it. */
export interface OutgoingReply {
  /** The post to answer. */
  readonly replyTo: string;
  /** The author of that post. */
  readonly authorId: string;
  readonly text: string;
  /** The same for every attempt at this reply, 16 characters. */
  readonly idem: string;
  /** Epoch milliseconds from which on another worker may send it: at that time nothing is written to the platform. */
  readonly notAfter: number;
}

/** The result of a look at a timeline: what was found, and where the next look may start. */
export interface PolledEvents {
  readonly events: readonly PlatformEvent[];
  /** Opaque to everybody but the platform; null when it has not seen anything yet. */
  readonly cursor: string | null;
  /** Why the look ended before its end; what it had found counts, and the cursor is where it was. */
  readonly brokenOff?: AdapterError;
}

/** One fact about a platform's set-up, for the operator. */
export interface PlatformCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do about it; empty when it is well. */
  readonly remedy: string;
}

/** What came of registering a webhook. */
export interface WebhookRegistration {
  /** What the platform delivers now, and where. */
  readonly detail: string;
  /** What is left for the operator to do; empty when nothing is. */
  readonly next: string;
  /** A secret of the webhook that the configuration does not hold yet, or null. For the operator's eyes alone. */
  readonly secret: string | null;
}

/** A webhook as a platform holds it. */
export interface RegisteredWebhook {
  readonly id: string;
  /** Where it delivers to. */
  readonly url: string;
  /** Whether the platform delivers to it at all; X says valid. */
  readonly active: boolean;
  /** What of the bot's it delivers, in the platform's own words; empty when nothing. */
  readonly events: readonly string[];
}

/**
 * A social network. Its payloads end here: nothing above learns their shapes.
 * Every method that reaches the network throws AdapterError and nothing else.
 */
export interface SocialPlatform {
  readonly platform: Platform;
  readonly bot: { readonly id: string; readonly username: string };
  /** Whether sending a reply again under the same `idem` posts nothing twice. X has no such key. */
  readonly idempotent: boolean;
  /** How long a reply may be, in the platform's own measure. */
  readonly replyLimit: number;
  /** How many replies the platform takes; empty when it takes more than the service sends. */
  readonly replyBudget: readonly ReplyAllowance[];
  /** The length of a text in the platform's own measure: UTF-8 bytes on Farcaster, weighted characters on X. */
  measure(text: string): number;
  /** Whether these exact bytes were signed by the platform. Constant time in the signature. */
  verify(rawBody: Uint8Array, signature: string | undefined): boolean;
  /**
   * The answer to a challenge by which the platform checks the webhook, where it has one; null for a token that is not
   * of the known alphabet, because the same key signs events.
   */
  answerChallenge?(token: string): string | null;
  /**
   * What a verified body tells; empty when nothing in it is of interest.
   * @throws AdapterError `bad_response` when the body is not JSON
   */
  parse(rawBody: Uint8Array): PlatformEvent[];
  /**
   * Posts a reply and returns its id. The clock is looked at last, right before the request is written.
   * @throws AdapterError whose `retry` says whether it may be sent again; `too_late` when `notAfter` has come, and
   * nothing was sent
   */
  reply(reply: OutgoingReply): Promise<{ postId: string }>;
  /** The id of the bot's own reply under this post that is none of `others`, or null when there is none. */
  findReply(query: { replyTo: string; threadId: string; others?: readonly string[] }): Promise<string | null>;
  /** Every event at or after `since` (epoch ms) that the platform still shows, from `cursor` on. */
  pollEvents(query: { cursor: string | null; since: number }): Promise<PolledEvents>;
  /** The post behind a URL, or null when there is none or it is not a post URL of this platform. */
  lookUpPost(url: string): Promise<Post | null>;
  /**
   * The Ethereum address that an account has verified and prefers, in lower case; null when it has none, or when the
   * platform knows of no such thing.
   */
  payoutAddress(accountId: string): Promise<Address | null>;
  /** The account with this id or handle, or null. */
  resolveAccount(who: { id: string } | { username: string }): Promise<Account | null>;
  /** Checks credentials, and, given the webhook's URL, its registration. Never throws; a fault is a failed check. */
  check(webhookUrl: string): Promise<PlatformCheck[]>;
  /**
   * Makes the platform deliver the bot's mentions to `webhookUrl`; doing it again mends what is wrong and changes nothing
   * else. X asks the service behind that URL to prove itself meanwhile.
   */
  registerWebhook(webhookUrl: string): Promise<WebhookRegistration>;
  /** Every webhook that these credentials may see, also those of other services. */
  listWebhooks(): Promise<RegisteredWebhook[]>;
  /** @throws AdapterError `not_found` when there is no such webhook */
  deleteWebhook(id: string): Promise<void>;
}

/** The enabled platforms. */
export type Platforms = ReadonlyMap<Platform, SocialPlatform>;

/** A mention older than this when it is first seen is not answered, in milliseconds. */
export const MAX_MENTION_AGE_MS = 24 * 60 * 60 * 1000;

export type MentionState = 'received' | 'answered' | 'ignored' | 'failed';

/** Why a mention got no reply. */
export type IgnoreReason = 'opted_out' | 'author_limit' | 'thread_limit' | 'help_already_given' | 'gave_up';

/** A stored mention. Times are epoch milliseconds. */
export interface MentionRecord extends Mention {
  readonly id: number;
  readonly receivedAt: number;
  readonly source: 'webhook' | 'poll';
  readonly state: MentionState;
  /** How often it was leased; of a leased one, how often before. */
  readonly attempts: number;
  readonly ignoreReason: IgnoreReason | null;
  readonly lastError: string | null;
}

/** What keeps a mention from its end; null for one that ended well, whatever an attempt before met or waited for. */
export function mentionFault({ state, lastError }: Pick<MentionRecord, 'state' | 'lastError'>): string | null {
  return state === 'answered' || state === 'ignored' ? null : lastError;
}

/** A stored mention that one worker holds until its lease ends. */
export interface LeasedMention extends MentionRecord {
  readonly lease: string;
}

/** `sending` survives only a crash: it is then an unknown outcome. */
export type ReplyState = 'queued' | 'sending' | 'sent' | 'failed' | 'unknown';

/** What a reply says, as far as the limits care: `unasked_help` is what an unknown command gets. */
export type ReplyKind = 'answer' | 'unasked_help';

/** What a reply waits for: room in its author's or its thread's hour, or the first reply to the same mention. */
export type HeldFor = 'author' | 'thread' | 'first_reply';

export interface NewReply {
  readonly mentionId: number;
  readonly kind: ReplyKind;
  readonly text: string;
  /** When absent, that of a look-up, or of unasked help for that kind. */
  readonly worth?: ReplyWorth | undefined;
  /** Whether it is the second reply to its mention, which says that what the first one called on its way has failed. */
  readonly followUp?: boolean;
}

/** A stored reply with what is needed to send it. Times are epoch milliseconds. */
export interface ReplyRecord extends NewReply {
  readonly id: number;
  readonly worth: ReplyWorth;
  readonly followUp: boolean;
  /** Null when it waits for nothing but its turn. */
  readonly heldFor: HeldFor | null;
  readonly platform: Platform;
  readonly createdAt: number;
  readonly state: ReplyState;
  readonly attempts: number;
  /** The id of the bot's post once it is known. */
  readonly postId: string | null;
  readonly sentAt: number | null;
  readonly lastError: string | null;
  readonly mention: Pick<Mention, 'postId' | 'replyTo' | 'threadId' | 'authorId'>;
}

/** A stored reply that one worker holds until its lease ends. */
export interface LeasedReply extends ReplyRecord {
  readonly lease: string;
}

/** The author of a mention, as an account. */
export function authorOf(mention: Pick<Mention, 'platform' | 'authorId'>): AccountKey {
  return { platform: mention.platform, platformUserId: mention.authorId };
}
