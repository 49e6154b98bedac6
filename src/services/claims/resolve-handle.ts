import { LRUCache } from 'lru-cache';
import type { Account, Platform } from '../../domain/account.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Platforms } from '../../domain/mentions/mention.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';

/** How long an answer is kept, because X bills each look-up. Milliseconds. */
const KEPT_MS = 10 * 60_000;
const MAX_KEPT = 10_000;

/**
 * Asks the platform which account holds a handle now; a recent answer is kept.
 * @throws DomainError `platform_off`, `account_not_found`
 * @throws AdapterError when the platform does not answer
 */
export type ResolveHandle = (platform: Platform, username: string) => Promise<Account>;

export function createHandleResolver({
  platforms,
  clock,
}: {
  readonly platforms: Platforms;
  readonly clock: () => number;
}): ResolveHandle {
  const kept = new LRUCache<string, { readonly account: Account | null }>({
    max: MAX_KEPT,
    ttl: KEPT_MS,
    ttlResolution: 0,
    perf: { now: clock },
  });
  return async (platform, username) => {
    const network = platforms.get(platform);
    if (network === undefined) throw new DomainError({ code: 'platform_off', platform });
    const missing = new DomainError({ code: 'account_not_found', platform, username });
    if (!platformFacts(platform).isHandle(username)) throw missing;
    const key = `${platform} ${username.toLowerCase()}`;
    const answer = kept.get(key) ?? { account: await network.resolveAccount({ username }) };
    if (!kept.has(key)) kept.set(key, answer);
    const { account } = answer;
    if (account === null) throw missing;
    return account;
  };
}
