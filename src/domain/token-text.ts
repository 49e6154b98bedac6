const MAX_NAME = 64;
const MAX_SYMBOL = 20;
const URLS = /(?:[a-z0-9+.-]*:\/\/|www\.)\S*/giu;
/** A bare domain is a link to many programs; a dot between letters is enough to make one, also the ideographic one. */
const DOMAINS = /[\p{L}\p{M}\p{N}-]+(?:[.\u3002][\p{L}\p{M}\p{N}-]+)*[.\u3002]\p{L}{2,}(?:\/\S*)?/gu;
/** U+2800 is the Braille pattern without a dot. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** How much of what a contract says is looked at, in UTF-16 units: the patterns take quadratic time. */
const MAX_SAID = 500;

/**
 * Text that a contract chose, fit to be stored and shown, at most `limit` characters of it: without control and invisible
 * characters, URLs, domains, `@` and angle brackets.
 */
export function cleanText(text: string, limit: number): string {
  const plain = text
    .slice(0, MAX_SAID)
    .normalize('NFKC')
    .slice(0, MAX_SAID)
    .replace(UNSEEN, ' ')
    // Before links are looked for, and never without a space in its place: what it kept apart could become one.
    .replace(/[@<>]/gu, ' ')
    .replace(URLS, ' ')
    .replace(DOMAINS, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  return Array.from(plain).slice(0, limit).join('').trim();
}

/** What separates amounts in a list, or the digits of one. */
const SEPARATORS = /[,|·•‧∙⋅]/gu;
/** Marks after the first of a letter pile up over the lines around it. */
const PILED_MARKS = /(\p{M})\p{M}+/gu;
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
/** Their letters look like each other's. */
const ALIKE = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

/**
 * Whether a symbol behind an amount could be read as another amount or another symbol: it begins with as many digits as a
 * thousand has, holds a number as a word of its own, changes the direction of reading, mixes letters that look alike, or
 * has nothing to see but marks.
 */
export function isMisleading(symbol: string): boolean {
  return (
    /^\p{N}{3}|^\p{N}+[.']|\s[\p{N}.']+(?:\s|$)/u.test(symbol) ||
    RIGHT_TO_LEFT.test(symbol) ||
    ALIKE.filter((script) => script.test(symbol)).length > 1 ||
    !/[^\p{M}\s]/u.test(symbol)
  );
}

function cleanSymbol(said: string): string {
  const plain = cleanText(said, MAX_SYMBOL).replace(SEPARATORS, ' ').replace(/\s+/gu, ' ');
  const symbol = plain.trim().replace(PILED_MARKS, '$1');
  return isMisleading(symbol) ? '' : symbol;
}

/**
 * What a token's contract says of itself, fit to be stored and shown: anybody can deploy a contract that says anything.
 * Control and invisible characters, URLs, domains, `@` and angle brackets are dropped and the length is capped. When
 * nothing is left, or the symbol misleads, the address stands in.
 */
export function cleanTokenText(
  said: { readonly name: string; readonly symbol: string },
  address: string,
): { name: string; symbol: string } {
  const short = `${address.slice(0, 6)}…${address.slice(-4)}`;
  const symbol = cleanSymbol(said.symbol) || short;
  return { name: cleanText(said.name, MAX_NAME) || symbol, symbol };
}
