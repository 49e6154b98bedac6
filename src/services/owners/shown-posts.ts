import { LRUCache } from 'lru-cache';
import { atMost } from '../../domain/at-most.ts';
import { AdapterError } from '../../domain/errors.ts';
import type { Terms } from '../../domain/gigs/terms.ts';
import type { Platforms, Post } from '../../domain/mentions/mention.ts';
import { createPreviewBudget } from './asking-budgets.ts';

/** The posts that forms are about, as previews show them. */
export interface ShownPosts {
  /**
   * The post of a gig with these terms: null when its platform knows none, undefined when it was not asked or does not answer.
   * Of several looks within ten minutes one asks the platform.
   * @param owner whose question it is: each is paid for
   */
  of(owner: string, terms: Terms): Promise<Post | null | undefined>;
}

const POSTS_SHOWN = 1_000;
const SHOWN_MS = 10 * 60_000;

export function createShownPosts(deps: { readonly platforms: Platforms; readonly clock: () => number }): ShownPosts {
  const { platforms, clock } = deps;
  const whyNotAsk = createPreviewBudget(deps);
  // The cache keeps no null.
  const shown = new LRUCache<string, { readonly post: Post | null }>({
    ...atMost(POSTS_SHOWN),
    ttl: SHOWN_MS,
    ttlResolution: 0,
    perf: { now: clock },
  });
  return {
    async of(owner, { platform, url }) {
      const network = platforms.get(platform);
      if (network === undefined || url === null) return undefined;
      const key = `${platform} ${url}`;
      const known = shown.get(key);
      if (known !== undefined) return known.post;
      if (whyNotAsk(owner, 1) !== null) return undefined;
      try {
        const post = await network.lookUpPost(url);
        shown.set(key, { post });
        return post;
      } catch (error) {
        if (error instanceof AdapterError) return undefined;
        throw error;
      }
    },
  };
}
