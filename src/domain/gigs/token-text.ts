const MAX_NAME = 64;
const MAX_SYMBOL = 20;
const URLS = /(?:(?<![a-z0-9+.-])[a-z0-9+.-]*:\/\/|www\.)\S*/giu;
/** A bare domain: many programs make a link of any dot between letters, the ideographic full stop included. */
const DOMAINS =
  /(?<![\p{L}\p{M}\p{N}-][.\u3002]?)[\p{L}\p{M}\p{N}-]+(?:[.\u3002][\p{L}\p{M}\p{N}-]+)*[.\u3002]\p{L}{2,}(?:\/\S*)?/gu;
/** U+2800 is the Braille pattern without a dot. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** How much of a contract's text is read, in UTF-16 units. */
const MAX_SAID = 500;

/**
 * A contract's text, made safe to store and show, at most `limit` characters: without control and invisible characters,
 * URLs, domains, `@` and angle brackets.
 */
export function cleanText(text: string, limit: number): string {
  const plain = text
    .slice(0, MAX_SAID)
    .normalize('NFKC')
    .slice(0, MAX_SAID)
    .replace(UNSEEN, ' ')
    // Replaced by spaces before links are searched for: deletion could join two parts to a link.
    .replace(/[@<>]/gu, ' ')
    .replace(URLS, ' ')
    .replace(DOMAINS, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  return Array.from(plain).slice(0, limit).join('').trim();
}

/** Characters that separate amounts in a list, or the digits of an amount. */
const SEPARATORS = /[,|·•‧∙⋅]/gu;
/** Several combining marks on one letter overlap the lines around it. */
const PILED_MARKS = /(\p{M})\p{M}+/gu;
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
/** Scripts whose letters look alike. */
const ALIKE = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

/**
 * Whether a symbol after an amount could be read as another amount or symbol: it begins with a group of digits,
 * contains a separate number, changes text direction, mixes look-alike scripts, or is only marks.
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
 * A token contract's name and symbol, made safe to store and show as by {@link cleanText}. An empty or misleading
 * symbol becomes the shortened address, and an empty name the symbol.
 */
export function cleanTokenText(
  said: { readonly name: string; readonly symbol: string },
  address: string,
): { name: string; symbol: string } {
  const short = `${address.slice(0, 6)}…${address.slice(-4)}`;
  const symbol = cleanSymbol(said.symbol) || short;
  return { name: cleanText(said.name, MAX_NAME) || symbol, symbol };
}
