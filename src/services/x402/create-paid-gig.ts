import { createHash } from 'node:crypto';
import type { Account } from '../../domain/account.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import type { Terms } from '../../domain/gigs/terms.ts';
import type { JobActor, OwnerActor } from '../../domain/operators/actor.ts';
import { MOST_WATCHED } from '../../domain/owners/owner-gigs.ts';
import { MOST_UNPAID, UNPAID_CLIENT, UNPAID_MS } from '../../domain/x402/deposit.ts';
import type { StoreReads, StoreTx } from '../../store/port/index.ts';
import { commandGig } from '../gigs/command-gig.ts';
import { prepareGig, storeOwner } from '../gigs/create-gig.ts';
import { findOrAddToken } from '../gigs/terms/tokens.ts';
import { carryOut, type Prepared } from '../prepared.ts';
import type { PaidGigContext } from './context.ts';
import { requireDomain } from './tokens.ts';

const JOB: JobActor = { kind: 'job', name: 'create paid gig' };

/** What names a gig that is paid for in its creation: the client's own key, or for a while what it asks for and from where. */
export interface PaidRequest {
  /** A SHA-256. */
  readonly request: string;
  readonly isKeyed: boolean;
  /** A SHA-256 of the body. */
  readonly fingerprint: string;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** @param from the address of the client */
export function paidRequest({
  key,
  fingerprint,
  from,
}: {
  readonly key: string | null;
  readonly fingerprint: string;
  readonly from: string;
}): PaidRequest {
  const isKeyed = key !== null;
  return { request: sha256(isKeyed ? `key ${key}` : `body ${fingerprint} ${from}`), isKeyed, fingerprint };
}

/**
 * The id of the gig that a request names; null when it names none. Without a key it names one for ten minutes.
 * @throws DomainError `key_reused` when the key came with another body
 */
export async function findNamedGig(
  reads: StoreReads,
  { request, isKeyed, fingerprint }: PaidRequest,
  now: number,
): Promise<number | null> {
  const named = await reads.gigOfRequest(request);
  if (named === null) return null;
  if (named.fingerprint !== fingerprint) throw new DomainError({ code: 'key_reused' });
  if (isKeyed || Math.abs(now - named.createdAt) < UNPAID_MS) return named.gigId;
  return null;
}

/** As for owners whom the operator did not allow: their platforms bill each look at a watched gig. */
async function requireRoom(tx: StoreTx, now: number): Promise<void> {
  const { watched } = await tx.openOwnerGigs(UNPAID_CLIENT, now);
  if (watched >= MOST_WATCHED || (await tx.unpaidX402Gigs()) >= MOST_UNPAID) {
    throw new DomainError({ code: 'x402_full' });
  }
}

interface PaidGigRequest {
  readonly terms: Terms;
  readonly owners: readonly Account[];
  readonly named: PaidRequest;
  readonly requestId: string | null;
}

/** Prepares a gig of nobody's, which the service starts when it is paid. @throws DomainError and AdapterError as {@link prepareGig} */
async function preparePaidGig(deps: PaidGigContext, request: PaidGigRequest): Promise<Prepared<number>> {
  const { terms, owners, named, requestId } = request;
  const actor: OwnerActor = {
    kind: 'owner',
    owner: 'x402',
    client: UNPAID_CLIENT,
    newUntil: null,
    at: deps.clock(),
    requestId,
  };
  const prepared = await prepareGig(deps, { terms: { ...terms, start: 'when_funded' }, owners: [], actor });
  return {
    ...(prepared.abandon && { abandon: prepared.abandon }),
    async commit(tx, now) {
      // In the order of the locks: the request, the gigs that wait, the gig.
      const other = await findNamedGig(tx, named, now);
      if (other !== null) throw new NamedMeanwhile(other);
      await requireRoom(tx, now);
      const gig: Gig = await prepared.commit(tx, now);
      const { request: name, fingerprint } = named;
      await tx.nameX402Gig({ gigId: gig.id, request: name, fingerprint, createdAt: now });
      if (owners.length > 0) {
        const commanded = await commandGig(tx, { gigId: gig.id, actor: JOB, act: 'change' });
        for (const owner of owners) await storeOwner(tx, commanded, owner, { actor, now });
      }
      return gig.id;
    },
  };
}

/** Another request with the same name was faster. */
class NamedMeanwhile extends Error {
  override readonly name = 'NamedMeanwhile';
  readonly gigId: number;

  constructor(gigId: number) {
    super(`gig ${gigId} has this name`);
    this.gigId = gigId;
  }
}

/**
 * Creates the gig of a request that names none yet. Nothing is created for a token that nobody can pay with.
 * @returns its id, or that of the one which the same request has named meanwhile
 * @throws DomainError and AdapterError as {@link prepareGig}, `x402_full`, `validation_failed` for the token
 */
export async function createPaidGig(deps: PaidGigContext, request: PaidGigRequest): Promise<number> {
  const { chain: key, tokenAddress: address } = request.terms;
  const chain = deps.chains.list().find((reader) => reader.chain.key === key)?.chain;
  // Without a chain the terms are refused with all that is wrong with them.
  if (chain !== undefined) await requireDomain(deps, await findOrAddToken(deps, { chain, address, actor: JOB }));
  try {
    return await carryOut(deps, await preparePaidGig(deps, request));
  } catch (error) {
    if (error instanceof NamedMeanwhile) return error.gigId;
    throw error;
  }
}
