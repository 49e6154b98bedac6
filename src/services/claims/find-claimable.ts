import type { AccountKey, AccountName } from '../../domain/account.ts';
import { DomainError } from '../../domain/errors.ts';
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

/** @throws DomainError `no_tips` when the account has no tip that no claim has taken */
export async function requireClaimable(deps: ReadContext, account: AccountKey): Promise<void> {
  const groups = await findClaimable(deps, { identifiers: [account] });
  const isClaimable = groups.some(({ tips }) => tips.some(({ claimNonce }) => claimNonce === null));
  if (!isClaimable) throw new DomainError({ code: 'no_tips' });
}

/**
 * As {@link findClaimable}, with the state of the store that it was read from, `asOf`; the groups are null when they are known to be the
 * same as in the state `since`.
 */
export async function findClaimableSince(
  { store }: ServiceContext,
  { identifiers, since }: { identifiers: readonly AccountName[]; since: string | null },
): Promise<{ asOf: string; groups: ClaimableGroup[] | null }> {
  const { asOf, found } = await store.pendingTipsSince(identifiers, since);
  return { asOf, groups: found && groupClaimable(found.tips, found.tokens) };
}
