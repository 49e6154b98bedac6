import { createHash } from 'node:crypto';
import type { Platform } from '../domain/account.ts';
import type { Actor } from '../domain/actor.ts';
import { AdapterError, DomainError } from '../domain/errors.ts';
import type { LeasedReply, Platforms, SocialPlatform } from '../domain/mention.ts';
import { type Log, summarizeError } from '../log.ts';
import type { Store, StoreTx } from '../store/port.ts';
import { recordEvent } from './audit-events.ts';
import type { PlatformHealth } from './health.ts';

export interface SendDeps {
  readonly store: Pick<Store, 'transaction'>;
  readonly platforms: Platforms;
  readonly health: PlatformHealth;
  readonly clock: () => number;
  readonly newId: () => string;
  readonly log: Log;
  readonly timing: SendTiming;
}

export interface SendTiming {
  /** How long a worker may hold a reply before it is taken for dead, in milliseconds. */
  readonly leaseMs: number;
  /** How long a post may take to show up on the bot's own timeline, in milliseconds. */
  readonly settleMs: number;
  /** The first wait after a failure, in milliseconds; it doubles up to ten minutes. */
  readonly backoffMs: number;
}

export const SEND_TIMING: SendTiming = { leaseMs: 60_000, settleMs: 15_000, backoffMs: 2_000 };

const LONGEST_BACKOFF_MS = 600_000;
/** X refuses the same text twice; when no such post can be found after this many tries, it is not ours. */
const MAX_DUPLICATES = 10;

/** Neynar asks for a key of 16 characters, the same on every retry; it follows from the post alone. */
export function idemFor(postId: string): string {
  return createHash('sha256').update(`reply:${postId}`).digest('hex').slice(0, 16);
}

/** Doubles from `first` with every attempt, up to ten minutes. Milliseconds. */
export function backoff(first: number, attempts: number): number {
  return Math.min(first * 2 ** Math.min(attempts, 30), LONGEST_BACKOFF_MS);
}

function logFields(reply: LeasedReply) {
  return { mentionId: reply.mentionId, replyId: reply.id, platform: reply.platform };
}

async function conclude(deps: SendDeps, reply: LeasedReply, postId: string, found: boolean): Promise<void> {
  const now = deps.clock();
  const change = { lease: reply.lease, postId, now };
  const kept = await deps.store.transaction((tx) => tx.markSent(reply.id, change), { repeatable: true });
  if (!kept) {
    deps.log.warn({ ...logFields(reply), postId }, 'reply was sent, but its lease had ended; it will be looked up');
    return;
  }
  deps.log.info({ ...logFields(reply), postId, found }, found ? 'reply found on the platform' : 'reply sent');
}

async function putBack(
  deps: SendDeps,
  reply: LeasedReply,
  error: AdapterError,
  { fallback, looking }: { fallback: 'queued' | 'unknown'; looking: boolean },
) {
  const { leaseMs: _, settleMs, backoffMs } = deps.timing;
  const exhausted = error.reason === 'duplicate' && reply.attempts + 1 >= MAX_DUPLICATES;
  const state = error.retry === 'never' || exhausted ? 'failed' : error.retry === 'unknown' ? 'unknown' : fallback;
  // Looking is no attempt, so the wait after it grows with the age of the reply.
  const patience = looking ? Math.min((deps.clock() - reply.createdAt) / 4, LONGEST_BACKOFF_MS) : 0;
  const floor = state === 'unknown' ? Math.max(settleMs, patience) : 0;
  const wait = Math.max(error.retryAfterMs ?? backoff(backoffMs, reply.attempts), floor);
  await deps.store.transaction((tx) =>
    tx.putReplyBack(reply.id, {
      lease: reply.lease,
      state,
      retryAt: deps.clock() + wait,
      error: `${error.reason}: ${error.message}`,
    }),
  );
  const fields = { ...logFields(reply), state, error: summarizeError(error) };
  if (state === 'failed') deps.log.error(fields, 'reply failed for good');
  else deps.log.warn({ ...fields, waitMs: wait }, 'reply not sent yet');
}

/**
 * Settles a send whose outcome is not known, by looking for the reply itself.
 * @returns whether the reply still has to be sent
 */
async function reconcile(deps: SendDeps, network: SocialPlatform, reply: LeasedReply): Promise<boolean> {
  if (reply.state === 'sending' && !network.idempotent) {
    // A process died between sending and knowing. The post may not be visible yet, so the look comes later.
    await deps.store.transaction((tx) =>
      tx.putReplyBack(reply.id, {
        lease: reply.lease,
        state: 'unknown',
        retryAt: deps.clock() + deps.timing.settleMs,
        error: 'interrupted while sending',
      }),
    );
    return false;
  }
  const postId = await network.findReply(reply.mention);
  if (postId === null) return true;
  await conclude(deps, reply, postId, true);
  return false;
}

async function send(deps: SendDeps, network: SocialPlatform, reply: Held): Promise<void> {
  // A process that slept through its lease leaves the reply to whoever holds it now.
  const held =
    reply.state === 'queued'
      ? deps.clock() < reply.until
      : await deps.store.transaction((tx) => tx.markSending(reply.id, reply.lease));
  if (!held) return;
  const { postId: answered, replyTo, authorId } = reply.mention;
  const { postId } = await network.reply({ replyTo, authorId, text: reply.text, idem: idemFor(answered) });
  deps.health.sent(reply.platform);
  await conclude(deps, reply, postId, false);
}

/** A reply in the hands of this worker until its lease ends, epoch ms. */
type Held = LeasedReply & { readonly until: number };

/** Takes the oldest due reply; a queued one is marked as being sent in the same commit, because sending it comes next. */
async function take(deps: SendDeps, platform: Platform): Promise<Held | null> {
  const now = deps.clock();
  const request = { lease: deps.newId(), now, until: now + deps.timing.leaseMs };
  const lease = async (tx: StoreTx) => {
    const leased = await tx.leaseReply(platform, request);
    if (leased?.state === 'queued') await tx.markSending(leased.id, leased.lease);
    return leased;
  };
  const reply = await deps.store.transaction(lease, { repeatable: true });
  return reply === null ? null : { ...reply, until: request.until };
}

/**
 * Takes the oldest due reply of a platform and sends it, or finds out that it was sent before.
 * Intent is on disk before the platform is called; an unknown outcome is looked up before anything is sent again.
 * @param took called when a reply is held, before anything is done about it
 * @returns whether there was something to do
 */
export async function sendNextReply(deps: SendDeps, platform: Platform, took?: () => void): Promise<boolean> {
  const network = deps.platforms.get(platform);
  if (network === undefined || !deps.health.isOpen(platform)) return false;
  const reply = await take(deps, platform);
  if (reply === null) return false;
  took?.();
  const uncertain = reply.state === 'sending' || reply.state === 'unknown';
  let looking = uncertain;
  try {
    if (uncertain && !(await reconcile(deps, network, reply))) return true;
    looking = false;
    await send(deps, network, reply);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    // The limits of reading are not those of posting: being slowed down while looking holds no other reply back.
    if (!looking || error.reason !== 'rate_limited') deps.health.failed(platform, error, reply.mention.authorId);
    // Once a send was uncertain it is looked up before every later one, and a failed look-up settles nothing.
    const fallback = uncertain ? 'unknown' : 'queued';
    await putBack(deps, reply, looking ? lookUpFailed(error) : error, { fallback, looking });
  }
  return true;
}

/**
 * Lets a failed reply be tried again: the next sender looks whether it is on its platform before it sends it.
 * @throws DomainError `invalid_request` when there is no such reply, or it has not failed
 */
export async function retryReply(
  { store, clock }: { store: Pick<Store, 'transaction'>; clock: () => number },
  { replyId, actor }: { replyId: number; actor: Actor },
): Promise<void> {
  await store.transaction(async (tx) => {
    const now = clock();
    if (await tx.retryReply(replyId, now)) {
      const subject = { subject: 'reply', subjectId: String(replyId), gigId: null, detail: {} } as const;
      return await recordEvent(tx, { actor, now }, { ...subject, action: 'reply.retry' });
    }
    const reply = await tx.reply(replyId);
    const message =
      reply === null
        ? `There is no reply ${replyId}; see reply list.`
        : `Reply ${replyId} is ${reply.state}; only a failed one can be retried.`;
    throw new DomainError({ code: 'invalid_request', message });
  });
}

function lookUpFailed(error: AdapterError): AdapterError {
  return new AdapterError({
    retry: 'unknown',
    reason: error.reason,
    message: `could not look for the reply: ${error.message}`,
    retryAfterMs: error.retryAfterMs,
    cause: error,
  });
}
