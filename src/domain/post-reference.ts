import type { Platform } from './account.ts';
import { canonicalCastUrl, parseCastUrl } from './cast-url.ts';
import { parsePostUrl } from './post-url.ts';

/** The post that a URL names. */
export interface PostReference {
  readonly platform: Platform;
  /** The same for every form of the URL that names this post by as much of its hash. */
  readonly key: string;
  /** The key of the post, or null when the URL has only the beginning of a hash. */
  readonly postId: string | null;
}

/** Reads the URL of a post on either platform; null for anything else. */
export function parsePostReference(url: string): PostReference | null {
  const id = parsePostUrl(url);
  if (id !== null) return { platform: 'twitter', key: `twitter ${id}`, postId: id };
  const cast = parseCastUrl(url);
  if (cast === null) return null;
  if (cast.kind === 'hash') return { platform: 'farcaster', key: `farcaster ${cast.hash}`, postId: cast.hash };
  return { platform: 'farcaster', key: `farcaster ${canonicalCastUrl(url)}`, postId: null };
}
