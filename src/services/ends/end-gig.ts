import type { AccountActor, Actor } from '../../domain/actor.ts';
import type { Gig } from '../../domain/gig.ts';
import type { Store, StoreTx } from '../../store/port/index.ts';
import { requireOwner } from '../gigs/find-gigs.ts';
import { cancelGig, cancelOwnGig, previewCancel } from './cancel-gig.ts';
import { previewSettlement, settleGig, settleOwnGig } from './settle-gig.ts';
import { previewStop, stopGig, stopOwnGig } from './stop-gig.ts';

/** How a gig is ended: now instead of at its time, for good after its end, or without a start. */
export type Ending = 'stop' | 'settle' | 'cancel';

export interface EndDeps {
  readonly store: Pick<Store, 'transaction'>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Names an attempt. */
  readonly newId: () => string;
}

/**
 * Ends a gig for a client or the operator.
 * @returns the gig as it is then
 * @throws DomainError as {@link stopGig}, {@link settleGig} and {@link cancelGig}
 */
export async function endGig(
  { store, clock, newId }: EndDeps,
  { gigId, ending, actor }: { gigId: number; ending: Ending; actor: Actor },
): Promise<Gig> {
  const holder = newId();
  return await store.transaction(async (tx) => {
    const deed = { actor, now: clock() };
    if (ending === 'stop') return await stopGig(tx, { gigId }, deed);
    return ending === 'settle' ? await settleGig(tx, { gigId }, deed) : await cancelGig(tx, { gigId, holder }, deed);
  });
}

/** A gig that an account may end, as it will be then. @throws DomainError as {@link endOwnGig} */
export async function previewEnd(
  { store }: { store: Pick<Store, 'gig' | 'ownsGig'> },
  { gigId, ending }: { gigId: number; ending: Ending },
  { actor, now }: { actor: AccountActor; now: number },
): Promise<Gig> {
  const gig = await requireOwner({ store }, { gigId, account: actor, act: ending });
  if (ending === 'stop') return previewStop(gig, now);
  return ending === 'settle' ? previewSettlement(gig, now) : previewCancel(gig, now);
}

/** Ends a gig for an account, which must own it. @throws DomainError `not_gig_owner`, and those of {@link endGig} */
export async function endOwnGig(
  tx: StoreTx,
  { gigId, ending, holder }: { gigId: number; ending: Ending; holder: string },
  deed: { readonly actor: AccountActor; readonly now: number },
): Promise<Gig> {
  if (ending === 'stop') return await stopOwnGig(tx, { gigId }, deed);
  return ending === 'settle'
    ? await settleOwnGig(tx, { gigId }, deed)
    : await cancelOwnGig(tx, { gigId, holder }, deed);
}
