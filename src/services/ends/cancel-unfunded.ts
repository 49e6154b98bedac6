import { DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import { UNFUNDED_FOR_MS } from '../../domain/owners/owner-gigs.ts';
import { findShortGigs } from '../gigs/read-funding.ts';
import type { UnfundedContext } from './context.ts';
import { endGig } from './end-gig.ts';

const TOGETHER = 50;
const JOB: Actor = { kind: 'job', name: 'cancel unfunded gigs' };

async function cancel(deps: UnfundedContext, { id: gigId }: Gig): Promise<void> {
  try {
    await endGig(deps, { gigId, ending: 'cancel', actor: JOB });
    deps.log.info({ gigId }, 'unfunded gig of an owner cancelled');
  } catch (error) {
    // It starts at this moment, or has just ended.
    if (!(error instanceof DomainError)) throw error;
  }
}

/**
 * Cancels the gigs that owners created on their pages a week ago and whose wallets hold less than they need. The money in a
 * wallet returns as for every cancelled gig.
 */
export async function cancelUnfunded(deps: UnfundedContext): Promise<void> {
  const { store, clock } = deps;
  const createdBy = clock() - UNFUNDED_FOR_MS;
  let after = 0;
  for (;;) {
    const ids = await store.waitingOwnerGigs({ createdBy, after, limit: TOGETHER });
    after = ids.at(-1) ?? after;
    const gigs = (await Promise.all(ids.map((id) => store.gig(id)))).filter((gig) => gig !== null);
    for (const gig of await findShortGigs(deps, gigs)) await cancel(deps, gig);
    if (ids.length < TOGETHER) return;
  }
}
