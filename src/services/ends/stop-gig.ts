import type { AccountActor } from '../../domain/actor.ts';
import { readStoredRules } from '../../domain/earning/rules-json.ts';
import { DomainError } from '../../domain/errors.ts';
import { type Gig, gigPhase } from '../../domain/gig.ts';
import type { StoreTx } from '../../store/port/index.ts';
import { findGig, findReachedGig, requireOwner } from '../gigs/find-gigs.ts';
import { type Deed, recordGigEvent } from '../operators/audit-events.ts';

/** A gig as it will be when it is stopped now. @throws DomainError `gig_not_stoppable` */
export function previewStop(gig: Gig, now: number): Gig {
  const phase = gigPhase(gig, now);
  if (phase !== 'live' && phase !== 'scheduled')
    throw new DomainError({ code: 'gig_not_stoppable', gigId: gig.id, phase });
  // The clock may have been set back since the start: an end is never before it.
  const stoppedAt = Math.max(now, gig.wentLiveAt ?? now);
  return { ...gig, startTime: Math.min(gig.startTime, stoppedAt), stoppedAt, endTime: stoppedAt };
}

async function stop(tx: StoreTx, gig: Gig, deed: Deed): Promise<Gig> {
  const { endTime: end } = previewStop(gig, deed.now);
  const stored = await tx.earningRules(gig.id);
  const holdMs = stored === null ? 0 : readStoredRules(stored.rules).holdMs;
  if (!(await tx.stopGig(gig.id, { now: end, dueBy: end + holdMs }))) {
    throw new DomainError({ code: 'gig_not_stoppable', gigId: gig.id, phase: 'ended' });
  }
  const detail = { planned_end: gig.startTime + gig.duration };
  await recordGigEvent(tx, deed, { action: 'gig.stop', gigId: gig.id, detail });
  return await findGig({ store: tx }, { gigId: gig.id });
}

/**
 * Ends a live gig now, before its time. Its terms stay; no act after this moment counts, and what was earned before stays
 * earned.
 * @returns the gig as it is then
 * @throws DomainError `gig_not_found`, `gig_not_stoppable`
 */
export async function stopGig(tx: StoreTx, { gigId }: { gigId: number }, deed: Deed): Promise<Gig> {
  return await stop(tx, await findReachedGig({ store: tx }, { gigId, actor: deed.actor }), deed);
}

/** {@link stopGig} by an account, which must own the gig. @throws DomainError `not_gig_owner`, and those of stopGig */
export async function stopOwnGig(
  tx: StoreTx,
  { gigId }: { gigId: number },
  deed: Deed & { readonly actor: AccountActor },
): Promise<Gig> {
  return await stop(tx, await requireOwner({ store: tx }, { gigId, account: deed.actor, act: 'stop' }), deed);
}
