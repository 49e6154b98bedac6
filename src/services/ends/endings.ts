import { readStoredRules } from '../../domain/earning/terms/rules-json.ts';
import { DomainError } from '../../domain/errors.ts';
import { endedEvent } from '../../domain/events/event.ts';
import { type Gig, gigPhase, START_LEASE_MS } from '../../domain/gigs/gig.ts';
import type { Unsettleable } from '../../domain/gigs/gig-refusals.ts';
import type { GigAct } from '../../domain/operators/actor.ts';
import type { StoreTx } from '../../store/port/index.ts';
import type { Commanded } from '../gigs/command-gig.ts';
import { requireNotLive } from '../gigs/find-gigs.ts';
import type { Ender } from '../gigs/steps/check-step.ts';
import { recordGigEvent } from '../operators/audit-events.ts';

/** How a gig is ended: now instead of at its time, permanently after its end, or without a start. */
export type Ending = Extract<GigAct, 'stop' | 'settle' | 'cancel'>;

/** Who ends a gig, and when. A job cannot without an answer of the chain. */
type EndingDeed = Ender & { readonly now: number };

/** What `check` cannot see is refused by `commit`. */
interface EndingRow {
  /** @throws DomainError when the gig cannot be ended so at this time */
  readonly check: (gig: Gig, now: number) => void;
  readonly after: (gig: Gig, now: number) => Gig;
  /** `holder` names this attempt. @throws DomainError when the gig cannot be ended so after all */
  readonly commit: (tx: StoreTx, gig: Commanded, deed: EndingDeed & { readonly holder: string }) => Promise<void>;
}

function notSettleable(gigId: number, why: Unsettleable): DomainError {
  return new DomainError({ code: 'gig_not_settleable', gigId, why });
}

/** Closes the books of a gig. @returns false when something of it is not decided on */
export async function closeBooks(tx: StoreTx, gig: Commanded, deed: EndingDeed): Promise<boolean> {
  if (!(await tx.settleGig(gig.id, deed.now))) return false;
  await tx.insertEvents([endedEvent(gig.id, deed.now)]);
  const detail = { reward: gig.rewardAmount, awarded: gig.awardedAmount };
  await recordGigEvent(tx, deed, { action: 'gig.close', gigId: gig.id, detail });
  return true;
}

/**
 * Ends a live gig now, before its time. Its terms stay; no act after this moment counts, and what was earned before stays
 * earned.
 */
const stop: EndingRow = {
  check(gig, now) {
    const phase = gigPhase(gig, now);
    if (phase !== 'live' && phase !== 'scheduled')
      throw new DomainError({ code: 'gig_not_stoppable', gigId: gig.id, phase });
  },
  after(gig, now) {
    // The clock may have been set back since the start: an end is never before it.
    const stoppedAt = Math.max(now, gig.wentLiveAt ?? now);
    return { ...gig, startTime: Math.min(gig.startTime, stoppedAt), stoppedAt, endTime: stoppedAt };
  },
  async commit(tx, gig: Commanded, deed) {
    const { endTime: end } = stop.after(gig, deed.now);
    const stored = await tx.earningRules(gig.id);
    const holdMs = stored === null ? 0 : readStoredRules(stored.rules).holdMs;
    if (!(await tx.stopGig(gig.id, { now: end, dueBy: end + holdMs }))) {
      throw new DomainError({ code: 'gig_not_stoppable', gigId: gig.id, phase: 'ended' });
    }
    const detail = { planned_end: gig.startTime + gig.duration };
    await recordGigEvent(tx, deed, { action: 'gig.stop', gigId: gig.id, detail });
  },
};

/**
 * Settles a gig that is over and on which nothing is open, before its time for awards is: nothing is awarded any more, and
 * what is left can be refunded.
 */
const settle: EndingRow = {
  check(gig, now) {
    const phase = gigPhase(gig, now);
    if (phase === 'created' || phase === 'cancelled') throw notSettleable(gig.id, phase);
    if (phase !== 'ended') throw notSettleable(gig.id, 'running');
    if (gig.settledAt !== null) throw notSettleable(gig.id, 'settled');
  },
  after: (gig, now) => ({ ...gig, settledAt: now }),
  async commit(tx, gig: Commanded, deed) {
    if (!(await closeBooks(tx, gig, deed))) throw notSettleable(gig.id, 'undecided');
  },
};

/**
 * Ends a gig that never started, under its start lock: all that its wallet holds, reward and fee, can return. Cancelling
 * it again changes nothing.
 */
const cancel: EndingRow = {
  check: requireNotLive,
  after: (gig, now) => ({ ...gig, cancelledAt: gig.cancelledAt ?? now }),
  async commit(tx, gig: Commanded, { holder, ...deed }) {
    if (gig.cancelledAt !== null) return;
    const [gigId, { now }] = [gig.id, deed];
    const isLocked = await tx.lockGig(gigId, { holder, now, until: now + START_LEASE_MS });
    if (!isLocked || !(await tx.cancelGig(gigId, { holder, now }))) {
      throw new DomainError({ code: 'gig_in_progress', gigId });
    }
    await recordGigEvent(tx, deed, { action: 'gig.cancel', gigId, detail: { refund_address: gig.refundAddress } });
  },
};

export const ENDINGS: Readonly<Record<Ending, EndingRow>> = { stop, settle, cancel };

/** All of them, in the order in which they are listed. */
export const ENDING_NAMES = Object.keys(ENDINGS) as Ending[]; // exactly the keys of a literal

/** How a gig may be ended at this time. A settlement may still be refused, when something of the gig is open. */
export function endingsOf(gig: Gig, now: number): Ending[] {
  const phase = gigPhase(gig, now);
  if (phase === 'created') return ['cancel'];
  if (phase === 'live' || phase === 'scheduled') return ['stop'];
  return phase === 'ended' && gig.settledAt === null ? ['settle'] : [];
}
