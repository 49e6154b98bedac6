import { authorOf } from '../domain/mentions/mention.ts';
import type { MentionContext, Outcome } from '../services/mentions/answer-mentions.ts';
import { noteCommand } from '../services/notices/note-command.ts';
import type { CommandCall } from './command.ts';
import type { Command } from './commands/index.ts';
import type { BotContext } from './context.ts';

/** The outcome of a command, with what it means for the notices of the gig that it names. */
export async function withNotices(
  { store }: BotContext,
  { call, mention }: { call: CommandCall<Command>; mention: MentionContext['mention'] },
  outcome: Outcome,
): Promise<Outcome> {
  const { parsed, notices } = call;
  if (!('gigId' in parsed) || notices === 'left') return outcome;
  const { gigId } = parsed;
  const author = authorOf(mention);
  const isOwnDoing = notices === 'told' && outcome.commit !== undefined;
  // A look-up by an account without notices stays one that commits nothing.
  if (!isOwnDoing && (await store.telling(gigId, author)) === null) return outcome;
  const commit: Outcome['commit'] = async (tx, now) => {
    await outcome.commit?.(tx, now);
    await noteCommand(tx, { gigId, author, mentionId: mention.id, isOwnDoing, now });
  };
  return { ...outcome, commit };
}
