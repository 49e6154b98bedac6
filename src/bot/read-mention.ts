import { AdapterError, DomainError, REFUSALS, refusalReply } from '../domain/errors.ts';
import { authorOf } from '../domain/mentions/mention.ts';
import { hasPassed } from '../domain/time.ts';
import {
  type MentionContext,
  type Outcome,
  Postponed,
  type ReadMention,
} from '../services/mentions/answer-mentions.ts';
import type { CommandAnswer, CommandCall } from './command.ts';
import { type Command, commandsFor, helpOf, readCall } from './commands/index.ts';
import { fewAtOnce } from './commands/names/few-at-once.ts';
import type { BotContext } from './context.ts';
import { withNotices } from './notices.ts';
import { finishReply, unreachableReply } from './replies.ts';

/** How often a network is asked for one mention before the author is told that it cannot be reached. */
const NETWORK_ATTEMPTS = 4;

/** Longer than the lease of a start lock, so that a lock left by a crash has ended by then. Milliseconds. */
const LOCK_PATIENCE_MS = 75_000;
const LOCK_LOOK_MS = 15_000;

function outcomeOf(
  { text, kind = 'answer', worth, ...effect }: CommandAnswer,
  { mention, platform }: MentionContext,
): Outcome {
  const reply = { kind, text: finishReply(text, mention, platform) };
  return { reply: worth === undefined ? reply : { ...reply, worth }, ...effect };
}

function sentenceFor(error: unknown, call: CommandCall<Command>, { mention, platform }: MentionContext): string | null {
  // A paused platform was not asked, and takes no replies either.
  if (error instanceof AdapterError && error.reason === 'paused') return null;
  if (error instanceof DomainError) return refusalReply(error.refusal, platform);
  if (error instanceof AdapterError && (error.retry === 'never' || mention.attempts + 1 >= NETWORK_ATTEMPTS)) {
    return call.unreachable ?? unreachableReply();
  }
  return null;
}

/** A broken rule becomes a reply; so does a network that does not answer, after some attempts. */
async function prepare(
  deps: BotContext,
  { call, help }: { readonly call: CommandCall<Command>; readonly help: string },
  ctx: MentionContext,
): Promise<Outcome> {
  const { mention } = ctx;
  const author = authorOf(mention);
  const actor = { kind: 'account', ...author, requestId: `mention:${mention.id}` } as const;
  try {
    const prepared = await call.prepare({ ...ctx, deps, author, actor, help });
    return await withNotices(deps, { call, mention }, outcomeOf(prepared, ctx));
  } catch (error) {
    const locked = error instanceof DomainError && error.refusal.code === 'gig_in_progress';
    if (locked && !hasPassed(LOCK_PATIENCE_MS, { since: mention.receivedAt, now: deps.clock() }))
      throw new Postponed('the gig is being started', LOCK_LOOK_MS);
    const text = sentenceFor(error, call, ctx);
    if (text === null) throw error;
    const { reply } = outcomeOf({ text }, ctx);
    const worth = call.ranksRefusals && error instanceof DomainError ? REFUSALS[error.refusal.code].worth : undefined;
    return await withNotices(deps, { call, mention }, { reply: worth === undefined ? reply : { ...reply, worth } });
  }
}

/** Reads mentions, and prepares their commands: each calls a service and returns its reply with what is to be committed. */
export function createMentionReader(deps: BotContext): ReadMention {
  const commands = commandsFor(deps.offered);
  const help = helpOf(commands);
  // Only the bot's own look-ups count: those of other doors must not delay mentions.
  const own = { ...deps, names: deps.names && fewAtOnce(deps.names) };
  return (text, bot) => {
    const call = readCall(text, bot, commands);
    return { ...call, prepare: (ctx) => prepare(own, { call, help }, ctx) };
  };
}
