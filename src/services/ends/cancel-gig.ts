import type { AccountActor } from '../../domain/actor.ts';
import { DomainError } from '../../domain/errors.ts';
import { type Gig, START_LEASE_MS } from '../../domain/gig.ts';
import type { StoreTx } from '../../store/port/index.ts';
import { findGig, findReachedGig, requireNotLive, requireOwner } from '../gigs/find-gigs.ts';
import { type Deed, recordGigEvent } from '../operators/audit-events.ts';

/** Names this cancellation; no start under way may have the lock. */
interface CancelRequest {
  readonly gigId: number;
  readonly holder: string;
}

/** A gig as it will be when it is cancelled now. @throws DomainError `gig_already_live`, `gig_ended` */
export function previewCancel(gig: Gig, now: number): Gig {
  requireNotLive(gig, now);
  return { ...gig, cancelledAt: gig.cancelledAt ?? now };
}

async function cancel(tx: StoreTx, gig: Gig, { holder }: CancelRequest, deed: Deed): Promise<Gig> {
  const { id: gigId } = gig;
  const { now } = deed;
  previewCancel(gig, now);
  if (gig.cancelledAt !== null) return gig;
  const isLocked = await tx.lockGig(gigId, { holder, now, until: now + START_LEASE_MS });
  if (!isLocked || !(await tx.cancelGig(gigId, { holder, now }))) {
    throw new DomainError({ code: 'gig_in_progress', gigId });
  }
  await recordGigEvent(tx, deed, { action: 'gig.cancel', gigId, detail: { refund_address: gig.refundAddress } });
  return await findGig({ store: tx }, { gigId });
}

/**
 * Ends a gig that never started, under its start lock: all that its wallet holds, reward and fee, can return. Cancelling
 * it again changes nothing.
 * @returns the gig as it is then
 * @throws DomainError `gig_not_found`, `gig_already_live`, `gig_ended`, or `gig_in_progress` while it is being started
 */
export async function cancelGig(tx: StoreTx, request: CancelRequest, deed: Deed): Promise<Gig> {
  const { gigId } = request;
  return await cancel(tx, await findReachedGig({ store: tx }, { gigId, actor: deed.actor }), request, deed);
}

/** {@link cancelGig} by an account, which must own the gig. @throws DomainError `not_gig_owner`, and those of cancelGig */
export async function cancelOwnGig(
  tx: StoreTx,
  request: CancelRequest,
  deed: Deed & { readonly actor: AccountActor },
): Promise<Gig> {
  const gig = await requireOwner({ store: tx }, { gigId: request.gigId, account: deed.actor, act: 'cancel' });
  return await cancel(tx, gig, request, deed);
}
