import type { Platform } from '../../domain/account.ts';
import { AdapterError, DomainError } from '../../domain/errors.ts';
import {
  authorOf,
  type IgnoreReason,
  type LeasedMention,
  type ReplyKind,
  type SocialPlatform,
} from '../../domain/mentions/mention.ts';
import {
  HELP_WINDOW_MS,
  isUsedUp,
  type ReplyLimits,
  type WindowUse,
  windowStart,
} from '../../domain/mentions/reply-limits.ts';
import type { ReplyWorth } from '../../domain/mentions/reply-worth.ts';
import { summarizeError } from '../../log.ts';
import type { DueMention, LeaseRequest, StoreReads, StoreTx } from '../../store/port/index.ts';
import { NARROW } from '../narrow.ts';
import type { Prepared } from '../prepared.ts';
import type { ReplyContext } from './context.ts';
import { beginDirectReply, type DirectLease, sendDirectReply, storeReply, takeDirectTurn } from './direct-replies.ts';
import type { DueMentions } from './due-mentions.ts';
import { backoff, type Held, LONGEST_BACKOFF_MS, type SendContext } from './send-replies.ts';

/** What the bot says to a mention. */
export interface BotReply {
  readonly kind: ReplyKind;
  readonly text: string;
  /** Its value to the reader; when absent, that of the command's success. */
  readonly worth?: ReplyWorth;
}

/** A mention that a worker holds. */
export interface MentionContext {
  readonly mention: LeasedMention;
  readonly platform: SocialPlatform;
  /** @throws LeaseLost when the worker's lease is over, so that its transaction changes nothing */
  confirm(tx: StoreTx): Promise<void>;
}

/** What a command does beyond its reply, in the transaction that concludes the mention; a broken rule has it prepared again. */
export type Effect = Partial<Prepared<unknown>>;

export interface Outcome extends Effect {
  readonly reply: BotReply;
}

/** What a command means for the answering of its mention. */
export interface CommandTraits {
  readonly name: string;
  /** The worth of its answer. */
  readonly worth: ReplyWorth;
  /** Whether it does more than read: it then runs even when the reply limits are reached, which hold back only its answer. */
  readonly changes?: boolean;
  /** Whether it is answered while its author wants no replies, or runs without a reply; it is ignored when absent. */
  readonly whenOptedOut?: 'answered' | 'silent';
}

/** A command, as it was read from a mention. */
export interface MentionCommand extends CommandTraits {
  /**
   * Asks the networks what it needs, and returns what to commit.
   * @throws AdapterError when a network did not answer and a retry may help
   * @throws Postponed when it has to wait for other work that is under way
   */
  prepare(ctx: MentionContext): Promise<Outcome>;
}

/** Reads the text of a mention of the bot, whatever it says. */
export type ReadMention = (text: string, bot: SocialPlatform['bot']) => MentionCommand;

/** What answers mentions. */
export interface AnswerContext extends ReplyContext {
  readonly readMention: ReadMention;
  /** Tells a platform's sending job that there is work. */
  readonly wake: (platform: Platform) => void;
  readonly timing: AnswerTiming;
  readonly dueMentions: DueMentions;
  /** Whether other processes may answer as well: then a mention is leased on disk before the work on it. */
  readonly isShared: () => boolean;
  /** What sends a reply right after its mention is answered; null when all replies are queued. */
  readonly sending: SendContext | null;
}

export interface AnswerTiming {
  /** How long a worker may hold a mention before another may take it, in milliseconds. */
  readonly leaseMs: number;
  /** The first wait after a failure, in milliseconds; it doubles up to ten minutes. */
  readonly backoffMs: number;
}

export const ANSWER_TIMING: AnswerTiming = { leaseMs: 60_000, backoffMs: 2_000 };

/** A mention that fails this often through our own fault is set aside for the operator. */
const MAX_ATTEMPTS = 20;

/**
 * The command waits for other work; the mention is retried after the wait, and no attempt is counted.
 * The caller that throws it must make sure that the wait ends.
 */
export class Postponed extends Error {
  override readonly name = 'Postponed';
  /** Milliseconds. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The lease ended while the command ran: another worker answers, and this worker's transaction must roll back. */
class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** A mention and its lease, which is on disk before the work on it, or is written with its outcome. */
interface Grip {
  readonly mention: LeasedMention;
  readonly request: LeaseRequest;
  isOnDisk: boolean;
}

/** @throws LeaseLost when another worker has taken the mention */
async function hold(tx: StoreTx, { mention: { id }, request, isOnDisk }: Grip): Promise<void> {
  const isHeld = isOnDisk ? await tx.holdsMention(id, request.lease) : await tx.leaseDueMention(id, request);
  if (!isHeld) throw new LeaseLost();
}

async function leaseOnDisk({ store }: AnswerContext, grip: Grip): Promise<void> {
  if (grip.isOnDisk) return;
  await store.transaction((tx) => hold(tx, grip), NARROW);
  grip.isOnDisk = true;
}

interface Windows {
  readonly author: WindowUse;
  readonly thread: WindowUse;
}

async function readWindows(
  reads: StoreReads,
  { platform, authorId, threadId }: LeasedMention,
  now: number,
): Promise<Windows> {
  const window = { since: windowStart(now), until: now };
  const author = await reads.replyWindow({ platform, authorId }, window);
  return { author, thread: await reads.replyWindow({ platform, threadId }, window) };
}

function limitReached({ author, thread }: Windows, { perAuthor, perThread }: ReplyLimits): IgnoreReason | null {
  if (isUsedUp(author, perAuthor)) return 'author_limit';
  return isUsedUp(thread, perThread) ? 'thread_limit' : null;
}

async function ignoreReasonFor(
  { store, clock, limits }: AnswerContext,
  mention: LeasedMention,
  command: CommandTraits,
): Promise<IgnoreReason | null> {
  const limit = command.changes ? null : limitReached(await readWindows(store, mention, clock()), limits);
  if (command.whenOptedOut !== undefined) return limit;
  return limit ?? ((await store.hasOptedOut(authorOf(mention))) ? 'opted_out' : null);
}

async function helpAlreadyGiven(reads: StoreReads, mention: LeasedMention, now: number): Promise<boolean> {
  const since = now - HELP_WINDOW_MS;
  return (await reads.countRepliesToAuthor(authorOf(mention), { since, until: now, kind: 'unasked_help' })) > 0;
}

async function ignore(tx: StoreTx, grip: Grip, ignoreReason: IgnoreReason): Promise<void> {
  await hold(tx, grip);
  const { mention, request } = grip;
  if (!(await tx.markIgnored(mention.id, { lease: request.lease, ignoreReason }))) throw new LeaseLost();
}

interface Answer {
  readonly grip: Grip;
  readonly command: MentionCommand;
  readonly reply: BotReply;
  /** Whether the author wants no replies. */
  readonly isStopped: boolean;
}

/** @returns the reply when it is to be sent at once; null when it is queued, or there is none */
async function conclude(
  { clock, limits }: AnswerContext,
  tx: StoreTx,
  { grip, command, reply: { kind, text, worth = command.worth }, isStopped }: Answer,
  direct: DirectLease | null,
): Promise<Held | null> {
  const now = clock();
  const { mention, request } = grip;
  const ignored = async (reason: IgnoreReason) => {
    await ignore(tx, grip, reason);
    return null;
  };
  if (isStopped) return await ignored('opted_out');
  // Another worker may have answered in the same thread since the first check.
  const windows = command.changes ? null : await readWindows(tx, mention, now);
  const late = windows && limitReached(windows, limits);
  if (late !== null) return await ignored(late);
  if (kind === 'unasked_help' && (await helpAlreadyGiven(tx, mention, now))) return await ignored('help_already_given');
  // Of what is not leased on disk, the author's lock comes before the row, as where their next mention is stored.
  await hold(tx, grip);
  const reply = { mentionId: mention.id, kind, text, worth };
  const isFirst = windows !== null && windows.author.queued + windows.thread.queued === 0;
  const held = await storeReply(tx, { reply, now }, isFirst ? direct : null);
  if (!(await tx.markAnswered(mention.id, request.lease))) throw new LeaseLost();
  return held;
}

/** Sends the reply to a mention that is answered. */
type Send = () => Promise<void>;

/** @returns what sends the reply; null when it is queued, or there is none */
async function answerMention(deps: AnswerContext, grip: Grip): Promise<Send | null> {
  const { store, log } = deps;
  const { mention } = grip;
  const platform = deps.platforms.get(mention.platform);
  if (platform === undefined) throw new TypeError(`${mention.platform} is off, but one of its mentions was leased`);
  const command = deps.readMention(mention.text, platform.bot);
  const ignoreReason = await ignoreReasonFor(deps, mention, command);
  const fields = { mentionId: mention.id, platform: mention.platform, command: command.name };
  if (ignoreReason !== null) {
    await store.transaction((tx) => ignore(tx, grip, ignoreReason), NARROW);
    log.info({ ...fields, ignoreReason }, 'mention not answered');
    return null;
  }
  const isStopped = command.whenOptedOut === 'silent' && (await store.hasOptedOut(authorOf(mention)));
  // What does more than read may have its effect before its outcome.
  if (command.changes) await leaseOnDisk(deps, grip);
  const confirm = (tx: StoreTx) => hold(tx, grip);
  const { reply, commit, abandon } = await command.prepare({ mention, platform, confirm });
  if (commit !== undefined) await leaseOnDisk(deps, grip);
  const answer = { grip, command, reply, isStopped };
  const direct = commit === undefined && !command.changes ? takeDirectTurn(deps.sending, platform, mention) : null;
  const write = async (tx: StoreTx) => {
    const lease = direct && (await beginDirectReply(direct, tx));
    if (commit !== undefined) {
      await confirm(tx);
      await commit(tx, deps.clock());
    }
    return await conclude(deps, tx, answer, lease);
  };
  let held: Held | null = null;
  try {
    held = await store.transaction(write);
  } catch (error) {
    await abandon?.();
    if (error instanceof DomainError) throw new Postponed(error.message, deps.timing.backoffMs);
    throw error;
  } finally {
    if (held === null) direct?.turn.end();
  }
  log.info(fields, 'mention concluded');
  if (held !== null && direct !== null) return () => sendDirectReply(direct, held);
  deps.wake(mention.platform);
  return null;
}

async function postpone(deps: AnswerContext, grip: Grip, { message, retryAfterMs }: Postponed): Promise<void> {
  const { mention, request } = grip;
  const waitMs = Math.min(retryAfterMs, LONGEST_BACKOFF_MS);
  const until = deps.clock() + waitMs;
  const change = { lease: request.lease, until, reason: message };
  const write = async (tx: StoreTx) => {
    await hold(tx, grip);
    await tx.postponeMention(mention.id, change);
  };
  await deps.store.transaction(write, NARROW);
  deps.log.info({ mentionId: mention.id, platform: mention.platform, waitMs }, `mention waits: ${message}`);
}

async function putBack(deps: AnswerContext, grip: Grip, error: unknown): Promise<void> {
  const { log, clock, timing } = deps;
  const { mention, request } = grip;
  const exhausted = !(error instanceof AdapterError) && mention.attempts + 1 >= MAX_ATTEMPTS;
  const asked = error instanceof AdapterError ? error.retryAfterMs : undefined;
  // The author's later commands wait for this one, so no network's wish may hold it up for long.
  const wait = Math.min(Math.max(asked ?? 0, backoff(timing.backoffMs, mention.attempts)), LONGEST_BACKOFF_MS);
  const fields = { mentionId: mention.id, platform: mention.platform, error: summarizeError(error) };
  const change = {
    lease: request.lease,
    retryAt: exhausted ? null : clock() + wait,
    error: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown error',
  };
  const write = async (tx: StoreTx) => {
    await hold(tx, grip);
    await tx.putMentionBack(mention.id, change);
  };
  await deps.store.transaction(write, NARROW);
  if (exhausted) log.error(fields, 'mention failed after too many attempts');
  else log.warn({ ...fields, waitMs: wait }, 'mention not answered yet');
}

/** After a failure, or while the command waits. @throws LeaseLost */
async function putAway(deps: AnswerContext, grip: Grip, error: unknown): Promise<void> {
  if (error instanceof LeaseLost) throw error;
  if (error instanceof Postponed) return await postpone(deps, grip, error);
  if (error instanceof AdapterError && error.reason === 'paused') {
    // Nothing was tried, so no attempt is counted.
    return await postpone(deps, grip, new Postponed(error.message, error.retryAfterMs ?? deps.timing.backoffMs));
  }
  await putBack(deps, grip, error);
}

async function findDue({ store, platforms }: AnswerContext, now: number): Promise<DueMention[]> {
  const found = await Promise.all([...platforms.keys()].map((platform) => store.dueMentions(platform, now)));
  return found.flat().sort((a, b) => a.dueAt - b.dueAt || a.id - b.id);
}

/** The next mention of those that are due; null when there is none. Most looks find none, for which no transaction is opened. */
async function takeNext(deps: AnswerContext): Promise<Grip | null> {
  const now = deps.clock();
  const request = { lease: deps.newId(), now, until: now + deps.timing.leaseMs };
  if (deps.isShared()) {
    if ((await findDue(deps, now)).length === 0) return null;
    const whose = { ...request, platforms: [...deps.platforms.keys()] };
    const mention = await deps.store.transaction((tx) => tx.leaseMention(whose), NARROW);
    return mention && { mention, request, isOnDisk: true };
  }
  const due = await deps.dueMentions.take(() => findDue(deps, now));
  if (due === null) return null;
  const { dueAt: _, ...mention } = due;
  return { mention: { ...mention, lease: request.lease }, request, isOnDisk: false };
}

/**
 * Answers the oldest due mention: fetches what the command needs, then in one transaction applies its effect, marks the
 * mention answered and queues the reply, or marks it as being sent. A crash leaves all of that or nothing.
 * @param onLeased called when a mention is taken, before any work on it
 * @param goOn waits for the sending of a reply, though not for a slow platform, which would keep mentions waiting; when absent it is
 * waited for in any case
 * @returns whether there was a mention
 */
export async function answerNextMention(
  deps: AnswerContext,
  onLeased?: () => void,
  goOn: (sending: Promise<void>) => Promise<void> = (sending) => sending,
): Promise<boolean> {
  const grip = await takeNext(deps);
  if (grip === null) return false;
  onLeased?.();
  const { id } = grip.mention;
  let send: Send | null = null;
  try {
    send = await answerMention(deps, grip).catch(async (error: unknown) => {
      await putAway(deps, grip, error);
      return null;
    });
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    deps.log.warn({ mentionId: id }, 'mention leased by another worker');
  } finally {
    deps.dueMentions.release(id);
  }
  // A failure to send says nothing about the mention, which is answered.
  if (send !== null) await goOn(send());
  return true;
}
