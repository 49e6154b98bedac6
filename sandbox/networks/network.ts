import type { FaultEvent, Faults } from './faults.ts';

/** The networks that there is a local one of. */
export type LocalPlatform = 'farcaster' | 'twitter';

/** An account of a network. */
export interface NetworkUser {
  /** A FID or an X user id. */
  readonly id: string;
  readonly username: string;
  /** Ethereum addresses verified on Farcaster; the first is the primary one, unless the account has made none so. */
  readonly verifiedAddresses?: readonly string[] | undefined;
  /** Whether the account has made one of them the primary one; true when absent. */
  readonly hasPrimary?: boolean | undefined;
  /** Neynar's score, 0 to 1; 0.5 when absent, and null for an account that Neynar shows none of. */
  readonly score?: number | null | undefined;
  /** Followers as Farcaster shows them; those that follow it here when absent. */
  readonly followers?: number | undefined;
  /** When it was registered on Farcaster, epoch ms; long ago when absent. */
  readonly registeredAt?: number | undefined;
}

/** A post to be made. */
export interface NewPost {
  /** An id or a username. */
  readonly author: string;
  /** What the author types. */
  readonly text: string;
  readonly replyTo?: string | undefined;
  /** X: the post that this one is a new version of. */
  readonly editOf?: string | undefined;
  /** Farcaster: the post that this one embeds. */
  readonly quotes?: string | undefined;
  /** Farcaster: the URLs that it shows. */
  readonly embeds?: readonly string[] | undefined;
  /** When its author claims that it was made, epoch ms; now when absent. */
  readonly at?: number | undefined;
}

/** A post that was made. */
export interface NetworkPost {
  readonly id: string;
  readonly author: NetworkUser;
  /** What the author typed. */
  readonly text: string;
  readonly replyTo: string | null;
  /** The post that it embeds. */
  readonly quotes: string | null;
  /** The URLs that it shows; none when absent. */
  readonly embeds?: readonly string[] | undefined;
  /** The first post of the thread. */
  readonly threadId: string;
  /** Epoch ms, as its author claims. */
  readonly createdAt: number;
  /** The ids of all versions so far, the first one first. */
  readonly versions: readonly string[];
  readonly url: string;
}

/** What a network did, for observers. */
export type NetworkEvent =
  | { readonly type: 'posted'; readonly post: NetworkPost }
  /** The event of a post was sent to a webhook; `status` is what that answered after `ms`, or 0 for no answer. */
  | { readonly type: 'delivered'; readonly postId: string; readonly status: number; readonly ms: number }
  /** The event of a post was kept back, because the faults say so. */
  | { readonly type: 'withheld'; readonly postId: string }
  | FaultEvent;

/** A local stand-in for a social network: it speaks the real one's wire protocol. */
export interface SocialNetwork {
  readonly platform: LocalPlatform;
  /** Where it listens, without a trailing slash. @throws Error before it is started */
  readonly url: string;
  /** What goes wrong at the moment; set its fields. */
  readonly faults: Faults;
  /** Listens on 127.0.0.1; on any free port unless one is given. */
  start(port?: number): Promise<string>;
  /** Ends every connection and every delivery under way. */
  stop(): Promise<void>;
  addUser(user: NetworkUser): void;
  users(): readonly NetworkUser[];
  /**
   * Makes a post and, when it concerns the bot, delivers it in the background.
   * @throws UnknownUserError, RangeError when it answers a post that is not there
   */
  post(post: NewPost): NetworkPost;
  /** Everything posted, oldest first. */
  posts(): readonly NetworkPost[];
  repliesTo(postId: string): { id: string; text: string; author: string }[];
  /** The bot's reply to a post, waited for up to `ms` milliseconds; null when there is none by then. */
  waitForReply(postId: string, ms: number): Promise<{ id: string; text: string } | null>;
  /** Delivers the event of a post again; resolves with the answers' statuses, 0 for none. */
  redeliver(postId: string, times: number): Promise<number[]>;
  /** Where events go from now on; null for nowhere. */
  setWebhook(url: string | null): void;
  /** Resolves when no delivery is under way. */
  settled(): Promise<void>;
}

/** A post by an unknown user. */
export class UnknownUserError extends Error {
  override readonly name = 'UnknownUserError';

  constructor(author: string, known: readonly string[]) {
    super(`There is no user ${author}. The users are ${known.join(', ')}.`);
  }
}
