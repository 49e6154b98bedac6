import type { AccountFacts, ActReader } from '../../../domain/earning/platform.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { StoreReads } from '../../../store/port/index.ts';

async function fail(): Promise<never> {
  throw new TypeError('acts were to be read where nothing is watched');
}

/**
 * What is known of accounts whose platform is asked nothing: the wallet that each has linked, if the link was valid before the gig's
 * window.
 */
export function linkedAccounts(store: StoreReads, { platform, startTime }: Gig): ActReader {
  async function factsOf(accountId: string): Promise<AccountFacts> {
    const account = { platform, platformUserId: accountId };
    const [known, link] = await Promise.all([store.account(account), store.linkOf(account)]);
    const isInTime = link !== null && link.validFrom !== null && link.validFrom <= startTime;
    return {
      accountId,
      username: known?.username ?? null,
      score: null,
      followers: null,
      registeredAt: null,
      addresses: isInTime ? [link.wallet] : [],
      follows: null,
    };
  }
  return {
    bulk: 20,
    readAccounts: async (ids) =>
      new Map((await Promise.all(ids.map(factsOf))).map((facts) => [facts.accountId, facts])),
    readActs: fail,
    readPosts: async () => new Map(),
    readTexts: fail,
  };
}
