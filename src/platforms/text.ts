import { z } from 'zod';

/** U+0000 becomes U+FFFD: PostgreSQL refuses it in text, and a post that cannot be stored is redelivered for ever. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}

/** A post's text as a platform gives it, without U+0000. */
export const postText = z.string().transform(withoutNul);

/** A handle as a platform gives it, without U+0000; never empty. */
export const handleText = z.string().min(1).transform(withoutNul);
