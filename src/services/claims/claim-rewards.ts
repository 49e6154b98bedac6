import type { AccountKey } from '../../domain/account.ts';
import {
  type Claim,
  type ClaimSource,
  type ClaimStatus,
  isRetryDue,
  parseClaim,
  payoutsOf,
} from '../../domain/claims/claim.ts';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import { claimEvents } from '../../domain/events/event.ts';
import { type Gig, inGigOrder } from '../../domain/gigs/gig.ts';
import type { Tip } from '../../domain/gigs/tip.ts';
import type { Address } from '../../domain/gigs/token.ts';
import { MAX_MENTION_AGE_MS } from '../../domain/mentions/mention.ts';
import type { EnsName } from '../../domain/names/ens-name.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { splitTips } from '../../domain/payments/payment-batch.ts';
import { listPlatforms, PLATFORMS, parsePostReference, platformFacts } from '../../domain/platforms/platforms.ts';
import type { StoreTx } from '../../store/port/index.ts';
import { findGig } from '../gigs/find-gigs.ts';
import { type Done, recordEvent } from '../operators/audit-events.ts';
import { isLostRecipient } from '../recipients.ts';
import type { ClaimContext, UrlClaimContext } from './context.ts';
import { statusOf } from './list-claims.ts';

/** How long a claim may hold its tips, as clients see it. The ledger, not this time, decides when they are free. */
const LOCK_MS = 60 * 60 * 1000;

interface ClaimRequest {
  /** The id of the request or mention that brought it, if any. */
  readonly requestId?: string | null;
  /** Whether a repeated claim plans its failed payouts again. */
  readonly retry: boolean;
}

/** A name by which the recipient of a claim is given. */
export interface NamedRecipient {
  readonly name: EnsName;
  /** Whether the claim itself confirms where the name leads. */
  readonly confirms: boolean;
}

export interface ClaimOpening extends AccountKey, ClaimRequest {
  readonly postId: string;
  readonly source: ClaimSource;
  /** The account's handle as reported with the post; unknown when absent or null. */
  readonly username?: string | null;
  /** The one who asks; the account itself when absent. */
  readonly actor?: Actor;
  /** Throws in the transaction that opens the claim, when the account may not be paid there any more. */
  readonly confirm?: (tx: StoreTx) => Promise<void>;
  /** The name that led to the recipient; its account must have confirmed that, or confirms it in the claim's transaction. */
  readonly named?: NamedRecipient;
  /** Whether a claim that would pay nothing is not kept: what brought it may be sent again then. */
  readonly keepsEmpty?: boolean;
}

export interface ClaimPost extends ClaimOpening {
  readonly source: 'mention' | 'url';
  /** The author's own text. */
  readonly text: string;
  /** The same without the handles and links that the platform marks; as the text when absent. */
  readonly plainText?: string;
  /** Epoch milliseconds. */
  readonly postedAt: number;
  /** When the service first saw it, epoch milliseconds; now when absent. */
  readonly seenAt?: number;
}

async function recipientOf(deps: ClaimContext, post: ClaimPost): Promise<Address> {
  const read = parseClaim(post.text, post.plainText);
  if (typeof read === 'string') throw new DomainError({ code: read });
  if ((post.seenAt ?? deps.clock()) - post.postedAt > MAX_MENTION_AGE_MS)
    throw new DomainError({ code: 'post_too_old' });
  if (read.address !== null) return read.address;
  if (!platformFacts(post.platform).hasVerifiedAddress) throw new DomainError({ code: 'no_address' });
  const [verified] = (await deps.platforms.get(post.platform)?.payoutAddresses(post.platformUserId)) ?? [];
  if (verified === undefined) throw new DomainError({ code: 'no_verified_address' });
  return verified;
}

/** Tips that are too many for one payment of a gig and token get several. */
async function plan(tx: StoreTx, claim: Claim, tips: readonly Tip[], now: number): Promise<Payment[]> {
  const gigs = new Map<number, Gig>();
  for (const { gigId } of tips.toSorted(inGigOrder)) {
    if (!gigs.has(gigId)) gigs.set(gigId, await findGig({ store: tx }, { gigId }));
  }
  const planned: Payment[] = [];
  const ofEach = Map.groupBy(tips, (tip) => `${tip.gigId} ${tip.tokenId}`);
  for (const group of [...ofEach.values()].flatMap(splitTips)) {
    const [first] = group;
    const gig = first && gigs.get(first.gigId);
    if (first === undefined || gig === undefined) continue;
    const payment = await tx.planPayment(
      {
        kind: 'payout',
        chainId: gig.token.chainId,
        gigId: gig.id,
        claimId: claim.id,
        tokenId: first.tokenId,
        recipient: claim.recipient,
        amount: group.reduce((sum, tip) => sum + tip.amount, 0n),
      },
      { now, tipIds: group.map(({ id }) => id) },
    );
    planned.push(payment);
  }
  return planned;
}

async function recordClaimEvent(
  tx: StoreTx,
  { id, platform, platformUserId }: Claim,
  event: Done & { requestId: string | null | undefined; actor?: Actor | undefined; now: number },
): Promise<void> {
  const { action, detail, requestId = null, now } = event;
  const actor = event.actor ?? ({ kind: 'account', platform, platformUserId, requestId } as const);
  await recordEvent(tx, { actor, now }, { action, detail, subject: 'claim', subjectId: String(id), gigId: null });
}

/** A key of a form may have been sent with another account before. @throws DomainError `invalid_request` then */
function ownClaim(known: Claim, { platformUserId }: AccountKey): Claim {
  if (known.platformUserId !== platformUserId)
    throw invalidRequest('This form was used for another account: reload it');
  return known;
}

/** The account of a claim has not confirmed that its name leads to the recipient. Nothing was written. */
export class NameUnconfirmed extends Error {
  override readonly name = 'NameUnconfirmed';
}

/** @throws NameUnconfirmed */
async function keepName(tx: StoreTx, opening: ClaimOpening, { recipient, now }: { recipient: Address; now: number }) {
  const { named } = opening;
  if (named === undefined) return;
  const { name, confirms } = named;
  const known = await tx.nameOf(opening, name);
  const isConfirmed = confirms
    ? await tx.confirmName(opening, { name, address: recipient }, now)
    : known?.address === recipient && known.confirmedAt !== null;
  if (!isConfirmed) throw new NameUnconfirmed();
}

async function open(deps: ClaimContext, opening: ClaimOpening, recipient: Address): Promise<ClaimStatus> {
  const { store, clock, newId } = deps;
  return await store.transaction(async (tx) => {
    const { platform, platformUserId, postId, source, username = null, requestId, actor } = opening;
    const known = await tx.claimByPost(platform, postId);
    if (known !== null) return await statusOf(tx, ownClaim(known, opening));
    await opening.confirm?.(tx);
    const now = clock();
    // Kept even when it pays nothing, unless the opening says otherwise: tips that are earned later need a post of their own.
    const claim = await tx.insertClaim({
      platform,
      platformUserId,
      postId,
      source,
      recipient,
      publicId: newId(),
      createdAt: now,
    });
    const tips = await tx.takeTips(claim, { now, lockTimeout: now + LOCK_MS });
    // Another claim may have taken them since they were looked up. What was written is undone.
    if (tips.length === 0 && opening.keepsEmpty === false) throw new DomainError({ code: 'no_tips' });
    const planned = await plan(tx, claim, tips, now);
    const gigs = [...new Set(planned.map(({ gigId }) => gigId))];
    const detail = { gigs, recipient, tips: tips.length, post: postId, source, name: opening.named?.name };
    await tx.insertEvents(claimEvents(claim, tips, now));
    // After the gigs, as those that award tips do.
    await tx.setUsername({ platform, platformUserId, username }, now);
    await keepName(tx, opening, { recipient, now });
    await recordClaimEvent(tx, claim, { action: 'claim.open', detail, requestId, actor, now });
    return await statusOf(tx, claim);
  });
}

/**
 * Plans what a claim's payments of one gig and token failed to pay again, with those of their tips that no other claim has
 * taken since.
 * @returns the new payments; none when none of the tips is left
 */
export async function planPayoutAgain(
  tx: StoreTx,
  claim: Claim,
  { gigId, token }: Payment,
  now: number,
): Promise<Payment[]> {
  const tips: Tip[] = [];
  for (const { id, state, ...other } of await tx.paymentsOfClaim(claim.id)) {
    if (state !== 'failed' || other.gigId !== gigId || other.token.id !== token.id) continue;
    tips.push(...(await tx.retakePaymentTips(id, { claim, now, lockTimeout: now + LOCK_MS })));
  }
  return await plan(tx, claim, tips, now);
}

async function retryFailed(deps: ClaimContext, status: ClaimStatus, request: ClaimRequest): Promise<ClaimStatus> {
  const due = (current: ClaimStatus) =>
    payoutsOf(current).filter(
      ({ outcome, payment }) => outcome === 'failed' && isRetryDue(current, payment, deps.clock()),
    );
  if (due(status).length === 0) return status;
  const { claim } = status;
  return await deps.store.transaction(async (tx) => {
    // Checked again in the transaction: another request may just have planned the same.
    const now = deps.clock();
    const failed = due(await statusOf(tx, claim));
    for (const payment of failed.map((each) => each.payment).sort(inGigOrder))
      await planPayoutAgain(tx, claim, payment, now);
    if (failed.length > 0) {
      const detail = { payments: failed.map(({ payment }) => payment.id) };
      await recordClaimEvent(tx, claim, { action: 'claim.retry', detail, requestId: request.requestId, now });
    }
    return await statusOf(tx, claim);
  });
}

function goOn(deps: ClaimContext, status: ClaimStatus): ClaimStatus {
  if (status.payments.length === 0) throw new DomainError({ code: 'no_tips' });
  deps.wakePayments();
  return status;
}

async function askAgain(deps: ClaimContext, known: Claim, request: ClaimRequest): Promise<ClaimStatus> {
  if (deps.wallets === null) throw new DomainError({ code: 'wallets_off' });
  // In a transaction, because a read alone may find a claim that is not on disk yet.
  const status = await deps.store.transaction((tx) => statusOf(tx, known), { narrow: true });
  return goOn(deps, request.retry ? await retryFailed(deps, status, request) : status);
}

/**
 * Opens a claim, or returns the one that its post already made: a post makes one claim, for ever. With `retry`, its
 * failed payouts are planned again; nothing is paid twice.
 * @param findRecipient finds the paid address of a new claim, and throws what keeps it from being paid
 * @throws DomainError `invalid_address`, `no_tips`, `wallets_off`, and those of `findRecipient`
 * @throws NameUnconfirmed where the recipient is given by a name
 */
export async function openClaim(
  deps: ClaimContext,
  opening: ClaimOpening,
  findRecipient: () => Promise<Address>,
): Promise<ClaimStatus> {
  if (deps.wallets === null) throw new DomainError({ code: 'wallets_off' });
  const known = await deps.store.claimByPost(opening.platform, opening.postId);
  if (known !== null) return await askAgain(deps, ownClaim(known, opening), opening);
  const recipient = await findRecipient();
  if (await isLostRecipient(deps, recipient)) throw new DomainError({ code: 'invalid_address' });
  return goOn(deps, await open(deps, opening, recipient));
}

/**
 * {@link openClaim} for a post that asks to be paid.
 * @throws DomainError `not_a_claim`, `invalid_address`, `several_addresses`, `no_address`, `no_verified_address`,
 * `post_too_old`, `no_tips`, `wallets_off`
 * @throws AdapterError when the author's verified address cannot be looked up
 */
export async function claimRewards(deps: ClaimContext, post: ClaimPost): Promise<ClaimStatus> {
  return await openClaim(deps, post, () => recipientOf(deps, post));
}

export const NO_POST_URL = `url is not the URL of a post on ${listPlatforms('or')}, such as ${PLATFORMS[0]?.examplePostUrl}`;

/**
 * Claims for the post behind a URL. The author reported by the platform is paid, not a name in the URL.
 * @throws DomainError `invalid_request` when it is not the URL of a post, `post_not_found`, `platform_off`, and those of {@link claimRewards}
 * @throws AdapterError when the platform cannot be asked
 */
export async function claimByUrl(
  deps: UrlClaimContext,
  { url, requestId = null }: { url: string; requestId?: string | null },
): Promise<ClaimStatus> {
  const reference = parsePostReference(url);
  if (reference === null) throw invalidRequest(NO_POST_URL);
  // An existing claim is found by the full post id, even after the post was deleted.
  const { postId: id } = reference;
  const known = id === null ? null : await deps.store.claimByPost(reference.platform, id);
  if (known !== null) return await askAgain(deps, known, { retry: true, requestId });
  const network = deps.platforms.get(reference.platform);
  if (network === undefined) throw new DomainError({ code: 'platform_off', platform: reference.platform });
  const post = await network.lookUpPost(url);
  if (post === null) throw new DomainError({ code: 'post_not_found', platform: reference.platform });
  const { authorId: platformUserId, authorUsername: username, ...found } = post;
  const seenAt = deps.clocks.latest();
  const asked = { source: 'url', requestId, retry: true } as const;
  return await claimRewards(deps, { ...found, ...asked, seenAt, platformUserId, username });
}

/** Whether a payout of a claim is neither confirmed nor failed yet. */
export function hasPendingPayout(status: ClaimStatus): boolean {
  return payoutsOf(status).some(({ outcome }) => outcome === 'pending');
}
