import { wordsTo } from '../mentions/command-text.ts';
import type { Act } from './act.ts';
import { readSubmissionHead } from './submission-head.ts';

const PREFIX = /^\s*(?:@\S+\s+)*(?:[,:]\s*)?submit\s+(?:gig\s+)?#?\d+\b/iu;

/** The words of a submission, without the command that they were sent with. */
export function submittedWords(text: string): string {
  return text.slice(0, 300).replace(PREFIX, '') + text.slice(300);
}

/** A mention of the bot as a submission to a gig; null for one that is none. */
export function toSubmission(
  act: Act,
  { bot, gigId }: { readonly bot: { readonly username: string }; readonly gigId: number },
): Act | null {
  const head = readSubmissionHead(act.text ?? '', (part) => wordsTo(bot, part));
  return head !== null && 'command' in head && head.command.gigId === gigId ? { ...act, kind: 'submission' } : null;
}
