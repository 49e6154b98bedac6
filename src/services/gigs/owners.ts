import { type Account, type AccountKey, accountKeyText } from '../../domain/account.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { Actor } from '../../domain/operators/actor.ts';
import type { StoreReads } from '../../store/port/index.ts';
import type { ReadContext, ServiceContext } from '../context.ts';
import { readClient } from '../operators/api-keys.ts';
import { recordEvent, recordGigEvent } from '../operators/audit-events.ts';
import type { Prepared } from '../prepared.ts';
import { commandGig, findSeenGig } from './command-gig.ts';
import { storeOwner } from './create-gig.ts';

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

/**
 * Prepares that an account may command a gig, live or not; no change for one that is an owner already. Its commit returns the
 * owner with its stored handle, and throws DomainError as {@link commandGig}.
 */
export function prepareOwner({
  gigId,
  owner,
  actor,
}: {
  gigId: number;
  owner: Account;
  actor: Actor;
}): Prepared<Account> {
  return {
    async commit(tx, now) {
      const gig = await commandGig(tx, { gigId, actor, act: 'addOwners' });
      await storeOwner(tx, gig, owner, { actor, now });
      return (await tx.account(owner)) ?? owner;
    },
  };
}

/**
 * A gig's owners in the order in which they were added; a gig the actor may not see is not found.
 * @throws DomainError `gig_not_found`
 */
export async function listOwners(
  { store }: ReadContext,
  { gigId, actor }: { gigId: number; actor: Actor },
): Promise<Account[]> {
  await findSeenGig(store, { gigId, actor });
  return await store.gigOwners(gigId);
}

/**
 * Removes an owner of a gig.
 * @throws DomainError as {@link commandGig}, or `invalid_request` when the account does not own it
 */
export async function removeOwner(
  { store, clock }: ServiceContext,
  { gigId, owner, actor }: { gigId: number; owner: AccountKey; actor: Actor },
): Promise<void> {
  const subjectId = accountKeyText(owner);
  await store.transaction(async (tx) => {
    await commandGig(tx, { gigId, actor, act: 'removeOwners' });
    if (!(await tx.removeGigOwner(gigId, owner))) {
      throw invalidRequest(`${subjectId} is not an owner of gig ${gigId}.`);
    }
    const event = { action: 'owner.remove', subject: 'account', subjectId, gigId, detail: {} } as const;
    await recordEvent(tx, { actor, now: clock() }, event);
  });
}
