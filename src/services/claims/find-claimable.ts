import type { AccountName } from '../../domain/account.ts';
import { type ClaimableGroup, groupClaimable } from '../../domain/tip.ts';
import type { Store } from '../../store/port/index.ts';

/**
 * What these accounts can claim, grouped by token, oldest tip first. Unknown accounts add nothing; a tip stays
 * in the list until its payout is confirmed.
 */
export async function findClaimable(
  { store }: { store: Pick<Store, 'pendingTips'> },
  { identifiers }: { identifiers: readonly AccountName[] },
): Promise<ClaimableGroup[]> {
  const { tips, tokens } = await store.pendingTips(identifiers);
  return groupClaimable(tips, tokens);
}
