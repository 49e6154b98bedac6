import { createHash } from 'node:crypto';
import type { Platform } from '../../domain/account.ts';
import { AdapterError, invalidRequest } from '../../domain/errors.ts';
import {
  isUnderWay,
  type LeasedReply,
  type NoticeSubject,
  type ReplyRecord,
  type ReplyState,
  type SocialPlatform,
} from '../../domain/mentions/mention.ts';
import { leastWorthAllowed, PERISHABLE } from '../../domain/mentions/reply-worth.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import { summarizeError } from '../../log.ts';
import type { StoreReads, StoreTx } from '../../store/port/index.ts';
import type { JobContext, ServiceContext } from '../context.ts';
import { NARROW } from '../narrow.ts';
import { recordEvent } from '../operators/audit-events.ts';
import type { ReplyContext } from './context.ts';
import type { PlatformBreaker } from './platform-breaker.ts';
import { isPostRefusal, type Turn } from './refusals.ts';
import { findRoom, type Room, whyUnwanted } from './reply-limits.ts';

/** What sends replies. */
export interface SendContext extends ReplyContext {
  readonly health: PlatformBreaker;
  /** When this process began to serve the store, epoch milliseconds. */
  readonly startedAt: number;
  readonly timing: SendTiming;
  /** Absent where replies show no cards. */
  readonly embedOf?: ReplyEmbed | undefined;
}

/** The URL that a reply shows as a card, the same for each attempt; null for none. */
export type ReplyEmbed = (reply: ReplyRecord) => Promise<string | null>;

export interface SendTiming {
  /** How long a worker may hold a reply before another may take it, in milliseconds. */
  readonly leaseMs: number;
  /** How long a post may take to show up on the bot's own timeline, in milliseconds. */
  readonly settleMs: number;
  /** The first wait after a failure, in milliseconds; it doubles up to ten minutes. */
  readonly backoffMs: number;
  /**
   * How long the note that a reply was sent directly may wait for another commit, in milliseconds. Until then the
   * store says that it is being sent. Much less than the lease.
   */
  readonly noteMs: number;
}

export const SEND_TIMING: SendTiming = { leaseMs: 60_000, settleMs: 15_000, backoffMs: 2_000, noteMs: 100 };

/** The longest wait after a failure, in milliseconds. */
export const LONGEST_BACKOFF_MS = 600_000;
/** The first wait of a reply that was refused for what may pass, in milliseconds. */
const REFUSED_MS = 60_000;
/** X refuses a text twice; if no such post of ours is found after this many tries, the reply fails. */
const MAX_DUPLICATES = 10;

/** By then a process has seen what happened to gigs before it started, in milliseconds. */
const FIRST_LOOKS_MS = 300_000;

/** Neynar wants a key of 16 characters that is the same on every retry. */
function keyOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 16);
}

/** The key of a reply, derived from its mention's post id. */
export function idemFor(postId: string, followUp = false): string {
  return keyOf(followUp ? `follow-up:${postId}` : `reply:${postId}`);
}

/** The key of a notice: it stays the same when an older backup has the notice under another of the owner's mentions. */
export function idemForNotice({ gigId, event }: NoticeSubject, ownerId: string): string {
  return keyOf(`notice:${gigId}:${event}:${ownerId}`);
}

/** Doubles from `first` with every attempt, up to ten minutes. Milliseconds. */
export function backoff(first: number, attempts: number): number {
  return Math.min(first * 2 ** Math.min(attempts, 30), LONGEST_BACKOFF_MS);
}

function logFields(reply: LeasedReply) {
  return { mentionId: reply.mentionId, replyId: reply.id, platform: reply.platform };
}

async function conclude(deps: SendContext, reply: Held, postId: string, found: boolean): Promise<void> {
  const now = deps.clock();
  const change = { lease: reply.lease, postId, now };
  const options = { ...NARROW, patienceMs: reply.noteMs };
  const kept = await deps.store.transaction((tx) => tx.markSent(reply.id, change), options);
  if (!kept) {
    deps.log.warn({ ...logFields(reply), postId }, 'reply was sent, but its lease had ended; it will be looked up');
    return;
  }
  deps.log.info({ ...logFields(reply), postId, found }, found ? 'reply found on the platform' : 'reply sent');
}

async function putBack(
  deps: SendContext,
  reply: Held,
  error: AdapterError,
  { fallback, looking }: { fallback: 'queued' | 'unknown'; looking: boolean },
) {
  const { leaseMs: _, settleMs, backoffMs } = deps.timing;
  const exhausted = error.reason === 'duplicate' && reply.before.attempts + 1 >= MAX_DUPLICATES;
  const state = error.retry === 'never' || exhausted ? 'failed' : error.retry === 'unknown' ? 'unknown' : fallback;
  // A look-up counts as no attempt, so the wait after it grows with the age of the reply.
  const patience = looking ? Math.min((deps.clock() - reply.createdAt) / 4, LONGEST_BACKOFF_MS) : 0;
  const floor = state === 'unknown' ? Math.max(settleMs, patience) : 0;
  const wait = Math.max(error.retryAfterMs ?? backoff(backoffMs, reply.before.attempts), floor);
  const retryAt = deps.clock() + wait;
  const change = { lease: reply.lease, state, retryAt, error: `${error.reason}: ${error.message}` } as const;
  await deps.store.transaction((tx) => tx.putReplyBack(reply.id, change), NARROW);
  const fields = { ...logFields(reply), state, error: summarizeError(error) };
  if (state === 'failed') deps.log.error(fields, 'reply failed permanently');
  else deps.log.warn({ ...fields, waitMs: wait }, 'reply not sent yet');
}

/**
 * Looks for the reply on the platform to settle a send whose outcome is unknown.
 * @returns whether the reply still has to be sent
 */
async function reconcile(
  deps: SendContext,
  network: SocialPlatform,
  { reply, earlier }: { reply: Held; earlier: boolean },
): Promise<boolean> {
  if (reply.before.state === 'sending' && !network.idempotent) {
    // A process died while sending. The post may not be visible yet, so the look-up comes later.
    const retryAt = deps.clock() + deps.timing.settleMs;
    const change = { lease: reply.lease, state: 'unknown', retryAt, error: 'interrupted while sending' } as const;
    await deps.store.transaction((tx) => tx.putReplyBack(reply.id, change), NARROW);
    return false;
  }
  // The other replies to the same mention must not be mistaken for this one.
  const others = (await othersOf(deps.store, reply)).flatMap(({ postId }) => postId ?? []);
  const postId = await network.findReply({ ...reply.mention, others, earlier });
  if (postId === null) return true;
  await conclude(deps, reply, postId, true);
  return false;
}

/**
 * Whether an earlier process may have sent a reply that the store calls unsent, because the store is a restored backup.
 * Where posting is idempotent, sending it again posts nothing.
 */
async function mayBeForgotten(deps: SendContext, network: SocialPlatform, reply: Held): Promise<boolean> {
  if (network.idempotent || reply.before.state !== 'queued') return false;
  // What is told later than at the first looks has happened since, however old the owner's mention is.
  if (reply.notice !== null) return reply.createdAt < deps.startedAt + FIRST_LOOKS_MS;
  const mention = await deps.store.mention(reply.mentionId);
  return mention !== null && mention.postedAt < deps.startedAt;
}

/** False when the reply must not be sent again. */
async function sendAgain(deps: SendContext, reply: LeasedReply): Promise<boolean> {
  const mark = async (tx: StoreTx) => {
    const error = await whyUnwanted(tx, reply);
    if (error === null) return await tx.markSending(reply.id, reply.lease);
    await tx.putReplyBack(reply.id, { lease: reply.lease, state: 'failed', retryAt: deps.clock(), error });
    return false;
  };
  return await deps.store.transaction(mark, NARROW);
}

async function send(deps: SendContext, network: SocialPlatform, reply: Held): Promise<void> {
  // After a pause longer than the lease another worker may hold the reply. More time left than a whole lease means that
  // the clock was set back, so the lease cannot be trusted.
  const left = reply.until - deps.clock();
  const held = reply.before.state === 'queued' ? left > 0 && left <= deps.timing.leaseMs : await sendAgain(deps, reply);
  if (!held) return;
  const { postId: answered, replyTo, authorId } = reply.mention;
  // The margin covers clocks that differ between processes, and the request's own time.
  const notAfter = reply.until - deps.timing.leaseMs / 4;
  const { notice } = reply;
  const idem = notice === null ? idemFor(answered, reply.followUp) : idemForNotice(notice, authorId);
  const embed = (await deps.embedOf?.(reply)) ?? null;
  const shown = embed === null ? {} : { embed };
  const { postId } = await network.reply({ replyTo, authorId, text: reply.text, idem, notAfter, ...shown });
  deps.health.sent(reply.platform, reply.mention);
  await conclude(deps, reply, postId, false);
}

/** A reply that this worker holds. */
export interface Held extends LeasedReply {
  /** The end of the lease, in epoch milliseconds. */
  readonly until: number;
  /** What it was when it was leased, before this worker marked it as being sent. */
  readonly before: { readonly state: ReplyState; readonly attempts: number };
  /** How long the note that it was sent may wait for another commit, in milliseconds. */
  readonly noteMs: number;
}

/**
 * The least worth that the platform's budget has room for; null when there is none.
 * @param times.until the end of the lease: others may have sent after `now`, while this lane waited for its turn
 */
export async function leastWorth(
  reads: StoreReads,
  { platform, replyBudget }: SocialPlatform,
  { now, until }: { now: number; until: number },
) {
  const budget = [];
  for (const allowance of replyBudget) {
    // After the clock was set back, sends further in its future count as not spent.
    const spent = await reads.countRepliesSent(platform, { since: now - allowance.windowMs, until });
    budget.push({ allowance, spent });
  }
  return leastWorthAllowed(budget);
}

async function claimRoom(deps: SendContext, tx: StoreTx, reply: LeasedReply, now: number): Promise<Room> {
  const room = await findRoom(tx, reply, { limits: deps.limits, now, until: now + deps.timing.leaseMs });
  if (room.verdict === 'send') await tx.markSending(reply.id, reply.lease);
  else if (room.verdict === 'hold') await tx.holdReply(reply.id, { lease: reply.lease, ...room });
  else {
    const change = { lease: reply.lease, state: 'failed', retryAt: now, error: room.reason } as const;
    await tx.putReplyBack(reply.id, change);
  }
  return room;
}

/** The result when a reply was leased and put back, because it may not be sent now. */
const HELD = Symbol('held');

/**
 * Leases the reply of most worth that the platform's budget allows, the oldest first. A queued one is marked as being
 * sent, or held, in the same transaction, so that the next check counts it.
 */
async function leaseNext(
  deps: SendContext,
  network: SocialPlatform,
  { picks }: Turn,
): Promise<Held | typeof HELD | null> {
  const now = deps.clock();
  const { platform } = network;
  const request = { lease: deps.newId(), now, until: now + deps.timing.leaseMs };
  // Most looks find nothing, for which no transaction is opened.
  const expected = await leastWorth(deps.store, network, request);
  deps.health.hasRoomFor(platform, expected);
  if (expected === null || !(await deps.store.isReplyDue(platform, { now, least: expected }))) return null;
  const lease = async (tx: StoreTx) => {
    const least = await leastWorth(tx, network, request);
    if (least === null) return { least, leased: null, room: null };
    const leased = await tx.leaseReply(platform, { ...request, least, picks });
    const room = leased?.state === 'queued' ? await claimRoom(deps, tx, leased, now) : null;
    return { least, leased, room };
  };
  const { least, leased, room } = await deps.store.transaction(lease, NARROW);
  deps.health.hasRoomFor(platform, least);
  if (leased === null) return null;
  if (room === null || room.verdict === 'send') {
    return { ...leased, until: request.until, before: leased, noteMs: 0 };
  }
  const level = room.verdict === 'hold' ? 'info' : 'error';
  deps.log[level](
    { ...logFields(leased), reason: room.reason },
    room.verdict === 'hold' ? 'reply held' : 'reply given up',
  );
  return HELD;
}

function afterFailure(deps: SendContext, reply: Held, error: AdapterError): AdapterError {
  if (!isPostRefusal(error)) {
    deps.health.failed(reply.platform, error);
    return error;
  }
  if (deps.health.refused(reply.platform, error, reply)) return error;
  // It may be the whole account that is refused, and pass.
  const { reason, message, cause } = error;
  const retryAfterMs = backoff(REFUSED_MS, reply.before.attempts);
  return new AdapterError({ reason, message, cause, retry: 'safe', retryAfterMs });
}

/** Sends a reply that is leased and marked, or finds that it was sent before. */
export async function sendLeased(deps: SendContext, network: SocialPlatform, reply: Held): Promise<void> {
  const { state } = reply.before;
  const uncertain = state === 'sending' || state === 'unknown';
  const earlier = await mayBeForgotten(deps, network, reply);
  let looking = uncertain || earlier;
  try {
    if (looking && !(await reconcile(deps, network, { reply, earlier }))) return;
    looking = false;
    await send(deps, network, reply);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    // A send that was once uncertain is looked up before each later one, and a failed look-up settles nothing. What this
    // process never tried to send stays queued, so that it is looked up in the shared listing again.
    const fallback = uncertain ? 'unknown' : 'queued';
    if (!looking) {
      await putBack(deps, reply, afterFailure(deps, reply, error), { fallback, looking });
      return;
    }
    // Rate limits of reading are not those of posting, so one that hits a look-up pauses no sending.
    if (error.reason !== 'rate_limited') deps.health.failed(network.platform, error);
    await putBack(deps, reply, lookUpFailed(error, fallback), { fallback, looking });
  }
}

/**
 * Leases the platform's reply of most worth and sends it, or finds that it was sent before. Intent is stored before the
 * platform is called; an unknown outcome is looked up before another send, and so is a reply to a mention from before
 * the process started.
 * @param onLeased called when a reply is leased, before any work on it
 * @returns whether there was a reply
 */
export async function sendNextReply(deps: SendContext, platform: Platform, onLeased?: () => void): Promise<boolean> {
  const network = deps.platforms.get(platform);
  const turn = network === undefined ? null : deps.health.takeTurn(platform);
  if (network === undefined || turn === null) return false;
  try {
    const reply = await leaseNext(deps, network, turn);
    if (reply === null) return false;
    if (reply === HELD) return true;
    onLeased?.();
    await sendLeased(deps, network, reply);
    return true;
  } finally {
    turn.end();
  }
}

/** After this long, the answer to a look-up or help request is of no use. Milliseconds. */
const PERISHED_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * Gives up look-ups, help and notices that waited a day untried, because of the platform's budget or a pause: while the
 * platform refuses every call for a cap, and for a day after that, none. Replies about starts and claims are sent however late.
 */
export async function giveUpPerished({ store, clock, log }: JobContext, platform: Platform): Promise<void> {
  const dueBefore = clock() - PERISHED_AFTER_MS;
  const pause = await store.platformPause(platform);
  if (pause !== null && dueBefore < pause.until) return;
  const found = await Promise.all(PERISHABLE.map((worth) => store.isReplyPerished(platform, { worth, dueBefore })));
  if (!found.includes(true)) return;
  const error = 'given up: it waited 24 hours for its turn, behind replies that are worth more or a paused platform';
  const givenUp = await store.transaction(async (tx) => {
    let count = 0;
    for (const worth of PERISHABLE) count += await tx.giveUpReplies(platform, { worth, dueBefore, error });
    return count;
  });
  if (givenUp > 0) log.warn({ platform, replies: givenUp }, 'replies given up after waiting 24 hours');
}

async function othersOf(reads: StoreReads, { id, mentionId }: ReplyRecord): Promise<ReplyRecord[]> {
  return (await reads.repliesTo(mentionId)).filter((other) => other.id !== id);
}

/**
 * Lets a failed reply be tried again; the sender first looks whether it was posted. Refused while another reply to
 * its mention is under way, because one could be mistaken for the other.
 * @throws DomainError `invalid_request` when there is no such reply, it has not failed, or another is under way
 */
export async function retryReply(
  { store, clock }: ServiceContext,
  { replyId, actor }: { replyId: number; actor: Actor },
): Promise<void> {
  await store.transaction(async (tx) => {
    const now = clock();
    const reply = await tx.reply(replyId);
    const other = reply === null ? undefined : (await othersOf(tx, reply)).find(isUnderWay);
    if (other !== undefined) {
      throw invalidRequest(
        `Reply ${other.id} to the same mention is ${other.state}; try again when it is sent or failed.`,
      );
    }
    if (await tx.retryReply(replyId, now)) {
      const subject = { subject: 'reply', subjectId: String(replyId), gigId: null, detail: {} } as const;
      return await recordEvent(tx, { actor, now }, { ...subject, action: 'reply.retry' });
    }
    const message =
      reply === null
        ? `There is no reply ${replyId}; see reply list.`
        : `Reply ${replyId} is ${reply.state}; only a failed one can be retried.`;
    throw invalidRequest(message);
  });
}

function lookUpFailed(error: AdapterError, fallback: 'queued' | 'unknown'): AdapterError {
  return new AdapterError({
    retry: fallback === 'queued' ? 'safe' : 'unknown',
    reason: error.reason,
    message: `could not look for the reply: ${error.message}`,
    retryAfterMs: error.retryAfterMs,
    cause: error,
  });
}
