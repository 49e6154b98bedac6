import type { Platform } from '../../domain/account.ts';
import { AdapterError, DomainError } from '../../domain/errors.ts';
import {
  authorOf,
  type IgnoreReason,
  type LeasedMention,
  type ReplyKind,
  type SocialPlatform,
} from '../../domain/mentions/mention.ts';
import { HELP_WINDOW_MS, isUsedUp, type ReplyLimits, windowStart } from '../../domain/mentions/reply-limits.ts';
import type { ReplyWorth } from '../../domain/mentions/reply-worth.ts';
import { summarizeError } from '../../log.ts';
import type { StoreReads, StoreTx } from '../../store/port/index.ts';
import type { ReplyContext } from './context.ts';
import { backoff, LONGEST_BACKOFF_MS } from './send-replies.ts';

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

/** What a command does besides its reply. */
export interface Effect {
  /**
   * The command's effect, in the transaction that concludes the mention. Awaits only `tx`.
   * @throws DomainError when its preconditions have changed: the command is prepared again
   */
  readonly commit?: (tx: StoreTx) => Promise<unknown>;
  /** Releases what the preparation locked, after the transaction has failed. */
  readonly abandon?: () => Promise<void>;
}

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

interface Limited {
  readonly limits: ReplyLimits;
  /** Epoch milliseconds. */
  readonly now: number;
}

async function limitReached(
  reads: StoreReads,
  { platform, authorId, threadId }: LeasedMention,
  { limits, now }: Limited,
): Promise<IgnoreReason | null> {
  const window = { since: windowStart(now), until: now };
  const toAuthor = await reads.replyWindow({ platform, authorId }, window);
  if (isUsedUp(toAuthor, limits.perAuthor)) return 'author_limit';
  const inThread = await reads.replyWindow({ platform, threadId }, window);
  return isUsedUp(inThread, limits.perThread) ? 'thread_limit' : null;
}

async function ignoreReasonFor(
  reads: StoreReads,
  { mention, command }: { mention: LeasedMention; command: CommandTraits },
  limited: Limited,
): Promise<IgnoreReason | null> {
  const limit = command.changes ? null : await limitReached(reads, mention, limited);
  if (command.whenOptedOut !== undefined) return limit;
  return limit ?? ((await reads.hasOptedOut(authorOf(mention))) ? 'opted_out' : null);
}

async function helpAlreadyGiven(reads: StoreReads, mention: LeasedMention, now: number): Promise<boolean> {
  const since = now - HELP_WINDOW_MS;
  return (await reads.countRepliesToAuthor(authorOf(mention), { since, until: now, kind: 'unasked_help' })) > 0;
}

async function ignore(tx: StoreTx, mention: LeasedMention, ignoreReason: IgnoreReason): Promise<void> {
  if (!(await tx.markIgnored(mention.id, { lease: mention.lease, ignoreReason }))) throw new LeaseLost();
}

async function answerMention(deps: AnswerContext, mention: LeasedMention): Promise<void> {
  const { store, clock, log } = deps;
  const platform = deps.platforms.get(mention.platform);
  if (platform === undefined) throw new TypeError(`${mention.platform} is off, but one of its mentions was leased`);
  const command = deps.readMention(mention.text, platform.bot);
  const { limits } = deps;
  const ignoreReason = await ignoreReasonFor(store, { mention, command }, { limits, now: clock() });
  const fields = { mentionId: mention.id, platform: mention.platform, command: command.name };
  if (ignoreReason !== null) {
    await store.transaction((tx) => ignore(tx, mention, ignoreReason), { narrow: true });
    log.info({ ...fields, ignoreReason }, 'mention not answered');
    return;
  }
  const isStopped = command.whenOptedOut === 'silent' && (await store.hasOptedOut(authorOf(mention)));
  const conclude = async (tx: StoreTx, { kind, text, worth = command.worth }: BotReply) => {
    const now = clock();
    if (isStopped) return await ignore(tx, mention, 'opted_out');
    // Another worker may have answered in the same thread since the first check.
    const late = command.changes ? null : await limitReached(tx, mention, { limits, now });
    if (late !== null) return await ignore(tx, mention, late);
    if (kind === 'unasked_help' && (await helpAlreadyGiven(tx, mention, now))) {
      return await ignore(tx, mention, 'help_already_given');
    }
    // The author's lock comes before the row, as where their next mention is stored.
    await tx.queueReply({ mentionId: mention.id, kind, text, worth }, now);
    if (!(await tx.markAnswered(mention.id, mention.lease))) throw new LeaseLost();
  };
  const confirm = async (tx: StoreTx) => {
    if (!(await tx.holdsMention(mention.id, mention.lease))) throw new LeaseLost();
  };
  const { reply, commit, abandon } = await command.prepare({ mention, platform, confirm });
  const write = async (tx: StoreTx) => {
    if (commit !== undefined) {
      await confirm(tx);
      await commit(tx);
    }
    await conclude(tx, reply);
  };
  try {
    await store.transaction(write);
  } catch (error) {
    await abandon?.();
    if (error instanceof DomainError) throw new Postponed(error.message, deps.timing.backoffMs);
    throw error;
  }
  log.info(fields, 'mention concluded');
  deps.wake(mention.platform);
}

async function postpone(
  deps: AnswerContext,
  mention: LeasedMention,
  { message, retryAfterMs }: Postponed,
): Promise<void> {
  const waitMs = Math.min(retryAfterMs, LONGEST_BACKOFF_MS);
  const until = deps.clock() + waitMs;
  const change = { lease: mention.lease, until, reason: message };
  await deps.store.transaction((tx) => tx.postponeMention(mention.id, change), { narrow: true });
  deps.log.info({ mentionId: mention.id, platform: mention.platform, waitMs }, `mention waits: ${message}`);
}

async function putBack(deps: AnswerContext, mention: LeasedMention, error: unknown): Promise<void> {
  const { log, clock, timing } = deps;
  const exhausted = !(error instanceof AdapterError) && mention.attempts + 1 >= MAX_ATTEMPTS;
  const asked = error instanceof AdapterError ? error.retryAfterMs : undefined;
  // The author's later commands wait for this one, so no network's wish may hold it up for long.
  const wait = Math.min(Math.max(asked ?? 0, backoff(timing.backoffMs, mention.attempts)), LONGEST_BACKOFF_MS);
  const fields = { mentionId: mention.id, platform: mention.platform, error: summarizeError(error) };
  const change = {
    lease: mention.lease,
    retryAt: exhausted ? null : clock() + wait,
    error: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown error',
  };
  await deps.store.transaction((tx) => tx.putMentionBack(mention.id, change), { narrow: true });
  if (exhausted) log.error(fields, 'mention failed after too many attempts');
  else log.warn({ ...fields, waitMs: wait }, 'mention not answered yet');
}

/**
 * Leases the oldest due mention and answers it: fetches what the command needs, then in one transaction applies its
 * effect, marks the mention answered and queues the reply. A crash leaves all of that or nothing.
 * @param onLeased called when a mention is leased, before any work on it
 * @returns whether there was a mention
 */
export async function answerNextMention(deps: AnswerContext, onLeased?: () => void): Promise<boolean> {
  const now = deps.clock();
  const request = { lease: deps.newId(), now, until: now + deps.timing.leaseMs, platforms: [...deps.platforms.keys()] };
  const mention = await deps.store.transaction((tx) => tx.leaseMention(request), { narrow: true });
  if (mention === null) return false;
  onLeased?.();
  try {
    await answerMention(deps, mention);
  } catch (error) {
    if (error instanceof LeaseLost) {
      deps.log.warn({ mentionId: mention.id }, 'mention leased by another worker');
    } else if (error instanceof Postponed) {
      await postpone(deps, mention, error);
    } else if (error instanceof AdapterError && error.reason === 'paused') {
      // Nothing was tried, so no attempt is counted.
      await postpone(deps, mention, new Postponed(error.message, error.retryAfterMs ?? deps.timing.backoffMs));
    } else {
      await putBack(deps, mention, error);
    }
  }
  return true;
}
