import { invalidRequest } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import { refundRecipient } from '../../domain/gigs/gig-end.ts';
import { type Address, checksummed } from '../../domain/gigs/token.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import { commandGig } from '../gigs/command-gig.ts';
import { findGig } from '../gigs/find-gigs.ts';
import { recordGigEvent } from '../operators/audit-events.ts';
import { losesMoney, type RecipientContext } from '../recipients.ts';

/**
 * @throws DomainError `invalid_request` when money that is sent there on the chain would be lost
 * @throws AdapterError when the chain does not answer
 */
export async function requireSafeRecipient(
  deps: RecipientContext,
  named: { readonly chainId: number; readonly recipient: Address },
): Promise<void> {
  if (!(await losesMoney(deps, named))) return;
  const { recipient } = named;
  const shown = checksummed(recipient);
  throw invalidRequest(`${shown} is a token, a wallet or contract of this service or no address: money would be lost.`);
}

/** @throws DomainError `invalid_request` when the terms of a gig say where its refund goes, or it was planned */
export function requireNameable({ id, refundAddress, refundedAt }: Gig): void {
  if (refundAddress === null && refundedAt === null) return;
  const why =
    refundAddress === null
      ? 'its refund was planned before'
      : `its terms say where it goes: ${checksummed(refundAddress)}`;
  throw invalidRequest(`Another address cannot be named for gig ${id}: ${why}.`);
}

/**
 * Names where what is left of a gig returns to, where its terms do not say; until the refund is planned it can be named
 * again.
 * @returns the gig as it is then
 * @throws DomainError as {@link commandGig}, or `invalid_request` when its terms say it, its refund was planned, or money would
 * be lost there
 * @throws AdapterError when the chain does not answer
 */
export async function nameRefundAddress(
  deps: RecipientContext,
  { gigId, to, actor }: { gigId: number; to: Address; actor: Actor },
): Promise<Gig> {
  const { token } = await commandGig(deps.store, { gigId, actor, act: 'refund' });
  await requireSafeRecipient(deps, { chainId: token.chainId, recipient: to });
  return await deps.store.transaction(async (tx) => {
    const gig = await commandGig(tx, { gigId, actor, act: 'refund' });
    if (refundRecipient(gig) === to) return gig;
    requireNameable(gig);
    if (!(await tx.nameRefundAddress(gigId, to))) throw new TypeError(`no address could be named for gig ${gigId}`);
    const detail = { refund_to: to, before: gig.refundTo };
    await recordGigEvent(tx, { actor, now: deps.clock() }, { action: 'gig.refund_to', gigId, detail });
    return await findGig({ store: tx }, { gigId });
  });
}
