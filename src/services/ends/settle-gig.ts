import type { AccountActor, Actor } from '../../domain/actor.ts';
import { DomainError, type Unsettleable } from '../../domain/errors.ts';
import { type Gig, gigPhase } from '../../domain/gig.ts';
import type { Log } from '../../log.ts';
import type { Store, StoreTx } from '../../store/port/index.ts';
import { findGig, findReachedGig, requireOwner } from '../gigs/find-gigs.ts';
import { type Deed, recordGigEvent } from '../operators/audit-events.ts';

/** Gigs are settled in transactions of so many. */
const TOGETHER = 50;
const JOB: Actor = { kind: 'job', name: 'settle' };

/** Closes the books of a gig. @returns false when something of it is not decided about */
async function close(tx: StoreTx, gig: Gig, deed: Deed): Promise<boolean> {
  if (!(await tx.settleGig(gig.id, deed.now))) return false;
  const detail = { reward: gig.rewardAmount, awarded: gig.awardedAmount };
  await recordGigEvent(tx, deed, { action: 'gig.close', gigId: gig.id, detail });
  return true;
}

function refuse(gigId: number, why: Unsettleable): DomainError {
  return new DomainError({ code: 'gig_not_settleable', gigId, why });
}

/** A gig as it will be when it is settled now, if nothing of it is open. @throws DomainError `gig_not_settleable` */
export function previewSettlement(gig: Gig, now: number): Gig {
  const phase = gigPhase(gig, now);
  if (phase === 'created' || phase === 'cancelled') throw refuse(gig.id, phase);
  if (phase !== 'ended') throw refuse(gig.id, 'running');
  if (gig.settledAt !== null) throw refuse(gig.id, 'settled');
  return { ...gig, settledAt: now };
}

async function settle(tx: StoreTx, gig: Gig, deed: Deed): Promise<Gig> {
  const { id: gigId } = gig;
  previewSettlement(gig, deed.now);
  if (!(await close(tx, gig, deed))) throw refuse(gigId, 'undecided');
  return await findGig({ store: tx }, { gigId });
}

/**
 * Settles a gig that is over and on which nothing is open, before its time for awards is: nothing is awarded any more, and
 * what is left can be refunded.
 * @returns the gig as it is then
 * @throws DomainError `gig_not_found`, `gig_not_settleable`
 */
export async function settleGig(tx: StoreTx, { gigId }: { gigId: number }, deed: Deed): Promise<Gig> {
  return await settle(tx, await findReachedGig({ store: tx }, { gigId, actor: deed.actor }), deed);
}

/** {@link settleGig} by an account, which must own the gig. @throws DomainError `not_gig_owner`, and those of settleGig */
export async function settleOwnGig(
  tx: StoreTx,
  { gigId }: { gigId: number },
  deed: Deed & { readonly actor: AccountActor },
): Promise<Gig> {
  return await settle(tx, await requireOwner({ store: tx }, { gigId, account: deed.actor, act: 'settle' }), deed);
}

/** Settles every gig whose time for awards is over and on which nothing is open. */
export async function settleDueGigs({
  store,
  clock,
  log,
}: {
  store: Pick<Store, 'transaction' | 'gigsToSettle'>;
  clock: () => number;
  log: Log;
}): Promise<void> {
  const now = clock();
  let after = 0;
  let ids: number[];
  do {
    ids = await store.gigsToSettle({ now, after, limit: TOGETHER });
    after = ids.at(-1) ?? after;
    if (ids.length === 0) return;
    const closed = await store.transaction(async (tx) => {
      const done: number[] = [];
      for (const id of ids) {
        const gig = await tx.gig(id);
        if (gig !== null && (await close(tx, gig, { actor: JOB, now: clock() }))) done.push(id);
      }
      return done;
    });
    for (const gigId of closed) log.info({ gigId }, 'gig settled');
  } while (ids.length === TOGETHER);
}
