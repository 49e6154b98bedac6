import type { ClaimStatus } from '../../domain/claims/claim.ts';
import { DomainError } from '../../domain/errors.ts';
import { parsePostReference } from '../../domain/platforms/platforms.ts';
import { hasPassed } from '../../domain/time.ts';
import { createSingleFlight } from '../single-flight.ts';
import { claimByUrl } from './claim-rewards.ts';
import type { UrlClaimContext } from './context.ts';

/** How long a missing post is not looked up again, in milliseconds. */
const MISSING_MS = 60_000;
const MOST_MISSING = 1_000;

/**
 * {@link claimByUrl} for all clients. Concurrent requests for one post, in any form of its URL, share one look-up, and
 * it is recorded under the first request's id; a missing post is remembered for a minute, a failure is not.
 */
export function createUrlClaims(deps: UrlClaimContext): (url: string, requestId: string) => Promise<ClaimStatus> {
  const together = createSingleFlight<ClaimStatus>();
  /** When a post was found missing (epoch milliseconds), by its key, oldest first. */
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

  async function claimOnce(key: string, url: string, requestId: string): Promise<ClaimStatus> {
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
    // Since it was missing, the post may have made its claim as a mention; that is found without the platform.
    const isClaimed = async () => postId !== null && (await deps.store.claimByPost(platform, postId)) !== null;
    if (isMissing(key) && !(await isClaimed())) throw new DomainError({ code: 'post_not_found', platform });
    return await together({ key, body: '' }, () => claimOnce(key, url, requestId));
  };
}
