import type { AccountKey, Platform } from '../../domain/account.ts';
import { AdapterError, DomainError } from '../../domain/errors.ts';
import { type Funding, type Gig, gigPhase } from '../../domain/gigs/gig.ts';
import type { GigFilter } from '../../store/port/index.ts';
import type { ChainReads, ReadContext, ServiceContext } from '../context.ts';
import { tryFunding } from './read-funding.ts';

/** The gig with this id. @throws DomainError `gig_not_found` */
export async function findGig({ store }: ReadContext, { gigId }: { gigId: number }): Promise<Gig> {
  const gig = await store.gig(gigId);
  if (gig === null) throw new DomainError({ code: 'gig_not_found', gigId });
  return gig;
}

/** Requires that a gig never was live. @throws DomainError `gig_already_live`, `gig_ended` */
export function requireNotLive(gig: Gig, now: number): void {
  if (gig.status !== 'live') return;
  const code = gigPhase(gig, now) === 'ended' ? 'gig_ended' : 'gig_already_live';
  throw new DomainError({ code, gigId: gig.id });
}

/** Whether a gig is frozen, which is public; the reason is only for the operator. */
export async function isGigFrozen({ store }: ReadContext, gigId: number): Promise<boolean> {
  return (await store.gigFreeze(gigId)) !== null;
}

export interface GigStatus {
  readonly gig: Gig;
  /** The wallet's funding, for owners only, or `unknown` when the chain does not answer; null for other accounts. */
  readonly funding: Funding | 'unknown' | null;
  /** The reason is only for the operator. */
  readonly frozen: boolean;
}

/** The status of a gig, for `viewer`. @throws DomainError `gig_not_found` */
export async function findGigStatus(
  deps: ChainReads & ReadContext,
  { gigId, viewer }: { gigId: number; viewer: AccountKey },
): Promise<GigStatus> {
  const gig = await findGig(deps, { gigId });
  const frozen = await isGigFrozen(deps, gigId);
  if (!(await deps.store.ownsGig(gigId, viewer))) return { gig, funding: null, frozen };
  const funding = await tryFunding(deps, gig);
  return { gig, funding: funding instanceof AdapterError ? 'unknown' : funding, frozen };
}

export const GIG_PHASES = [
  'active',
  'created',
  'live',
  'ended',
  'cancelled',
  'all',
] as const satisfies GigFilter['phase'][];

/** A page of gigs, newest first, and the `before` of the next page, or null on the last one. */
export async function listGigs(
  { store, clock }: ServiceContext,
  query: {
    phase: GigFilter['phase'];
    platforms?: readonly Platform[] | undefined;
    limit: number;
    before?: number | undefined;
  },
): Promise<{ gigs: Gig[]; next: number | null }> {
  const { limit } = query;
  const found = await store.gigs({ ...query, limit: limit + 1, now: clock() });
  const gigs = found.slice(0, limit);
  return { gigs, next: found.length > limit ? (gigs.at(-1)?.id ?? null) : null };
}
