import type { Platform } from '../account.ts';

/** The hourly limits of the bot's replies. They limit its replies, never a command's effect. */
export interface ReplyLimits {
  readonly perAuthor: number;
  /** Replies in one thread, without unasked help. */
  readonly perThread: number;
}

export const REPLY_WINDOW_MS = 60 * 60 * 1000;
/** An author gets unasked help at most once in this time, in milliseconds. */
export const HELP_WINDOW_MS = 24 * 60 * 60 * 1000;
/** How long a reply waits for room before it is given up, in milliseconds. */
export const HOLD_MS = 24 * 60 * 60 * 1000;

/** The use of a limit. Times are epoch milliseconds. */
export interface WindowUse {
  /** When the replies within the last hour were sent, oldest first. */
  readonly sentAt: readonly number[];
  /** Replies that are being sent, or whose outcome is unknown. */
  readonly sending: number;
  /** Replies that wait to be sent, including held ones, notices aside. */
  readonly queued: number;
}

/** The start of the window that ends at `now`, epoch ms. */
export function windowStart(now: number): number {
  return now - REPLY_WINDOW_MS;
}

/** Whether one more reply would exceed the limit if all waiting ones were sent now. */
export function isUsedUp({ sentAt, sending, queued }: WindowUse, limit: number): boolean {
  return sentAt.length + sending + queued >= limit;
}

/**
 * When a reply behind `ahead` others can be sent, if each is sent as soon as possible: `now` when there is room for
 * all, else when enough earlier replies have left the window. Epoch ms.
 */
export function roomAt(use: WindowUse, query: { limit: number; ahead: number; now: number }): number {
  const { limit, ahead, now } = query;
  const used = [...use.sentAt, ...Array.from({ length: use.sending }, () => now)];
  const place = used.length + ahead;
  if (place < limit) return now;
  // Each reply takes the room of the one `limit` places before it.
  const windows = Math.floor((place - Math.max(used.length, limit)) / limit) + 1;
  const freedBy = used[place - windows * limit] ?? now;
  return freedBy + windows * (REPLY_WINDOW_MS + 1);
}

/** The replies that a limit counts: those to an author, or those in a thread without unasked help. */
export type ReplyWindow = { readonly platform: Platform } & (
  | { readonly authorId: string }
  | { readonly threadId: string }
);
