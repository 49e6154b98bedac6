import type { Hex } from 'viem';

/** Many times more than any code, and than a token has to say. */
const MAX_BYTES = 1024 * 1024;
const MAX_CHARACTERS = 2 + 2 * MAX_BYTES;
// A group for each byte would exhaust the stack where a contract answers with millions of them.
const BYTES = /^0x[0-9a-f]*$/i;

/** Whether a text is bytes, of any length, in hexadecimal. */
export function isBytes(text: string): text is Hex {
  return text.length % 2 === 0 && BYTES.test(text);
}

/** Whether a result is text that is longer than any usable one: contracts choose the length of their answers. */
export function isTooLong(result: unknown): boolean {
  return typeof result === 'string' && result.length > MAX_CHARACTERS;
}

/** The first bytes of what a contract has chosen, as many as are taken from an answer. */
export function firstBytes(bytes: string): string {
  // The prefix stays.
  return bytes.slice(0, MAX_CHARACTERS);
}
