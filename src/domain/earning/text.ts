import { sha256, stringToBytes } from 'viem/utils';

/** What the engine keeps of an act's text. */
export interface TextFacts {
  /** SHA-256 of the normalised text, hex; null when nothing is left of it. */
  readonly textHash: string | null;
  /** Letters without names, links and the keyword. */
  readonly letters: number;
}

/** How much of a text is read, in UTF-16 units; no platform's posts are longer. */
const MAX_READ = 20_000;
/** U+2800 is the Braille pattern without a dot. */
const INVISIBLE_CHARACTERS = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;
const LINKS = /(?:https?:\/\/|www\.)\S*/gu;
/** A word that clients show as a link. */
const BARE_LINK = /^[("'<[]?(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[/?#:].*)?[.,;!?)"'>\]]?$/u;
const NAMES = /@[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*/gu;
const LETTER = /\p{L}/gu;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
/** Everything but letters, digits and the marks on them. */
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]\p{M}*/gu;

/** The text without differences of case, by Unicode's folding as far as JavaScript has it. */
function foldCase(text: string): string {
  // Upper case unites ß with ss, and lower case alone would keep the final sigma apart.
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
}

function foldText(text: string): string {
  return foldCase(text.slice(0, MAX_READ).normalize('NFKC').replace(INVISIBLE_CHARACTERS, ''));
}

/** A pattern of a keyword as a whole word; without a `$` of its own it may have one in the text. */
function wordPattern(keyword: string): RegExp {
  const word = foldCase(keyword.normalize('NFKC'));
  const isCashtag = word.startsWith('$');
  const plain = isCashtag ? word.slice(1) : word;
  return new RegExp(
    String.raw`(?<![\p{L}\p{M}\p{N}_$])\$${isCashtag ? '' : '?'}${RegExp.escape(plain)}(?![\p{L}\p{M}\p{N}_])`,
    'gu',
  );
}

/** Whether a text's own words, which names and links are not, have the keyword among them. */
export function hasKeyword(text: string, keyword: string): boolean {
  const own = foldText(text).replace(LINKS, ' ').replace(NAMES, ' ');
  return wordPattern(keyword).test(own);
}

/** A text's own words: NFKC, case and white space folded, without invisible characters, names, links and the keyword. */
function ownWords(text: string, keyword: string | null): string {
  const own = foldText(text).replace(LINKS, ' ').replace(NAMES, ' ');
  const bare = keyword === null ? own : own.replace(wordPattern(keyword), ' ');
  const words = bare.split(/\s+/u).filter((word) => word !== '' && !BARE_LINK.test(word));
  return words.join(' ');
}

function foldPunctuation(text: string): string {
  // A text of emoji alone would be a copy of every other one.
  if (!LETTER_OR_DIGIT.test(text)) return text;
  return text.replace(BETWEEN_WORDS, ' ').replace(/ +/g, ' ').trim();
}

/**
 * A text by which copies are known: the letters, marks and digits of its own words. One that has neither letters nor
 * digits is compared as a whole.
 */
export function normaliseText(text: string, keyword: string | null): string {
  return foldPunctuation(ownWords(text, keyword));
}

/** What is kept of an act's text. */
export function readText(text: string, keyword: string | null): TextFacts {
  const normal = normaliseText(text, keyword);
  return {
    textHash: normal === '' ? null : sha256(stringToBytes(normal)).slice(2),
    letters: normal.match(LETTER)?.length ?? 0,
  };
}
