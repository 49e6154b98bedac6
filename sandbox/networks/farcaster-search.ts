const WORD = /[\p{L}\p{N}_]+/gu;

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

/** Whether a search means its words and nothing else: Neynar reads `+ | * " ( ) ~ - before: after:` as operators. */
export function isLiteralQuery(query: string): boolean {
  return !/[+|*"()~:-]/.test(query) && wordsOf(query).length > 0;
}

/** Whether a text has every word of a query. A search engine knows words alone, so `$degen` finds `degen` as well. */
export function matchesQuery(text: string, query: string): boolean {
  const words = new Set(wordsOf(text));
  return wordsOf(query).every((word) => words.has(word));
}
