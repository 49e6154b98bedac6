import type { CommandReading } from '../mentions/command.ts';
import { INVISIBLE, isTyped, MAX_COMMAND_LENGTH, skeleton } from '../mentions/command-text.ts';
import { isNameMeant } from './ens-name.ts';

/** A claim to a name, as it was posted. */
export interface NamedClaim {
  /** The name as it was typed. */
  readonly word: string;
  /** The first digits of the address that confirm it, in lower case; null without them. */
  readonly digits: string | null;
}

// Without the `u` flag: with it the long s and the Kelvin sign would match letters of the phrase.
const PHRASE = /^claim my rewards$/i;
const DIGITS = /^0x[0-9a-f]{4,40}$/i;

function visible(text: string): string {
  return text.normalize('NFKC').replace(INVISIBLE, '');
}

/**
 * Reads `claim my rewards alice.eth`, with or without the first digits of its address behind it. The name is kept as it was typed: what
 * NFKC makes of it may be another name.
 * @param toWords as a grammar's `readPosted` takes it
 */
export function readNamedClaim(text: string, toWords: (text: string) => string): CommandReading<NamedClaim> {
  if (text.length > MAX_COMMAND_LENGTH) return null;
  const words = toWords(text).split(' ');
  const phrase = words.slice(0, 3).join(' ');
  const [word = '', digits = null, ...more] = words.slice(3);
  const isClaim = isNameMeant(visible(word)) && (digits === null || DIGITS.test(digits)) && more.length === 0;
  if (!isClaim) return null;
  if (PHRASE.test(phrase.normalize('NFKC'))) {
    return isTyped(phrase) ? { command: { word, digits: digits?.toLowerCase() ?? null } } : { refused: 'look_alike' };
  }
  if (PHRASE.test(visible(phrase))) return { refused: 'invisible' };
  return PHRASE.test(skeleton(visible(phrase))) ? { refused: 'look_alike' } : null;
}
