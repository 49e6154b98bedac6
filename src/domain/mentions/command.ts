import {
  foldSpaces,
  handlePattern,
  INVISIBLE,
  isTyped,
  MAX_COMMAND_LENGTH,
  skeleton,
  wordsTo,
} from './command-text.ts';

/** Why the words of a command are refused: some characters are invisible, or look like others. */
export type OddCharacters = 'invisible' | 'look_alike';

/** What a text is: a command, a command but for its characters, which is never carried out, or none. */
export type CommandReading<C> = { readonly command: C } | { readonly refused: OddCharacters } | null;

/** How one command is read. No two grammars read the same words. */
export interface Grammar<C> {
  /**
   * Reads words that are this command and nothing else, else null.
   * @param words NFKC-normalised, without the bot's handle, separated by single spaces; empty for the handle alone
   */
  readonly read?: (words: string) => C | null;
  /** Whether nothing may stand beside its words, because it moves money or ends a gig. */
  readonly isStrict?: boolean;
  /**
   * Reads the text as it was posted, of any length and in any characters; asked before {@link read}.
   * @param toWords makes a text one line without the bot's handle
   */
  readonly readPosted?: (text: string, toWords: (text: string) => string) => CommandReading<C>;
}

/** Reads these words, in any case. */
export function anyOf(...phrases: readonly string[]): (words: string) => object | null {
  return (words) => (phrases.includes(words.toLowerCase()) ? {} : null);
}

/** Reads these words with a gig's id behind them, in any case: `gigAfter('why', 'why gig')` reads `Why gig #42`. */
export function gigAfter(...phrases: readonly string[]): (words: string) => { readonly gigId: number } | null {
  const pattern = new RegExp(`^(?:${phrases.join('|')}) #?([1-9][0-9]{0,14})$`);
  return (words) => {
    const id = pattern.exec(words.toLowerCase())?.[1];
    return id === undefined ? null : { gigId: Number(id) };
  };
}

const OTHER_HANDLES = /^(?:@[a-z0-9_][a-z0-9_.-]{0,63} )+(?=[^@])/i;
const AFTER_HANDLE = /^[,:] ?/;
const LINKS = /(?:^| )https?:\/\/\S+$/i;
const END_MARK = / ?[.!?]$/;
/** Emoji behind words, each with what belongs to it; searched for from the first of a row only. */
const EMOJI =
  /(?<=\S)(?<![\p{Extended_Pictographic}\p{Regional_Indicator}][\p{Variation_Selector}\p{Join_Control}\p{Emoji_Modifier}]{0,4})(?: ?[\p{Extended_Pictographic}\p{Regional_Indicator}][\p{Variation_Selector}\p{Join_Control}\p{Emoji_Modifier}]{0,4})+$/u;
const THANKS = /(?<=\S),? (?:please|pls|plz|thanks|thank you|thx)$/i;

/**
 * The words without what people put beside a command: other handles, a comma or colon after a handle, links, emoji, an end mark,
 * "please".
 */
function withoutManners(text: string): string {
  let said = text.replace(OTHER_HANDLES, '').replace(AFTER_HANDLE, '').replace(OTHER_HANDLES, '');
  while (LINKS.test(said)) said = said.replace(LINKS, '');
  return [EMOJI, END_MARK, EMOJI, THANKS, EMOJI].reduce((rest, beside) => rest.replace(beside, ''), said);
}

function find<T, R>(all: readonly T[], read: (one: T) => R | null): R | null {
  for (const one of all) {
    const found = read(one);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Reads a mention's own text: NFKC-normalised, without the bot's handle, white space folded; never throws. Any other text,
 * or one of more than 500 UTF-16 units, is no command unless a grammar reads it as posted; `refused` if only odd
 * characters hide a command.
 */
export function readCommand<C>(
  text: string,
  bot: { readonly username: string },
  grammars: readonly Grammar<C>[],
): CommandReading<C> {
  const toWords = (part: string) => wordsTo(bot, part);
  const posted = find(grammars, ({ readPosted }) => readPosted?.(text, toWords) ?? null);
  if (posted !== null) return posted;
  if (text.length > MAX_COMMAND_LENGTH) return null;
  const normal = text.normalize('NFKC');
  const isNamed = foldSpaces(normal).replace(INVISIBLE, '').search(handlePattern(bot.username)) >= 0;
  const match = (words: string) => {
    const said = withoutManners(words);
    // The bot's handle alone is a command; nothing at all is none.
    if (said === '' && !isNamed) return null;
    const polite = grammars.filter(({ isStrict }) => isStrict !== true);
    return find(grammars, (one) => one.read?.(words) ?? null) ?? find(polite, (one) => one.read?.(said) ?? null);
  };
  const read = (form: string) => match(toWords(form));
  const clean = toWords(normal);
  const command = match(clean);
  if (command !== null) {
    // NFKC also turns `4²` into `42` and fancy letters into plain ones, which the author may not have meant.
    // What a strict grammar has read has no emoji beside it.
    return isTyped(withoutManners(toWords(text))) ? { command } : { refused: 'look_alike' };
  }
  const visible = toWords(clean.replace(INVISIBLE, ''));
  if (visible !== clean && (read(visible) !== null || read(clean.replace(INVISIBLE, ' ')) !== null)) {
    return { refused: 'invisible' };
  }
  const seen = toWords(skeleton(visible));
  return seen !== clean && read(seen) !== null ? { refused: 'look_alike' } : null;
}
