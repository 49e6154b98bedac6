import type { AccountName } from '../../domain/account.ts';
import { type ClaimableGroup, groupClaimable } from '../../domain/gigs/tip.ts';
import type { ReadContext, ServiceContext } from '../context.ts';

/**
 * What these accounts can claim, grouped by token, oldest tip first. Unknown accounts add nothing; a tip stays
 * in the list until its payout is confirmed.
 */
export async function findClaimable(
  { store }: ReadContext,
  { identifiers }: { identifiers: readonly AccountName[] },
): Promise<ClaimableGroup[]> {
  const { tips, tokens } = await store.pendingTips(identifiers);
  return groupClaimable(tips, tokens);
}

/**
 * The same with the state of the store that it was read from, `asOf`; the groups are null when they are known to be the
 * same as in the state `since`.
 */
export async function findClaimableSince(
  { store }: ServiceContext,
  { identifiers, since }: { identifiers: readonly AccountName[]; since: string | null },
): Promise<{ asOf: string; groups: ClaimableGroup[] | null }> {
  const { asOf, found } = await store.pendingTipsSince(identifiers, since);
  return { asOf, groups: found && groupClaimable(found.tips, found.tokens) };
}
