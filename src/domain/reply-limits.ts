import type { Platform } from './account.ts';

/** How many replies the bot sends within an hour. They bound what it says, never what a command does. */
export interface ReplyLimits {
  /** Replies to one author. */
  readonly perAuthor: number;
  /** Replies in one thread; help that no author asked for counts against none. */
  readonly perThread: number;
}

/** The time that the limits are about, in milliseconds. */
export const REPLY_WINDOW_MS = 60 * 60 * 1000;
/** The unasked-for help is given to an author at most once in this time, in milliseconds. */
export const HELP_WINDOW_MS = 24 * 60 * 60 * 1000;
/** How long a reply waits for room before it is given up, in milliseconds. */
export const HOLD_MS = 24 * 60 * 60 * 1000;

/** What has used a limit: times are epoch milliseconds. */
export interface WindowUse {
  /** When the replies within the last hour were sent, oldest first. */
  readonly sentAt: readonly number[];
  /** Replies that are being sent, or may have been. */
  readonly sending: number;
  /** Replies that wait to be sent, held ones included. */
  readonly queued: number;
}

/** The first moment whose replies still count at `now`, epoch ms. */
export function windowStart(now: number): number {
  return now - REPLY_WINDOW_MS;
}

/** Whether one more reply would be above the limit, if all that wait were sent now. */
export function isUsedUp({ sentAt, sending, queued }: WindowUse, limit: number): boolean {
  return sentAt.length + sending + queued >= limit;
}

/**
 * When a reply behind `ahead` others may be sent: `now` when there is room for all of them, else the time at which enough
 * of those before it have fallen out of the window, if each of them is sent as soon as it may be. Epoch ms.
 */
export function roomAt(use: WindowUse, query: { limit: number; ahead: number; now: number }): number {
  const { limit, ahead, now } = query;
  const used = [...use.sentAt, ...Array.from({ length: use.sending }, () => now)];
  const place = used.length + ahead;
  if (place < limit) return now;
  // Each takes the room of the one that stands `limit` places before it.
  const windows = Math.floor((place - Math.max(used.length, limit)) / limit) + 1;
  const freedBy = used[place - windows * limit] ?? now;
  return freedBy + windows * (REPLY_WINDOW_MS + 1);
}

/** Whose replies a limit counts: those to an author, or those in a thread but for help that no author asked for. */
export type ReplyWindow = { readonly platform: Platform } & (
  | { readonly authorId: string }
  | { readonly threadId: string }
);
