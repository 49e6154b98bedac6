import type { Platform } from '../account.ts';
import type { GigType } from '../gigs/gig.ts';

export const ACT_KINDS = ['like', 'recast', 'quote', 'reply', 'mention', 'follow', 'submission', 'join'] as const;
export type ActKind = (typeof ACT_KINDS)[number];

export type Target =
  /** A post, by the platform's id of it. */
  | { readonly kind: 'post'; readonly postId: string; readonly authorId: string }
  | { readonly kind: 'account'; readonly accountId: string }
  /** A word of 2 to 32 letters or digits, with or without a `$` before it, in lower case. */
  | { readonly kind: 'keyword'; readonly keyword: string };

export interface Act {
  readonly kind: ActKind;
  readonly accountId: string;
  /** The account's handle, or null; a label. */
  readonly username: string | null;
  /** The post that replies, quotes, mentions or submits; empty for a like, a recast, a follow and a join. */
  readonly objectId: string;
  /** When the sender says that it happened, epoch milliseconds; null when the platform tells no time. */
  readonly actedAt: number | null;
  /** The act's own text; null for an act without one. */
  readonly text: string | null;
}

/** What a watched gig is about, with the kinds of acts that count. */
export interface WatchedTarget {
  readonly kinds: readonly ActKind[];
  readonly target: Target;
}

/** An act that was done or taken back, as a platform's webhook reports it. */
export interface ActEvent {
  readonly kind: 'act';
  readonly platform: Platform;
  readonly act: Act;
  /** Whether it was taken back; the act's time is that of taking it back then. */
  readonly isUndone: boolean;
  /** The posts and accounts that it is done towards. What keywords it has is in its text. */
  readonly towards: readonly { readonly kind: 'post' | 'account'; readonly id: string }[];
}

/**
 * What reports an act: a webhook, a look at the newest acts, or a sweep of all of them. `start` is the sweep that reads,
 * when a gig starts, which accounts follow already.
 */
export type ActSource = 'webhook' | 'look' | 'sweep' | 'start';

export const ACTS_OF: Readonly<Record<GigType, readonly ActKind[]>> = {
  like: ['like'],
  recast: ['recast'],
  boost: ['recast', 'quote'],
  reply: ['reply'],
  mention: ['mention'],
  follow: ['follow'],
  custom_bounty: ['submission'],
  hold: ['join'],
};

/** How it is known whether an act of this kind still stands. */
export const STANDS_BY: Readonly<Record<ActKind, 'sweep' | 'post' | 'follow' | 'always'>> = {
  like: 'sweep',
  recast: 'sweep',
  quote: 'post',
  reply: 'post',
  mention: 'post',
  submission: 'post',
  follow: 'follow',
  join: 'always',
};

/**
 * Whether acts of these gigs are read from their platform. Elsewhere accounts enter here: nothing is read, and nobody is paid for a
 * post.
 */
export function readsActs(gigType: GigType): boolean {
  return ACTS_OF[gigType].some((kind) => STANDS_BY[kind] !== 'always');
}

/** Kinds that platforms list; accounts do the others here. */
export const LISTED_KINDS = ACT_KINDS.filter((kind) => STANDS_BY[kind] !== 'always');
