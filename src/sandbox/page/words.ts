import type { Silence } from '../../domain/mention.ts';
import { shortened } from '../../http/pages/marks.ts';

/** Why a mention got no reply, in words. */
export const SILENCE_WORDS: Readonly<Record<Silence, string>> = {
  opted_out: 'its author has said stop',
  author_limit: 'its author has had 10 replies within the hour',
  thread_limit: 'its thread has had 5 replies within the hour',
  help_already_given: 'its author has had the help within a day',
  gave_up: 'it was tried too often',
};

/** A text in one line of at most `length` characters, addresses and hashes by their ends. */
export function excerpt(text: string, length = 90): string {
  const brief = text
    .replace(/\b0x[0-9a-f]{20,}\b/gi, shortened)
    .replace(/\s+/g, ' ')
    .trim();
  const letters = Array.from(brief);
  return letters.length <= length ? brief : `${letters.slice(0, length - 1).join('')}…`;
}

/** The clock's time of an instant, to the second, in UTC. */
export function clockTime(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}
