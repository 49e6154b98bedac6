import { LRUCache } from 'lru-cache';
import type { Account, Platform } from '../../domain/account.ts';
import { atMost } from '../../domain/at-most.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Platforms, SocialPlatform } from '../../domain/mentions/mention.ts';
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
    ...atMost(MAX_KEPT),
    ttl: KEPT_MS,
    ttlResolution: 0,
    perf: { now: clock },
  });
  async function find(network: SocialPlatform, username: string): Promise<Account | null> {
    const key = `${network.platform} ${username.toLowerCase()}`;
    const known = kept.get(key);
    if (known !== undefined) return known.account;
    const account = await network.resolveAccount({ username });
    kept.set(key, { account });
    return account;
  }

  return async (platform, username) => {
    const network = platforms.get(platform);
    if (network === undefined) throw new DomainError({ code: 'platform_off', platform });
    const account = platformFacts(platform).isHandle(username) ? await find(network, username) : null;
    if (account === null) throw new DomainError({ code: 'account_not_found', platform, username });
    return account;
  };
}
