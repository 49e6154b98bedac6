import type { AccountKey } from '../../domain/account.ts';
import type { ClaimStatus } from '../../domain/claims/claim.ts';
import type { Tap } from '../../domain/claims/tap.ts';
import { DomainError } from '../../domain/errors.ts';
import { FARCASTER } from '../../domain/platforms/platforms.ts';
import { openClaim } from './claim-rewards.ts';
import type { ClaimContext } from './context.ts';
import { requireClaimable } from './find-claimable.ts';

/** The account that a tap is of. */
export function accountOfTap({ fid }: Pick<Tap, 'fid'>): AccountKey {
  return { platform: FARCASTER.id, platformUserId: fid };
}

/**
 * Claims everything of an account by a tap on a card, to the primary verified address as the platform says it now. It pays no other
 * address, even if there is no primary one, because any app that holds a key of the account can tap. A tap makes one claim, however
 * often it is sent; one that would pay nothing writes nothing.
 * @throws DomainError `no_tips`, `no_verified_address`, `platform_off`, `invalid_address`, `wallets_off`
 * @throws AdapterError when the verified addresses cannot be looked up
 */
export async function claimByTap(
  deps: ClaimContext,
  { requestId, postId, ...tap }: Tap & { readonly requestId: string | null },
): Promise<ClaimStatus> {
  const account = accountOfTap(tap);
  const { platform, platformUserId } = account;
  const opening = { ...account, postId, source: 'snap', requestId, retry: false, keepsEmpty: false } as const;
  const findPrimary = async () => {
    await requireClaimable(deps, account);
    const network = deps.platforms.get(platform);
    if (network === undefined) throw new DomainError({ code: 'platform_off', platform });
    const primary = await network.primaryAddress(platformUserId);
    if (primary === null) throw new DomainError({ code: 'no_verified_address' });
    return primary;
  };
  try {
    return await openClaim(deps, opening, findPrimary);
  } catch (error) {
    // The same tap, sent twice at once, may have taken the tips in between.
    if (!(error instanceof DomainError) || error.refusal.code !== 'no_tips') throw error;
    return await openClaim(deps, opening, () => Promise.reject(error));
  }
}
