import { setImmediate } from 'node:timers/promises';
import { type Gig, type GigPhase, gigPhase } from '../../domain/gigs/gig.ts';
import { type IdSpan, isWithin } from '../../domain/id-span.ts';
import type { TwoWayPage } from '../../store/port/index.ts';
import type { ServiceContext } from '../context.ts';
import { accountsOf, countsOn } from '../gigs/owner-accounts.ts';
import type { SignedIn } from './sessions.ts';

/** Otherwise a rare phase would read all gigs of the owner. */
const MAX_LOOKED_AT = 500;

interface OwnerGigQuery extends TwoWayPage {
  /** All when absent. */
  readonly phase?: GigPhase | undefined;
  /** The ids that may be listed. */
  readonly span: IdSpan;
}

/**
 * A page of the gigs that an owner reaches, and the `before` or `after` of the next page, or null on the last one. No index has the
 * gigs of an owner by their phases: of one, a page may have few, and still have a next.
 */
export async function listGigsOfOwner(
  { store, clock }: ServiceContext,
  { owner, client, at }: SignedIn,
  query: OwnerGigQuery,
): Promise<{ gigs: Gig[]; next: number | null }> {
  const { limit, phase, span } = query;
  const accounts = await accountsOf(store, owner, at);
  const now = clock();
  const atOnce = limit + 1;
  const gigs: Gig[] = [];
  let last: number | undefined;
  for (let looked = 0; looked < MAX_LOOKED_AT; looked += atOnce) {
    const place = query.after === undefined ? { before: last ?? query.before } : { after: last ?? query.after };
    const read = await store.gigsOfOwner({ client, accounts }, { ...place, limit: atOnce });
    const within = read.filter(({ id }) => isWithin(id, span));
    for (const gig of within) {
      if (gigs.length === limit) return { gigs, next: last ?? null };
      last = gig.id;
      const isShown = phase === undefined || gigPhase(gig, now) === phase;
      if (isShown && countsOn(owner, gig.token.chainId)) gigs.push(gig);
    }
    if (within.length < atOnce) return { gigs, next: null };
    await setImmediate();
  }
  return { gigs, next: last ?? null };
}

/** Of how many gigs the sums are: the newest. */
export const GIGS_SUMMED = 100;

/** The newest gigs of an owner that have started, and whether they are all. */
export async function startedGigsOfOwner(
  deps: ServiceContext,
  owner: SignedIn,
  { phase, span }: Omit<OwnerGigQuery, keyof TwoWayPage>,
): Promise<{ started: readonly Gig[]; isWhole: boolean }> {
  const { gigs, next } = await listGigsOfOwner(deps, owner, { phase, span, before: span.below, limit: GIGS_SUMMED });
  return { started: gigs.filter(({ status }) => status === 'live'), isWhole: next === null };
}
