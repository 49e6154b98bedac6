import { type AccountKey, accountKeyText } from '../../domain/account.ts';
import type { ClaimStatus } from '../../domain/claims/claim.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Address } from '../../domain/gigs/token.ts';
import { MAX_MENTION_AGE_MS } from '../../domain/mentions/mention.ts';
import { type EnsName, type NameProblem, readName } from '../../domain/names/ens-name.ts';
import type { NameResolver } from '../../domain/names/names.ts';
import type { StoreTx } from '../../store/port/index.ts';
import { type Deed, recordEvent } from '../operators/audit-events.ts';
import { isLostRecipient } from '../recipients.ts';
import { NameUnconfirmed, openClaim } from './claim-rewards.ts';
import type { ClaimContext } from './context.ts';
import { requireClaimable } from './find-claimable.ts';

/** A mention that asks to be paid to a name. Times are epoch milliseconds. */
export interface NameClaim extends AccountKey {
  readonly postId: string;
  readonly postedAt: number;
  readonly seenAt: number;
  /** The name as it was typed. */
  readonly word: string;
  /** The first digits of the address, in lower case, which confirm it; null without them. */
  readonly digits: string | null;
  readonly requestId: string;
}

/** Why a name is not paid. */
export type NameRefusal =
  | NameProblem
  | { readonly kind: 'off' }
  | { readonly kind: 'unset' | 'unanswered'; readonly name: EnsName }
  /** Money would be lost there. */
  | { readonly kind: 'lost'; readonly name: EnsName; readonly address: Address };

/** A name whose address the account has to confirm first. */
export interface NameQuestion {
  readonly kind: 'ask';
  readonly name: EnsName;
  readonly address: Address;
  /**
   * `moved`: the account was told another address before. `misread`: its digits are not those of the address. `early`: it posted
   * them before it was told.
   */
  readonly why: 'new' | 'moved' | 'misread' | 'early';
}

/** How a claim to a name ends: `claim` is open. */
export type NameOutcome = { readonly kind: 'claim'; readonly status: ClaimStatus } | NameQuestion | NameRefusal;

/** @throws DomainError `post_too_old`, `no_tips`, `wallets_off` */
async function requireLookUp(deps: ClaimContext, { platform, platformUserId, postedAt, seenAt }: NameClaim) {
  if (deps.wallets === null) throw new DomainError({ code: 'wallets_off' });
  if (seenAt - postedAt > MAX_MENTION_AGE_MS) throw new DomainError({ code: 'post_too_old' });
  // An account with nothing to claim causes no look-up.
  await requireClaimable(deps, { platform, platformUserId });
}

/** Finds where a name leads. @throws AdapterError when the chain of names does not answer */
async function findAddress(
  deps: ClaimContext,
  { names, name }: { names: NameResolver; name: EnsName },
): Promise<{ name: EnsName; address: Address } | NameRefusal> {
  const found = await names.resolve(name);
  if (typeof found === 'string') return { kind: found, name };
  const { address } = found;
  return (await isLostRecipient(deps, address)) ? { kind: 'lost', name, address } : { name, address };
}

/** Platforms tell when something was posted in whole seconds. */
const TOLD_MS = 1_000;

/** Why the account has to confirm where a name leads; null when it has, or does. */
async function findDoubt(
  { store, clock }: ClaimContext,
  { digits, postedAt, ...account }: NameClaim,
  { name, address }: { readonly name: EnsName; readonly address: Address },
): Promise<NameQuestion['why'] | null> {
  const known = await store.nameOf(account, name);
  if (known === null) return 'new';
  // The owner of a name can choose its next address by the first digits, so only the address that was told last can be confirmed.
  if (known.address !== address) return 'moved';
  if (digits !== null && !address.startsWith(digits)) return 'misread';
  if (known.confirmedAt !== null) return null;
  if (digits === null) return 'new';
  // An answer in the future is one from before the clock was set back.
  const { askedAt } = known;
  return postedAt + TOLD_MS <= askedAt && askedAt <= clock() ? 'early' : null;
}

/**
 * Claims everything of an account to the address of a name: at once when the account has confirmed where the name leads, or
 * does so with this claim; otherwise it asks. A post makes one claim, which a repetition finds, wherever the name leads by then.
 * @throws DomainError `post_too_old`, `no_tips`, `wallets_off`
 * @throws AdapterError when the chain of names does not answer
 */
export async function claimToName(deps: ClaimContext, claim: NameClaim): Promise<NameOutcome> {
  const { platform, platformUserId, postId, digits, requestId } = claim;
  const opening = { platform, platformUserId, postId, requestId, source: 'mention', retry: false } as const;
  if ((await deps.store.claimByPost(platform, postId)) !== null) {
    const status = await openClaim(deps, opening, () => Promise.reject(new DomainError({ code: 'no_tips' })));
    return { kind: 'claim', status };
  }
  const { names } = deps;
  if (names === undefined) return { kind: 'off' };
  const read = readName(claim.word);
  if (!('name' in read)) return read;
  await requireLookUp(deps, claim);
  const found = await findAddress(deps, { names, ...read });
  if ('kind' in found) return found;
  const why = await findDoubt(deps, claim, found);
  if (why !== null) return { kind: 'ask', why, ...found };
  const named = { name: found.name, confirms: digits !== null };
  try {
    const status = await openClaim(deps, { ...opening, named }, () => Promise.resolve(found.address));
    return { kind: 'claim', status };
  } catch (error) {
    // The account was told another address since it was looked at.
    if (!(error instanceof NameUnconfirmed)) throw error;
    return { kind: 'ask', why: 'moved', ...found };
  }
}

/** Stores where a name leads, in the transaction of the reply that says so. */
export async function tellName(
  tx: StoreTx,
  deed: Deed,
  { account, name, address }: { account: AccountKey; name: EnsName; address: Address },
): Promise<void> {
  const subject = { subject: 'account', subjectId: accountKeyText(account), gigId: null } as const;
  await tx.askName(account, { name, address }, deed.now);
  await recordEvent(tx, deed, { ...subject, action: 'claim.ask_name', detail: { name, address } });
}
