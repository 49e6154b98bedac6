import type { Command } from '../domain/command.ts';
import { authorOf } from '../domain/mention.ts';
import type { AnswerDeps, MentionContext, Outcome } from '../services/mentions/answer-mentions.ts';
import { noteCommand } from '../services/notices/note-command.ts';

/** Commands whose success changes a gig: what has become of it is told by their own answer. */
const CHANGING_GIGS: ReadonlySet<Command['name']> = new Set(['start', 'end']);

/** The gig that a command names, where that may move its notices; null for all others. */
function namedGig(command: Command): number | null {
  if (!('gigId' in command) || command.name === 'notify' || command.name === 'unnotify') return null;
  return command.gigId;
}

/** The outcome of a command, with what it means for the notices of the gig that it names. */
export async function withNotices(
  { store, clock }: Pick<AnswerDeps, 'store' | 'clock'>,
  { command, mention }: MentionContext,
  outcome: Outcome,
): Promise<Outcome> {
  const gigId = namedGig(command);
  if (gigId === null) return outcome;
  const author = authorOf(mention);
  const isOwnDoing = CHANGING_GIGS.has(command.name) && outcome.commit !== undefined;
  // A look-up by an account without notices stays one that commits nothing.
  if (!isOwnDoing && (await store.telling(gigId, author)) === null) return outcome;
  const commit: Outcome['commit'] = async (tx) => {
    await outcome.commit?.(tx);
    await noteCommand(tx, { gigId, author, mentionId: mention.id, isOwnDoing, now: clock() });
  };
  return { ...outcome, commit };
}
