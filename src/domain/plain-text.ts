/** Control characters, invisible characters and characters that reverse text; posts are untrusted. */
export const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text as one line that is safe for a terminal, at most `limit` characters long. */
export function plain(text: string, limit = Number.POSITIVE_INFINITY): string {
  const line = text.replace(/\s+/g, ' ').replace(UNSAFE, '�').trim();
  const characters = Array.from(line);
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : line;
}
