import type { Account } from '../../domain/account.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { Address } from '../../domain/gigs/token.ts';
import type { OwnerActor } from '../../domain/operators/actor.ts';
import { type Owner, readOwner } from '../../domain/owners/owner.ts';
import type { StoreReads } from '../../store/port/index.ts';

/**
 * The accounts for which a signed-in owner acts at `now` (epoch milliseconds): an account for itself, a wallet for those linked to it. A contract's wallet acts
 * for none, because another contract may stand at its address on another chain.
 */
export async function accountsOf(reads: StoreReads, owner: Owner, now: number): Promise<readonly Account[]> {
  if (owner.kind === 'wallet') return owner.chainId === null ? await reads.accountsLinkedTo(owner.address, now) : [];
  const { platform, platformUserId } = owner;
  return [(await reads.account(owner)) ?? { platform, platformUserId, username: null }];
}

/** The wallet that a signed-in account has linked, if the link is valid; null for a wallet. */
export async function linkedWallet(
  reads: StoreReads,
  { owner, at }: { readonly owner: Owner; readonly at: number },
): Promise<Address | null> {
  const link = owner.kind === 'account' ? await reads.linkOf(owner) : null;
  return link !== null && link.validFrom !== null && link.validFrom <= at ? link.wallet : null;
}

/** Whether an owner reaches gigs on this chain: a contract's wallet counts on its own chain alone. */
export function countsOn(owner: Owner, chainId: number): boolean {
  return owner.kind === 'account' || owner.chainId === null || owner.chainId === chainId;
}

/** How an owner who signed in reaches a gig: as its `client`, or `listed` among the gig's owners; null when it does not. */
export async function reachOf(reads: StoreReads, gig: Gig, actor: OwnerActor): Promise<'client' | 'listed' | null> {
  const owner = readOwner(actor.owner);
  if (owner === null || !countsOn(owner, gig.token.chainId)) return null;
  if (gig.client === actor.client) return 'client';
  return (await reads.isOwnedByAny(gig.id, await accountsOf(reads, owner, actor.at))) ? 'listed' : null;
}
