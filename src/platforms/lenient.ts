import { z } from 'zod';

/** An unexpected shape counts as absent: a malformed optional field must not lose a mention. */
export function lenient<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
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
