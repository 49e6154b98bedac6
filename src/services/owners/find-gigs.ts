import type { Gig } from '../../domain/gigs/gig.ts';
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
