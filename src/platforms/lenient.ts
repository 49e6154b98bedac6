import type { z } from 'zod';

/** Anything but the expected shape counts as absent: an odd optional field must not cost a mention. */
export function lenient<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}
