import { authorOf, type HeldFor, type LeasedReply } from '../../domain/mention.ts';
import { HOLD_MS, type ReplyLimits, type ReplyWindow, roomAt, windowStart } from '../../domain/reply-limits.ts';
import type { StoreTx } from '../../store/port/index.ts';

/** How soon a reply is checked again that waits for another one, or for one that is being sent. Milliseconds. */
const LOOK_AGAIN_MS = { firstReply: 15_000, sending: 600_000, turn: 1_000 };

export type Room =
  | { readonly verdict: 'send' }
  | { readonly verdict: 'hold'; readonly heldFor: HeldFor; readonly until: number; readonly reason: string }
  | { readonly verdict: 'give_up'; readonly reason: string };

interface Query {
  readonly limits: ReplyLimits;
  /** Epoch milliseconds. */
  readonly now: number;
}

interface Window {
  readonly heldFor: 'author' | 'thread';
  readonly of: ReplyWindow;
  readonly limit: number;
  readonly words: string;
}

function windowsOf({ platform, kind, mention }: LeasedReply, { perAuthor, perThread }: ReplyLimits): Window[] {
  const { authorId, threadId } = mention;
  const author: Window = {
    heldFor: 'author',
    of: { platform, authorId },
    limit: perAuthor,
    words: `its author gets at most ${perAuthor} an hour (REPLIES_PER_AUTHOR_HOUR)`,
  };
  const thread: Window = {
    heldFor: 'thread',
    of: { platform, threadId },
    limit: perThread,
    words: `its thread gets at most ${perThread} an hour (REPLIES_PER_THREAD_HOUR)`,
  };
  return kind === 'unasked_help' ? [author] : [author, thread];
}

/** Until when a reply waits for a window, and whether that is full or only serves others first; null to send now. */
async function waitFor(tx: StoreTx, reply: LeasedReply, { of, limit }: Window, now: number) {
  const use = await tx.replyWindow(of, { since: windowStart(now), until: now });
  const ahead = await tx.heldBefore(of, reply);
  const opens = (count: number) => roomAt(use, { limit, ahead: count, now });
  // Room opened earlier than foreseen: the first in line may have it now.
  if (ahead.first !== null && opens(0) === now) await tx.releaseReply(ahead.first, now);
  const room = opens(ahead.count);
  if (room === now) return ahead.first === null ? null : { isFull: false, until: now + LOOK_AGAIN_MS.turn };
  return { isFull: true, until: use.sending > 0 ? Math.min(room, now + LOOK_AGAIN_MS.sending) : room };
}

/** Whether a follow-up must wait, because the first reply to its mention is neither sent nor failed. */
async function awaitsFirstReply(tx: StoreTx, { followUp, mentionId }: LeasedReply): Promise<boolean> {
  const first = followUp ? await tx.replyTo(mentionId) : null;
  return first !== null && first.state !== 'sent' && first.state !== 'failed';
}

/**
 * Whether a queued reply may be sent now, given the hourly limits of its author and thread. Replies that wait for one
 * window go in order of worth and age; one without room for 24 hours is given up.
 */
export async function findRoom(tx: StoreTx, reply: LeasedReply, { limits, now }: Query): Promise<Room> {
  const optedOutAt =
    reply.heldFor === null
      ? null
      : await tx.optedOutAt(authorOf({ platform: reply.platform, authorId: reply.mention.authorId }));
  if (optedOutAt !== null && optedOutAt > reply.createdAt)
    return { verdict: 'give_up', reason: 'given up: its author turned replies off while it was held' };
  if (await awaitsFirstReply(tx, reply)) {
    const reason = 'held until the outcome of the first reply to its mention is known';
    return { verdict: 'hold', heldFor: 'first_reply', until: now + LOOK_AGAIN_MS.firstReply, reason };
  }
  const deadline = reply.createdAt + HOLD_MS;
  for (const window of windowsOf(reply, limits)) {
    const wait = await waitFor(tx, reply, window, now);
    if (wait === null) continue;
    const { heldFor, words } = window;
    const isLate = wait.isFull && now >= deadline;
    if (isLate) return { verdict: 'give_up', reason: `given up after 24 hours: ${words}` };
    const until = wait.isFull ? Math.min(wait.until, deadline) : wait.until;
    return { verdict: 'hold', heldFor, until, reason: `held until the limit allows it: ${words}` };
  }
  return { verdict: 'send' };
}
