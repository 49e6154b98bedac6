import type { AccountKey } from '../../domain/account.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import { type Owner, readOwner } from '../../domain/owners/owner.ts';
import type { StoreReads } from '../../store/port/index.ts';

/**
 * The accounts for which an owner who signed in speaks: an account for itself. The gigs that list one of them as an owner are
 * reached by this owner.
 */
export async function accountsOf(_reads: StoreReads, owner: Owner): Promise<readonly AccountKey[]> {
  if (owner.kind === 'wallet') return [];
  const { platform, platformUserId } = owner;
  return [{ platform, platformUserId }];
}

/** Whether an owner may know of gigs on this chain: a contract's wallet counts on its own chain alone. */
export function countsOn(owner: Owner, { token: { chainId } }: Gig): boolean {
  return owner.kind === 'account' || owner.chainId === null || owner.chainId === chainId;
}

/** How an owner who signed in reaches a gig: as its `client`, or `listed` among the gig's owners; null when it does not. */
export async function reachOf(
  reads: StoreReads,
  gig: Gig,
  actor: { readonly owner: string; readonly client: string },
): Promise<'client' | 'listed' | null> {
  const owner = readOwner(actor.owner);
  if (owner === null || !countsOn(owner, gig)) return null;
  if (gig.client === actor.client) return 'client';
  for (const account of await accountsOf(reads, owner)) if (await reads.ownsGig(gig.id, account)) return 'listed';
  return null;
}
