import { authorOf, type HeldFor, isUnderWay, type LeasedReply } from '../../domain/mentions/mention.ts';
import {
  HOLD_MS,
  type ReplyLimits,
  type ReplyWindow,
  roomAt,
  windowStart,
} from '../../domain/mentions/reply-limits.ts';
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
  /** The end of the reply's lease: others may have sent after `now`, while this lane waited for its turn. */
  readonly until: number;
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
async function waitFor(tx: StoreTx, reply: LeasedReply, { of, limit }: Window, times: { now: number; until: number }) {
  const { now, until } = times;
  const use = await tx.replyWindow(of, { since: windowStart(now), until });
  const ahead = await tx.heldBefore(of, reply);
  const opens = (count: number) => roomAt(use, { limit, ahead: count, now });
  // Room opened earlier than foreseen: the first in line may have it now.
  if (ahead.first !== null && opens(0) === now) await tx.releaseReply(ahead.first, now);
  const room = opens(ahead.count);
  if (room === now) return ahead.first === null ? null : { isFull: false, until: now + LOOK_AGAIN_MS.turn };
  return { isFull: true, until: use.sending > 0 ? Math.min(room, now + LOOK_AGAIN_MS.sending) : room };
}

/**
 * Whether a reply must wait, because another one to its mention goes before it or may be on the platform: while only one
 * outcome is unknown, a post that is found is that reply.
 */
async function awaitsOther(tx: StoreTx, { id, mentionId, followUp, notice }: LeasedReply): Promise<boolean> {
  if (!followUp && notice === null) return false;
  const others = (await tx.repliesTo(mentionId)).filter(isUnderWay);
  return others.some((other) => other.id < id || other.state !== 'queued');
}

/** Null while the notice is of use, and for other replies. */
async function whyUseless(tx: StoreTx, reply: LeasedReply, now: number): Promise<string | null> {
  const { notice, platform, mention, createdAt } = reply;
  if (notice === null) return null;
  if (now >= createdAt + HOLD_MS) return 'given up after 24 hours';
  const owner = authorOf({ platform, authorId: mention.authorId });
  if ((await tx.telling(notice.gigId, owner))?.state === 'off')
    return 'given up: its owner turned notices of the gig off';
  return (await tx.ownsGig(notice.gigId, owner)) ? null : 'given up: its account does not own the gig any more';
}

/** Why a reply must not be posted any more: its author asked for no replies by a later mention; null when not so. */
export async function whyUnwanted(tx: StoreTx, { platform, mention, mentionId }: LeasedReply): Promise<string | null> {
  const isUnwanted = await tx.optedOutAfter(authorOf({ platform, authorId: mention.authorId }), mentionId);
  return isUnwanted ? 'given up: its author turned replies off while it waited' : null;
}

/**
 * Whether a queued reply may be sent now, given the hourly limits of its author and thread. Replies that wait for one
 * window go in order of worth and age; one without room for 24 hours is given up.
 */
export async function findRoom(tx: StoreTx, reply: LeasedReply, { limits, now, until: leased }: Query): Promise<Room> {
  const whyNot = (await whyUnwanted(tx, reply)) ?? (await whyUseless(tx, reply, now));
  if (whyNot !== null) return { verdict: 'give_up', reason: whyNot };
  if (await awaitsOther(tx, reply)) {
    const reason = 'held until the outcome of an earlier reply to its mention is known';
    return { verdict: 'hold', heldFor: 'first_reply', until: now + LOOK_AGAIN_MS.firstReply, reason };
  }
  const deadline = reply.createdAt + HOLD_MS;
  for (const window of windowsOf(reply, limits)) {
    const wait = await waitFor(tx, reply, window, { now, until: leased });
    if (wait === null) continue;
    const { heldFor, words } = window;
    const isLate = wait.isFull && now >= deadline;
    if (isLate) return { verdict: 'give_up', reason: `given up after 24 hours: ${words}` };
    const until = wait.isFull ? Math.min(wait.until, deadline) : wait.until;
    return { verdict: 'hold', heldFor, until, reason: `held until the limit allows it: ${words}` };
  }
  return { verdict: 'send' };
}
