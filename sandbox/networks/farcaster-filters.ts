import type { Cast } from '@neynar/nodejs-sdk/build/api/index.js';
import { z } from 'zod';
import type { ActChange } from './farcaster-acts.ts';

const fids = z.array(z.int().positive()).min(1).optional();
const hashes = z
  .array(z.string().regex(/^0x[0-9a-f]{40}$/))
  .min(1)
  .optional();

/** Go's RE2 knows `(?i)`, which JavaScript has as a flag. */
function toPattern(text: string): RegExp | null {
  const isFolded = text.startsWith('(?i)');
  try {
    return new RegExp(isFolded ? text.slice(4) : text, isFolded ? 'iu' : 'u');
  } catch {
    return null;
  }
}

const castFilters = z.strictObject({
  mentioned_fids: fids,
  parent_author_fids: fids,
  exclude_author_fids: fids,
  parent_hashes: hashes,
  embedded_cast_hashes: hashes,
  text: z
    .string()
    .refine((text) => toPattern(text) !== null, 'must be a regular expression')
    .optional(),
});
const reactionFilters = z.strictObject({ target_cast_hashes: hashes });
const followFilters = z.strictObject({ target_fids: fids });

/** What a webhook may ask for (SDK, webhook-subscription-filters*.d.ts), as far as the sandbox tells of it. */
export const subscription = z.strictObject({
  'cast.created': castFilters.optional(),
  'reaction.created': reactionFilters.optional(),
  'reaction.deleted': reactionFilters.optional(),
  'follow.created': followFilters.optional(),
  'follow.deleted': followFilters.optional(),
});
export type Subscription = z.infer<typeof subscription>;

/** Whether a cast is asked for. The author filter excludes; the others add to each other. */
export function wantsCast(filters: Subscription['cast.created'], cast: Cast): boolean {
  if (filters === undefined || filters.exclude_author_fids?.includes(cast.author.fid) === true) return false;
  const { mentioned_fids, parent_author_fids, parent_hashes, embedded_cast_hashes, text } = filters;
  const embedded = cast.embeds.flatMap((embed) => ('cast' in embed ? [embed.cast.hash] : []));
  return (
    cast.mentioned_profiles.some((profile) => mentioned_fids?.includes(profile.fid)) ||
    (cast.parent_author.fid !== null && parent_author_fids?.includes(cast.parent_author.fid) === true) ||
    (cast.parent_hash !== null && parent_hashes?.includes(cast.parent_hash) === true) ||
    embedded.some((hash) => embedded_cast_hashes?.includes(hash)) ||
    (text !== undefined && toPattern(text)?.test(cast.text) === true)
  );
}

/** Whether a reaction, a follow or its end is asked for. */
export function wantsChange(filters: Subscription, { type, targetId }: ActChange): boolean {
  switch (type) {
    case 'reaction.created':
    case 'reaction.deleted':
      return filters[type]?.target_cast_hashes?.includes(targetId) === true;
    case 'follow.created':
    case 'follow.deleted':
      return filters[type]?.target_fids?.includes(Number(targetId)) === true;
  }
}
