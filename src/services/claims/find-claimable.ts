import type { AccountName } from '../../domain/account.ts';
import { type ClaimableGroup, groupClaimable } from '../../domain/tip.ts';
import type { Store } from '../../store/port/index.ts';

/**
 * What these accounts can claim, one group for each token, oldest tip first. Accounts nobody knows add nothing.
 * A payment under way does not hide a tip; only a claimed one is left out.
 */
export async function findClaimable(
  { store }: { store: Pick<Store, 'pendingTips'> },
  { identifiers }: { identifiers: readonly AccountName[] },
): Promise<ClaimableGroup[]> {
  const { tips, tokens } = await store.pendingTips(identifiers);
  return groupClaimable(tips, tokens);
}
