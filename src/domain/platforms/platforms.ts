import type { Platform } from '../account.ts';
import {
  CAST_HOSTS,
  type PostUrl,
  profileReader,
  profileWriter,
  readCast,
  readXPost,
  X_HOSTS,
} from '../mentions/post-urls.ts';

/** The facts in which platforms differ, beyond their folders in `platforms/`. */
export interface PlatformFacts {
  /** Its name in the store, in tips, in webhook paths and in metrics. */
  readonly id: Platform;
  /** Its name in gig records and in the paths of pages; clients may use it for the id. */
  readonly slug: string;
  readonly label: string;
  /** Its noun for a post, in lower case. */
  readonly post: string;
  /** Its verb or noun for passing on another account's post. */
  readonly repost: string;
  /** Its noun for an account's id, with an article: `a Farcaster FID`. */
  readonly idNoun: string;
  /** The same beside the nouns of the other platforms: `an X user id`. */
  readonly userIdNoun: string;
  /** The prefix of an account's id: next to the platform's name, and without it. */
  readonly idLabels: readonly [named: string, alone: string];
  /** How the claim look-up's `identifiers` name an account of this platform, with nouns; null when they cannot. */
  readonly identifier: { readonly kind: 'id' | 'handle'; readonly noun: string; readonly plural: string } | null;
  /** Whether a text is an account's id in its only form. */
  isId(text: string): boolean;
  /** No id that it has given is larger. */
  readonly largestId: bigint;
  /** Whether a text, without an `@`, may be a handle. */
  isHandle(text: string): boolean;
  /** The post that a URL names; null for anything else. */
  readPost(url: string): PostUrl | null;
  readonly examplePostUrl: string;
  /** The URL of a post by its id; absent where none can be made of the id alone. */
  postUrl?(postId: string): string;
  /** The account in a profile URL: its handle with an `@`, or its id; null for anything else. */
  readProfile(url: string): string | null;
  /** The URL of a profile that {@link readProfile} has read. */
  profileUrl(name: string): string;
  /** The URL that opens a new post, without the text at its end. */
  readonly composeUrl: string;
  /** Whether the platform has verified Ethereum addresses; if not, a claim has to name one. */
  readonly hasVerifiedAddress: boolean;
  readonly repliesMayLink: boolean;
  /** Whether an owner is told about a gig that its mention there started; otherwise only where it asked to be. */
  readonly tellsOwners: boolean;
  /** A mark that makes replies to different posts differ where the same text is refused twice; null where it is not. */
  readonly replyMark: ((postId: string) => string) | null;
  /** The variable that allows gigs for posts where the platform forbids paying for them; null where it does not. */
  readonly earningSwitch: string | null;
  /** Whether a mini app may notify accounts there. */
  readonly sendsNotifications: boolean;
  /** Whether what people do there may be watched and paid for by rules. */
  readonly mayBeWatched: boolean;
  /** The header, in lower case, with the signature of a delivery. */
  readonly signatureHeader: string;
  /** How the platform challenges a webhook: the parameter of its GET request and the field of the answer. */
  readonly challenge: { readonly parameter: string; readonly field: string } | null;
  readonly webhookMayNamePort: boolean;
}

const MAX_ID_DIGITS = 20;

function isNumericId(text: string): boolean {
  return text.length <= MAX_ID_DIGITS && /^(0|[1-9][0-9]*)$/.test(text);
}

export const FARCASTER: PlatformFacts = {
  id: 'farcaster',
  slug: 'farcaster',
  label: 'Farcaster',
  post: 'cast',
  repost: 'recast',
  idNoun: 'a Farcaster FID',
  userIdNoun: 'a Farcaster FID',
  idLabels: ['FID', 'FID'],
  identifier: { kind: 'id', noun: 'a Farcaster FID', plural: 'Farcaster FIDs' },
  isId: isNumericId,
  // FIDs are counted from 1 on; there are some millions.
  largestId: 2n ** 32n - 1n,
  isHandle: (text) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text),
  readPost: readCast,
  examplePostUrl: 'https://farcaster.xyz/alice/0x1234abcd',
  postUrl: (postId) => `https://farcaster.xyz/~/conversations/${encodeURIComponent(postId)}`,
  // An account without a name has its FID after a `!` for one.
  readProfile: profileReader(CAST_HOSTS, '~/profiles/', '!'),
  profileUrl: profileWriter('https://farcaster.xyz', '~/profiles'),
  composeUrl: 'https://farcaster.xyz/~/compose?text=',
  hasVerifiedAddress: true,
  repliesMayLink: true,
  tellsOwners: true,
  replyMark: null,
  earningSwitch: null,
  sendsNotifications: true,
  mayBeWatched: true,
  // docs.neynar.com, how-to-verify-the-incoming-webhooks-using-signatures
  signatureHeader: 'x-neynar-signature',
  challenge: null,
  webhookMayNamePort: true,
};

/** X, which the published interface calls `twitter`: only this row says so. */
export const X: PlatformFacts = {
  id: 'twitter',
  slug: 'x',
  label: 'X',
  post: 'post',
  repost: 'repost',
  idNoun: 'an X id',
  userIdNoun: 'an X user id',
  idLabels: ['id', 'X id'],
  identifier: { kind: 'handle', noun: 'an X username', plural: 'X usernames' },
  isId: isNumericId,
  largestId: 2n ** 63n - 1n,
  // Handles of more than 15 characters are older than that limit.
  isHandle: (text) => /^[A-Za-z0-9_]{1,20}$/.test(text),
  readPost: readXPost,
  examplePostUrl: 'https://x.com/alice/status/123',
  postUrl: (postId) => `https://x.com/i/status/${encodeURIComponent(postId)}`,
  readProfile: profileReader(X_HOSTS, 'i/user/'),
  profileUrl: profileWriter('https://x.com', 'i/user'),
  composeUrl: 'https://x.com/intent/post?text=',
  hasVerifiedAddress: false,
  repliesMayLink: false,
  // X's rules want one reply to a post: more comes only to those who asked for it.
  tellsOwners: false,
  replyMark: (postId) => ` [${BigInt(postId).toString(36).slice(-6)}]`,
  earningSwitch: 'ALLOW_X_EARNING',
  sendsNotifications: false,
  mayBeWatched: false,
  // docs.x.com, x-api/webhooks/quickstart
  signatureHeader: 'x-twitter-webhooks-signature',
  challenge: { parameter: 'crc_token', field: 'response_token' },
  webhookMayNamePort: false,
};

/** All platforms in the order in which they are listed everywhere. The first is the default. */
export const PLATFORMS: readonly PlatformFacts[] = [FARCASTER, X];

/** A noun of each platform in a sentence; their names, when no other is asked for: `Farcaster and X`. */
export function listPlatforms(word: 'and' | 'or', nounOf = ({ label }: PlatformFacts) => label): string {
  return PLATFORMS.map(nounOf)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ` ${word} `);
}

/** A reply in the words of the service: without the mark that its platform needs and nobody is to read. */
export function withoutReplyMark(text: string, mention: { platform: Platform; postId: string }): string {
  const mark = platformFacts(mention.platform).replyMark?.(mention.postId) ?? '';
  return mark !== '' && text.endsWith(mark) ? text.slice(0, -mark.length) : text;
}

/** @throws TypeError when there is no such platform */
export function platformFacts(id: Platform): PlatformFacts {
  const facts = PLATFORMS.find((row) => row.id === id);
  if (facts === undefined) throw new TypeError(`platform ${id} has no row`);
  return facts;
}

/** Where a platform's events arrive at this service, below its public URL. */
export function webhookPath(platform: Platform): string {
  return `/webhooks/${platform}`;
}

/** The platform with this id or slug. */
export function platformNamed(name: string): Platform | undefined {
  return PLATFORMS.find(({ id, slug }) => id === name || slug === name)?.id;
}

/** The slugs of all platforms, used in gig records and the paths of pages. */
export function platformSlugs(): string[] {
  return PLATFORMS.map(({ slug }) => slug);
}

/** Every name by which clients may call a platform. */
export function platformNames(): string[] {
  return [...new Set(PLATFORMS.flatMap(({ id, slug }) => [slug, id]))];
}

export interface PostReference extends PostUrl {
  readonly platform: Platform;
}

/** Reads the URL of a post on any platform; null for anything else. */
export function parsePostReference(url: string): PostReference | null {
  for (const { id, readPost } of PLATFORMS) {
    const post = readPost(url);
    if (post !== null) return { canonical: post.canonical, postId: post.postId, platform: id };
  }
  return null;
}

/** The account in a profile URL of any platform; null for anything else. The scheme may be missing. */
export function parseProfileUrl(text: string): { platform: Platform; name: string } | null {
  for (const { id, readProfile } of PLATFORMS) {
    const name = readProfile(text);
    if (name !== null) return { platform: id, name };
  }
  return null;
}
