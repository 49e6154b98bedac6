import { awardableOf, type Gig } from '../../domain/gigs/gig.ts';
import type { Token } from '../../domain/gigs/token.ts';
import type { ReadContext } from '../context.ts';
import { accountsOf, countsOn } from '../gigs/owner-accounts.ts';
import type { SignedIn } from './sessions.ts';

/** A page of the gigs that an owner reaches, newest first, and the `before` of the next page, or null on the last one. */
export async function listGigsOfOwner(
  { store }: ReadContext,
  { owner, client, at }: SignedIn,
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<{ gigs: Gig[]; next: number | null }> {
  const accounts = await accountsOf(store, owner, at);
  const found = await store.gigsOfOwner({ client, accounts }, { limit: limit + 1, before });
  const page = found.slice(0, limit);
  const next = found.length > limit ? (page.at(-1)?.id ?? null) : null;
  return { gigs: page.filter((gig) => countsOn(owner, gig.token.chainId)), next };
}

/** What the started gigs of an owner have in one token, in base units. */
export interface TokenTotal {
  readonly token: Token;
  readonly gigs: number;
  /** Their rewards. */
  readonly reward: bigint;
  readonly awarded: bigint;
  /** What can still be awarded. */
  readonly left: bigint;
}

/** How many gigs a sum goes over: the newest. */
export const GIGS_SUMMED = 100;

/** The sums of an owner's newest started gigs, for each token. */
export async function sumGigsOfOwner(deps: ReadContext, owner: SignedIn): Promise<readonly TokenTotal[]> {
  const { gigs } = await listGigsOfOwner(deps, owner, { limit: GIGS_SUMMED });
  const started = gigs.filter(({ status }) => status === 'live');
  return [...Map.groupBy(started, ({ token }) => token.id).values()].flatMap((some) => {
    const [first] = some;
    if (first === undefined) return [];
    const sum = (of: (gig: Gig) => bigint) => some.reduce((total, gig) => total + of(gig), 0n);
    return {
      token: first.token,
      gigs: some.length,
      reward: sum(({ rewardAmount }) => rewardAmount),
      awarded: sum(({ awardedAmount }) => awardedAmount),
      left: sum(awardableOf),
    };
  });
}
