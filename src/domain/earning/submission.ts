import type { CommandReading } from '../mentions/command.ts';
import { foldSpaces, INVISIBLE, isTyped, skeleton, wordsTo } from '../mentions/command-text.ts';
import type { Act } from './act.ts';

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

const SUBMIT = /^(?:[,:] ?)?submit (?:gig )?#?([1-9][0-9]{0,14})(?=[ ,:;]|$)/i;
/** A submission is known by so much of it, in UTF-16 units; the rest may be longer than a command. */
const MAX_HEAD_LENGTH = 300;

const ANY_HANDLE = /(?<![\p{L}\p{N}_])@[\p{L}\p{N}_][\p{L}\p{N}_.-]*/gu;

/**
 * Reads the beginning of a submission. Only that is what the bot obeys, so only that has to be typed: what follows may
 * have any characters.
 * @param words makes a text one line without the handles that do not count
 */
export function readSubmissionHead(
  text: string,
  words: (text: string) => string,
): CommandReading<{ readonly gigId: number }> {
  const head = text.length > MAX_HEAD_LENGTH ? text.slice(0, MAX_HEAD_LENGTH).replace(/(?<!\S)\S*$/u, '') : text;
  const clean = words(head.normalize('NFKC'));
  const [typed, gigId] = SUBMIT.exec(clean) ?? [];
  if (typed !== undefined)
    return isTyped(words(head).slice(0, typed.length))
      ? { command: { gigId: Number(gigId) } }
      : { refused: 'look_alike' };
  const visible = words(clean.replace(INVISIBLE, ''));
  if (SUBMIT.test(visible)) return { refused: 'invisible' };
  return SUBMIT.test(words(skeleton(visible))) ? { refused: 'look_alike' } : null;
}

/** Whether a post begins as a submission does, whomever it names: what follows is never a command. */
export function isSubmission(text: string): boolean {
  return readSubmissionHead(text, (part) => foldSpaces(part.replace(ANY_HANDLE, ' '))) !== null;
}
