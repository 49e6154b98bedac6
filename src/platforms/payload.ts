import { z } from 'zod';
import { AdapterError } from '../domain/errors.ts';

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

/** No supported platform is older (X's first post is of March 2006). */
const EARLIEST_MS = Date.UTC(2006, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);

/**
 * A time that a platform gave, in epoch milliseconds; undefined unless it is a whole number between the years 2006 and
 * 2100, because it is stored, compared and shown.
 */
export function postTime(ms: number): number | undefined {
  return Number.isInteger(ms) && ms >= EARLIEST_MS && ms < LATEST_MS ? ms : undefined;
}

/** An unexpected shape counts as absent: a malformed optional field must not lose a mention. */
export function lenient<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}

/** What a reader makes of a value; null from the reader is an unexpected shape. */
export function readBy<T>(read: (value: unknown) => T | null) {
  return z.unknown().transform((value, { addIssue }) => {
    const found = read(value);
    if (found === null) addIssue('it has another shape');
    return found ?? z.NEVER;
  });
}

/** A list of which each entry is read by itself: one that is not understood is left out, and costs no other. */
export function entriesOf<T extends z.ZodType>(schema: T) {
  return z.array(lenient(schema)).transform((items) => items.filter((item) => item !== undefined));
}

/** As {@link entriesOf}, with whether an entry was left out. */
export function markedEntriesOf<T extends z.ZodType>(schema: T) {
  return z.array(lenient(schema)).transform((items) => {
    const entries = items.filter((item) => item !== undefined);
    return { entries, isPartial: entries.length < items.length };
  });
}

/**
 * The JSON value in a webhook's body.
 * @throws AdapterError `bad_response` when it is not JSON
 */
export function parseJson(rawBody: Uint8Array): unknown {
  try {
    const { buffer, byteOffset, byteLength } = rawBody;
    return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'));
  } catch (cause) {
    throw new AdapterError({ reason: 'bad_response', retry: 'never', message: 'The body is not JSON', cause });
  }
}
