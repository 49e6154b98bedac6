import type { AccountKey } from '../../domain/account.ts';
import { type ClaimStatus, pagePostId } from '../../domain/claims/claim.ts';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import type { Address } from '../../domain/gigs/token.ts';
import type { Owner } from '../../domain/owners/owner.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import type { StoreReads } from '../../store/port/index.ts';
import { openClaim } from '../claims/claim-rewards.ts';
import type { ClaimContext } from '../claims/context.ts';
import { accountsOf } from '../gigs/owner-accounts.ts';
import type { Chance } from './context.ts';
import { ownerActor, type SignedIn } from './sessions.ts';

/**
 * Where an account may be paid by button, the preferred address first: the verified ones where its platform has such
 * addresses, else the linked wallet that signed in.
 * @throws DomainError `platform_off`
 * @throws AdapterError when the platform does not answer
 */
export async function rewardAddresses(
  { platforms }: ClaimContext,
  { account: { platform, platformUserId }, owner }: { readonly account: AccountKey; readonly owner: Owner },
): Promise<readonly Address[]> {
  if (!platformFacts(platform).hasVerifiedAddress) return owner.kind === 'wallet' ? [owner.address] : [];
  const network = platforms.get(platform);
  if (network === undefined) throw new DomainError({ code: 'platform_off', platform });
  return await network.payoutAddresses(platformUserId);
}

const KEY = /^[0-9a-f]{32}$/;

/** The key of a form that claims once. */
export function newClaimKey({ randomBytes }: Chance): string {
  return Buffer.from(randomBytes(16)).toString('hex');
}

/** A form that claims, as a person who signed in has sent it. */
export interface PageClaim {
  readonly signedIn: SignedIn;
  readonly account: AccountKey;
  /** That of {@link newClaimKey} in the form. */
  readonly key: string;
  /** One of the addresses that the form offered. */
  readonly recipient: string;
  readonly requestId: string | null;
}

async function requireAccount(
  reads: StoreReads,
  { signedIn, account: { platform, platformUserId } }: PageClaim,
  now: number,
): Promise<void> {
  const own = await accountsOf(reads, signedIn.owner, now);
  if (!own.some((account) => account.platform === platform && account.platformUserId === platformUserId)) {
    throw invalidRequest('account must be your own, or linked to the wallet that signed in');
  }
}

/**
 * Claims everything of an account by the button of a page. A form claims once: sent again, it returns the same claim. The
 * recipient is compared with what the platform says now, and the link with the ledger, also in the claim's transaction.
 * @throws DomainError `invalid_request`, `no_verified_address`, `platform_off`, `invalid_address`, `no_tips`, `wallets_off`
 * @throws AdapterError when the verified addresses cannot be looked up
 */
export async function claimByPage(deps: ClaimContext, claim: PageClaim): Promise<ClaimStatus> {
  const { signedIn, account, key, recipient, requestId } = claim;
  if (!KEY.test(key)) throw invalidRequest('key must be that of the form: reload it');
  await requireAccount(deps.store, claim, deps.clock());
  const opening = {
    platform: account.platform,
    platformUserId: account.platformUserId,
    postId: pagePostId(key),
    source: 'page',
    actor: ownerActor(signedIn, requestId),
    requestId,
    retry: false,
    confirm: (tx: StoreReads) => requireAccount(tx, claim, deps.clock()),
  } as const;
  return await openClaim(deps, opening, async () => {
    const addresses = await rewardAddresses(deps, { account, owner: signedIn.owner });
    if (addresses.length === 0) throw new DomainError({ code: 'no_verified_address' });
    const chosen = addresses.find((address) => address === recipient.toLowerCase());
    if (chosen === undefined)
      throw invalidRequest('recipient must be an address of the list, which has changed: choose again');
    return chosen;
  });
}
