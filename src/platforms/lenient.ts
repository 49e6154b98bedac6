import type { z } from 'zod';

/** An unexpected shape counts as absent: a malformed optional field must not lose a mention. */
export function lenient<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}
