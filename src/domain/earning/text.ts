import { sha256, stringToBytes } from 'viem/utils';
import { textSkeleton } from '../mentions/command-text.ts';

/** What the engine keeps of an act's text. */
export interface TextFacts {
  /** SHA-256 of the skeleton of the normalised text, hex; null when nothing is left of it. */
  readonly textHash: string | null;
  /** That of the normalised text itself, by which texts were known before; null when it is the same. */
  readonly plainHash: string | null;
  /** Letters without names, links and the keyword. */
  readonly letters: number;
}

/** What is read of one text for all gigs that it concerns. */
export interface OpenText {
  /** Whether its own words, which names and links are not, have the keyword among them. */
  has(keyword: string): boolean;
  /** What is kept of it; without the gig's keyword, if it has one. */
  facts(keyword: string | null): TextFacts;
}

/** How much of a text is read, in UTF-16 units: Farcaster's longest casts have as many bytes. */
const MAX_READ = 10_000;
/** How much of it is read when it is normalised, by which one character may become eighteen. */
const MAX_NORMAL = 20_000;
/** U+2800 is the Braille pattern without a dot. */
const INVISIBLE_CHARACTERS = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;
const LINKS = /(?:https?:\/\/|www\.)\S*/gu;
/** A word that clients show as a link. */
const BARE_LINK = /^[("'<[]?(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[/?#:].*)?[.,;!?)"'>\]]?$/u;
const NAMES = /@[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*/gu;
const LETTER = /\p{L}/gu;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]\p{M}*/gu;
const WORD_CHARACTER = /[\p{L}\p{M}\p{N}_]/u;

/** Unicode's case folding, as far as JavaScript has it. */
function foldCase(text: string): string {
  // Upper case unites ß with ss, and lower case alone would keep the final sigma apart.
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
}

function foldText(text: string): string {
  const normal = text.slice(0, MAX_READ).normalize('NFKC').slice(0, MAX_NORMAL);
  return foldCase(normal.replace(INVISIBLE_CHARACTERS, ''));
}

interface Word {
  /** Without a `$`. */
  readonly plain: string;
  readonly isCashtag: boolean;
}

function toWord(keyword: string): Word {
  const word = foldCase(keyword.normalize('NFKC'));
  const isCashtag = word.startsWith('$');
  return { plain: isCashtag ? word.slice(1) : word, isCashtag };
}

function isInWord(character: string | undefined): boolean {
  return character !== undefined && WORD_CHARACTER.test(character);
}

function characterBefore(text: string, index: number): string | undefined {
  const isPair = index >= 2 && /[\uDC00-\uDFFF]/.test(text.charAt(index - 1));
  return index === 0 ? undefined : text.slice(index - (isPair ? 2 : 1), index);
}

function characterAt(text: string, index: number): string | undefined {
  const code = text.codePointAt(index);
  return code === undefined ? undefined : String.fromCodePoint(code);
}

/**
 * Where a keyword begins as a whole word, at or after an index, with its `$`; without a `$` of its own it may have one in
 * the text. Null when it is not there. A pattern for each keyword would take longer to compile than many texts to search.
 */
function findWord(text: string, { plain, isCashtag }: Word, from = 0): { start: number; end: number } | null {
  for (let at = text.indexOf(plain, from); at !== -1; at = text.indexOf(plain, at + 1)) {
    const end = at + plain.length;
    const hasSign = text[at - 1] === '$';
    const start = hasSign ? at - 1 : at;
    if (isCashtag && !hasSign) continue;
    if (isInWord(characterAt(text, end))) continue;
    const before = characterBefore(text, start);
    if (before !== '$' && !isInWord(before)) return { start, end };
  }
  return null;
}

function replaceWord(text: string, word: Word): string {
  const parts: string[] = [];
  let done = 0;
  for (let found = findWord(text, word); found !== null; found = findWord(text, word, found.end)) {
    parts.push(text.slice(done, found.start));
    done = found.end;
  }
  return [...parts, text.slice(done)].join(' ');
}

function ownWords(text: string): string {
  return foldText(text).replace(LINKS, ' ').replace(NAMES, ' ');
}

const isWord = (word: string) => word !== '' && !BARE_LINK.test(word);

function foldPunctuation(text: string): string {
  // A text of emoji alone would be a copy of every other one.
  if (!LETTER_OR_DIGIT.test(text)) return text;
  return text.replace(BETWEEN_WORDS, ' ').replace(/ +/g, ' ').trim();
}

function joinWords(own: readonly string[], word: Word | null): string {
  if (word === null) return foldPunctuation(own.filter(isWord).join(' '));
  const left = own.flatMap((each) => {
    if (!each.includes(word.plain)) return isWord(each) ? each : [];
    return replaceWord(each, word).split(' ').filter(isWord);
  });
  return foldPunctuation(left.join(' '));
}

function hashOf(text: string): string {
  return sha256(stringToBytes(text)).slice(2);
}

function toFacts(normal: string): TextFacts {
  const letters = normal.match(LETTER)?.length ?? 0;
  if (normal === '') return { textHash: null, plainHash: null, letters };
  // Copies with look-alike letters have the same skeleton.
  const skeleton = foldPunctuation(foldCase(textSkeleton(normal)));
  return { textHash: hashOf(skeleton), plainHash: skeleton === normal ? null : hashOf(normal), letters };
}

/**
 * A text by which copies are known: its letters, marks and digits, NFKC, case and white space folded, without names, links
 * and the keyword. One that has neither letters nor digits is compared as a whole.
 */
export function normaliseText(text: string, keyword: string | null): string {
  return joinWords(ownWords(text).split(/\s+/u), keyword === null ? null : toWord(keyword));
}

/** Opens a text: it is folded once, and hashed once for each keyword. */
export function openText(text: string): OpenText {
  const own = ownWords(text);
  const words = own.split(/\s+/u);
  const known = new Map<string | null, TextFacts>();
  const has = (keyword: string) => findWord(own, toWord(keyword)) !== null;

  return {
    has,
    facts(keyword) {
      // Without the keyword in it, a text is the same for each.
      const removed = keyword !== null && has(keyword) ? keyword : null;
      const facts = known.get(removed) ?? toFacts(joinWords(words, removed === null ? null : toWord(removed)));
      known.set(removed, facts);
      return facts;
    },
  };
}
