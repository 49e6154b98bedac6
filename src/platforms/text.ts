import { z } from 'zod';

/** U+0000 becomes U+FFFD: PostgreSQL refuses it in text, and a post that cannot be stored is redelivered for ever. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}

/** A post's text as a platform gives it, without U+0000. */
export const postText = z.string().transform(withoutNul);

/** The longest handle that is kept; X's have 15 characters, Farcaster's 20, and a page shows them whole. */
const MAX_HANDLE = 64;

/**
 * A handle as a platform gives it, without U+0000; never empty. A longer one is refused, not cut: the cut one could be
 * another account's.
 */
export const handleText = z.string().min(1).max(MAX_HANDLE).transform(withoutNul);
