import { LRUCache } from 'lru-cache';
import { type AccountKey, accountKeyText } from '../../domain/account.ts';
import { atMost } from '../../domain/at-most.ts';
import { type ClaimStatus, pagePostId } from '../../domain/claims/claim.ts';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import { type Address, checksummed } from '../../domain/gigs/token.ts';
import { isEnsName } from '../../domain/names/ens-name.ts';
import type { KnownName } from '../../domain/names/names.ts';
import type { Owner } from '../../domain/owners/owner.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import type { StoreReads } from '../../store/port/index.ts';
import { NameUnconfirmed, openClaim } from '../claims/claim-rewards.ts';
import type { ClaimContext } from '../claims/context.ts';
import { accountsOf } from '../gigs/owner-accounts.ts';
import type { Chance } from './context.ts';
import { ownerActor, type SignedIn } from './sessions.ts';

/** Who is to be paid by button: an account, by an owner whose it is. */
interface Rewarded {
  readonly account: AccountKey;
  readonly owner: Owner;
}

/** Where an account may be paid by button; see {@link ShownAddresses}. */
async function rewardAddresses(
  { platforms }: ClaimContext,
  { account: { platform, platformUserId }, owner }: Rewarded,
): Promise<readonly Address[]> {
  if (!platformFacts(platform).hasVerifiedAddress) return owner.kind === 'wallet' ? [owner.address] : [];
  const network = platforms.get(platform);
  if (network === undefined) throw new DomainError({ code: 'platform_off', platform });
  return await network.payoutAddresses(platformUserId);
}

/** How long addresses are shown without asking again, and how long it is shown that there are none. Milliseconds. */
const SHOWN_MS = { some: 10 * 60_000, none: 60_000 };
const ACCOUNTS_SHOWN = 10_000;

/** Where accounts may be paid, for pages: platforms bill each question, and a page is loaded as often as anybody likes. */
export interface ShownAddresses {
  /**
   * The addresses of an account, the preferred one first: the verified ones where its platform has such addresses, else the
   * linked wallet that signed in. Of several looks within ten minutes one asks the platform.
   * @throws DomainError `platform_off`
   * @throws AdapterError when the platform does not answer
   */
  of(rewarded: Rewarded): Promise<readonly Address[]>;
  /** Has the next look ask. */
  forget(account: AccountKey): void;
}

export function createShownAddresses(deps: ClaimContext): ShownAddresses {
  const shown = new LRUCache<string, Promise<readonly Address[]>>({
    ...atMost(ACCOUNTS_SHOWN),
    ttl: SHOWN_MS.some,
    ttlResolution: 0,
    perf: { now: deps.clock },
  });

  function remember(key: string, found: Promise<readonly Address[]>): void {
    shown.set(key, found);
    const isShown = () => shown.peek(key) === found;
    found.then(
      ({ length }) => length === 0 && isShown() && shown.set(key, found, { ttl: SHOWN_MS.none }),
      () => isShown() && shown.delete(key),
    );
  }

  return {
    of: async (rewarded) => {
      // A wallet is the session's, and asks nobody.
      if (!platformFacts(rewarded.account.platform).hasVerifiedAddress) return await rewardAddresses(deps, rewarded);
      const key = accountKeyText(rewarded.account);
      const known = shown.get(key);
      if (known !== undefined) return await known;
      const found = rewardAddresses(deps, rewarded);
      remember(key, found);
      return await found;
    },
    forget: (account) => void shown.delete(accountKeyText(account)),
  };
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
  /** One of the addresses and names that the form offered. */
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

/** The names that an account has confirmed by a post: the button may pay to them. None where names are off. */
export async function namesToPay({ store, names }: ClaimContext, account: AccountKey): Promise<readonly KnownName[]> {
  return names === undefined ? [] : await store.namesOf(account);
}

/**
 * The address of a name that the account has confirmed, as long as the name leads there.
 * @throws DomainError `invalid_request`
 * @throws AdapterError when the chain of names does not answer
 */
async function addressOfName(deps: ClaimContext, { name, address }: KnownName): Promise<Address> {
  const found = await deps.names?.resolve(name);
  if (typeof found === 'object' && found.address === address) return address;
  const now = typeof found === 'object' ? `leads to ${checksummed(found.address)} now` : 'leads to no address now';
  throw invalidRequest(`${name} ${now}: post "claim my rewards ${name}" to confirm that, or choose an address`);
}

/** Who is paid by a form: an address of its account, or a name that the account has confirmed. */
async function recipientOfPage(deps: ClaimContext, { account, signedIn, recipient }: PageClaim): Promise<Address> {
  const named = (await namesToPay(deps, account)).find(({ name }) => name === recipient);
  if (named !== undefined) return await addressOfName(deps, named);
  const addresses = await rewardAddresses(deps, { account, owner: signedIn.owner });
  if (addresses.length === 0) throw new DomainError({ code: 'no_verified_address' });
  const chosen = addresses.find((address) => address === recipient.toLowerCase());
  if (chosen === undefined)
    throw invalidRequest('recipient must be an address of the list, which has changed: choose again');
  return chosen;
}

/**
 * Claims everything of an account by the button of a page. A form claims once: sent again, it returns the same claim. The
 * recipient is compared with what the platform says now, or a name with where it leads now, and the link with the ledger, also in the claim's transaction.
 * @throws DomainError `invalid_request`, `no_verified_address`, `platform_off`, `invalid_address`, `no_tips`, `wallets_off`
 * @throws AdapterError when the verified addresses cannot be looked up
 */
export async function claimByPage(deps: ClaimContext, claim: PageClaim): Promise<ClaimStatus> {
  const { signedIn, account, key, recipient, requestId } = claim;
  if (!KEY.test(key)) throw invalidRequest('The form is out of date: reload it');
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
  const named = isEnsName(recipient) ? { named: { name: recipient, confirms: false } } : {};
  try {
    return await openClaim(deps, { ...opening, ...named }, () => recipientOfPage(deps, claim));
  } catch (error) {
    if (!(error instanceof NameUnconfirmed)) throw error;
    throw invalidRequest('recipient is a name that you have not confirmed: choose again');
  }
}
