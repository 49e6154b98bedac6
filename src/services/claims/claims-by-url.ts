import type { ClaimStatus } from '../../domain/claim.ts';
import { DomainError } from '../../domain/errors.ts';
import { parsePostReference } from '../../domain/platforms.ts';
import { hasPassed } from '../../domain/time.ts';
import { createSingleFlight } from '../single-flight.ts';
import { type ClaimDeps, claimByUrl } from './claim-rewards.ts';

/** How long a post that was not there is not looked for again, in milliseconds. */
const MISSING_MS = 60_000;
/** How many missing posts are remembered at most; the oldest goes first. */
const MOST_MISSING = 1_000;

/**
 * {@link claimByUrl} for all clients together. Requests for one post share one look-up while it is under way, whichever
 * form its URL has, and a post that was not there is taken for missing for a minute. A failed look-up is not remembered.
 * What a shared look-up does is written down under the request that came first.
 */
export function createUrlClaims(deps: ClaimDeps): (url: string, requestId: string) => Promise<ClaimStatus> {
  const together = createSingleFlight<ClaimStatus>();
  /** When a post was found missing, epoch milliseconds, by its key; the earliest are the first in the map. */
  const missing = new Map<string, number>();

  function isMissing(key: string): boolean {
    const since = missing.get(key);
    return since !== undefined && !hasPassed(MISSING_MS, { since, now: deps.clock() });
  }

  function rememberMissing(key: string): void {
    const now = deps.clock();
    missing.delete(key);
    for (const [other, since] of missing) {
      if (!hasPassed(MISSING_MS, { since, now }) && missing.size < MOST_MISSING) break;
      missing.delete(other);
    }
    missing.set(key, now);
  }

  async function look(key: string, url: string, requestId: string): Promise<ClaimStatus> {
    try {
      return await claimByUrl(deps, { url, requestId });
    } catch (error) {
      if (error instanceof DomainError && error.refusal.code === 'post_not_found') rememberMissing(key);
      throw error;
    }
  }

  return async (url, requestId) => {
    const reference = parsePostReference(url);
    if (reference === null) return await claimByUrl(deps, { url, requestId });
    const { platform, postId, canonical } = reference;
    const key = `${platform} ${postId ?? canonical}`;
    if (isMissing(key)) throw new DomainError({ code: 'post_not_found', platform });
    return await together({ key, body: '' }, () => look(key, url, requestId));
  };
}
