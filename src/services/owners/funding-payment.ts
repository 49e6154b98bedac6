import type { TransactionState } from '../../domain/chains/chain.ts';
import { AdapterError, invalidRequest } from '../../domain/errors.ts';
import type { Gig, ReadFunding } from '../../domain/gigs/gig.ts';
import type { OwnerActor } from '../../domain/operators/actor.ts';
import type { ChainReads, ReadContext, ServiceContext } from '../context.ts';
import { findSeenGig } from '../gigs/command-gig.ts';
import { recordGigEvent } from '../operators/audit-events.ts';

type Hash = `0x${string}`;

/** The state of an owner's transaction; `unread` while the chain does not answer. */
export type FundingPaymentState = TransactionState | 'unread';

/** The transaction that an owner named as the payment of a gig. */
export interface FundingPayment {
  readonly hash: Hash;
  readonly state: FundingPaymentState;
  /** The block that it is in; null for one in none, and while the chain does not answer. */
  readonly blockNumber: bigint | null;
}

const HASH = /^0x[0-9a-f]{64}$/;

/** @throws DomainError `invalid_request` */
export function readFundingHash(text: string): Hash | null {
  const hash = text.trim().toLowerCase();
  if (hash === '') return null;
  if (HASH.test(hash)) return hash as Hash;
  throw invalidRequest('The transaction is named by its hash: 0x and 64 digits from 0 to 9 and a to f.');
}

/**
 * Keeps the transaction by which an owner has paid for a gig, so that it is not paid again from another device; null when
 * nothing was sent. It takes the place of `was`, the one that the owner knows of.
 * @throws DomainError `gig_not_found`, `invalid_request` for a gig that waits for no payment, and when another one was named meanwhile
 */
export async function tellFundingPayment(
  { store, clock }: ServiceContext,
  { gigId, hash, was, actor }: { gigId: number; hash: Hash | null; was: Hash | null; actor: OwnerActor },
): Promise<void> {
  await store.transaction(async (tx) => {
    await findSeenGig(tx, { gigId, actor });
    const known = await tx.fundingHash(gigId);
    if (known !== was && known !== null && known !== hash)
      throw invalidRequest('Another payment was named meanwhile: look again.');
    if (!(await tx.tellFunding(gigId, hash))) throw invalidRequest(`Gig ${gigId} waits for no payment any more.`);
    if (known === hash) return;
    const detail = { hash, before: known };
    await recordGigEvent(tx, { actor, now: clock() }, { action: 'gig.payment', gigId, detail });
  });
}

/** The payment that an owner has named last, as its chain has it now; null for none. */
export async function findFundingPayment(
  { store, chains }: ReadContext & ChainReads,
  { id, token }: Gig,
): Promise<FundingPayment | null> {
  const hash = await store.fundingHash(id);
  if (hash === null) return null;
  try {
    return { hash, ...(await chains.reader(token.chainId).standingOf(hash)) };
  } catch (error) {
    if (error instanceof AdapterError) return { hash, state: 'unread', blockNumber: null };
    throw error;
  }
}

/**
 * A payment as it stands beside what the gig's wallet holds. One in a later block than that was read in is not in it: an
 * endpoint behind another one, or nodes behind one URL, would have it paid again.
 */
export function besideFunding(
  payment: FundingPayment | null,
  funding: ReadFunding | 'unknown' | null,
): FundingPayment | null {
  if (payment?.state !== 'confirmed' || funding === null || funding === 'unknown') return payment;
  return (payment.blockNumber ?? 0n) > funding.blockNumber ? { ...payment, state: 'pending' } : payment;
}

/** Whether a payment may still arrive, so that nothing is to be paid. */
export function isOnItsWay(payment: FundingPayment | null): payment is FundingPayment {
  return payment !== null && ['pending', 'unknown', 'unread'].includes(payment.state);
}
