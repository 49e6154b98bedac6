import { invalidRequest } from '../../domain/errors.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import type { StoreReads } from '../../store/port/index.ts';
import type { ServiceContext } from '../context.ts';
import { readClient } from '../operators/api-keys.ts';
import { recordGigEvent } from '../operators/audit-events.ts';
import { commandGig } from './command-gig.ts';

/** @throws DomainError `invalid_request`, naming the known clients, when no API key has this client */
async function requireClient(reads: StoreReads, client: string): Promise<void> {
  const clients = new Set((await reads.apiKeys()).map((key) => key.client));
  if (clients.has(client)) return;
  const known =
    clients.size === 0
      ? 'There are no clients yet; api-key create creates one.'
      : `The clients are ${[...clients].sort().join(', ')}; api-key list shows them.`;
  throw invalidRequest(`There is no client ${client}. ${known}`);
}

/**
 * Assigns a gig without a client to a client with a key, in any state of the gig.
 * @throws DomainError as {@link commandGig}, or `invalid_request` when it has a client, or none or an unknown one is named
 */
export async function assignGig(
  { store, clock }: ServiceContext,
  { gigId, client: named, actor }: { gigId: number; client: string; actor: Actor },
): Promise<void> {
  const client = readClient(named);
  await store.transaction(async (tx) => {
    const gig = await commandGig(tx, { gigId, actor, act: 'assign' });
    if (gig.client === null) await requireClient(tx, client);
    if (!(await tx.assignGig(gigId, client))) {
      throw invalidRequest(`Gig ${gigId} belongs to ${gig.client ?? 'a client'} already; a gig keeps its client.`);
    }
    await recordGigEvent(tx, { actor, now: clock() }, { action: 'gig.assign', gigId, detail: { client } });
  });
}
