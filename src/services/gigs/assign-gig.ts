import type { Actor } from '../../domain/actor.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Store } from '../../store/port/index.ts';
import { readClient } from '../operators/api-keys.ts';
import { recordGigEvent } from '../operators/audit-events.ts';
import { findGig } from './find-gigs.ts';

/**
 * Gives a gig that has no client, because it is from before gigs had clients, to one.
 * @throws DomainError `gig_not_found`, or `invalid_request` when it has a client, or none is named
 */
export async function assignGig(
  { store, clock }: { store: Pick<Store, 'transaction'>; clock: () => number },
  { gigId, client: named, actor }: { gigId: number; client: string; actor: Actor },
): Promise<void> {
  const client = readClient(named);
  await store.transaction(async (tx) => {
    const gig = await findGig({ store: tx }, { gigId });
    if (!(await tx.assignGig(gigId, client))) {
      const message = `Gig ${gigId} belongs to ${gig.client ?? 'a client'} already; a gig keeps its client.`;
      throw new DomainError({ code: 'invalid_request', message });
    }
    await recordGigEvent(tx, { actor, now: clock() }, { action: 'gig.assign', gigId, detail: { client } });
  });
}
