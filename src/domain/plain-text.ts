/** Characters that a terminal obeys, that nobody sees or that turn text around. People's posts hold whatever people like. */
export const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text as one line that shows what is in it and does nothing to a terminal, at most `limit` characters long. */
export function plain(text: string, limit = Number.POSITIVE_INFINITY): string {
  const line = text.replace(/\s+/g, ' ').replace(UNSAFE, '�').trim();
  const characters = Array.from(line);
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : line;
}
