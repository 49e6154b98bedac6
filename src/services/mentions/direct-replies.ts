import type { LeasedMention, NewReply, SocialPlatform } from '../../domain/mentions/mention.ts';
import type { ReplyWorth } from '../../domain/mentions/reply-worth.ts';
import type { StoreTx } from '../../store/port/index.ts';
import type { Turn } from './refusals.ts';
import { type Held, leastWorth, type SendContext, sendLeased } from './send-replies.ts';

/** How many turns are taken when no more replies are sent directly: those of all lanes that answer, and of those that look. */
const MOST_AT_ONCE = 12;

/**
 * The permission to send a reply right after the transaction that answers its mention, which then marks it as being sent: it is
 * neither queued nor leased. While other replies wait, the sending job decides which goes first, and none is given.
 */
export interface DirectTurn {
  readonly sending: SendContext;
  readonly network: SocialPlatform;
  readonly turn: Turn;
}

/** Null when the reply to the mention is to be queued. */
export function takeDirectTurn(
  sending: SendContext | null,
  network: SocialPlatform,
  mention: LeasedMention,
): DirectTurn | null {
  // An earlier process may have sent the reply to an older mention.
  if (sending === null || (!network.idempotent && mention.postedAt < sending.startedAt)) return null;
  const turn = sending.health.takeFreeTurn(network.platform, MOST_AT_ONCE);
  return turn && { sending, network, turn };
}

/** What a reply is marked with. */
export interface DirectLease {
  readonly lease: string;
  readonly until: number;
  readonly noteMs: number;
  /** The least worth that the platform's budget has room for; null when there is none. */
  readonly least: ReplyWorth | null;
}

/** Begins the transaction that answers: the lock of the budget comes before those of author and thread. */
export async function beginDirectReply({ sending, network }: DirectTurn, tx: StoreTx): Promise<DirectLease> {
  const now = sending.clock();
  const { leaseMs, noteMs } = sending.timing;
  const until = now + leaseMs;
  return { lease: sending.newId(), until, noteMs, least: await leastWorth(tx, network, { now, until }) };
}

/**
 * Stores the reply to a mention. With a lease nothing else waits for the limits of its author and thread, which have room; its
 * author cannot have asked for no replies by a later mention, because that is answered after this one.
 * @returns the reply when it is marked as being sent; null when it is queued
 */
export async function storeReply(
  tx: StoreTx,
  { reply, now }: { reply: NewReply & { readonly worth: ReplyWorth }; now: number },
  direct: DirectLease | null,
): Promise<Held | null> {
  if (direct === null || direct.least === null || reply.worth > direct.least) {
    await tx.queueReply(reply, now);
    return null;
  }
  const { lease, until, noteMs } = direct;
  const begun = await tx.beginReply(reply, { lease, now, until });
  return { ...begun, until, before: { state: 'queued', attempts: 0 }, noteMs };
}

/** Sends the reply, once the transaction that has marked it is on disk. */
export async function sendDirectReply({ sending, network, turn }: DirectTurn, reply: Held): Promise<void> {
  try {
    await sendLeased(sending, network, reply);
  } finally {
    turn.end();
  }
}
