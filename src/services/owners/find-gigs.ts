import { type Gig, type GigPhase, gigPhase } from '../../domain/gigs/gig.ts';
import type { IdSpan } from '../../domain/id-span.ts';
import type { TwoWayPage } from '../../store/port/index.ts';
import type { ServiceContext } from '../context.ts';
import { pageOfFiltered } from '../filtered-page.ts';
import { accountsOf, countsOn } from '../gigs/owner-accounts.ts';
import type { SignedIn } from './sessions.ts';

interface OwnerGigQuery extends TwoWayPage {
  /** All when absent. */
  readonly phase?: GigPhase | undefined;
  /** The ids that may be listed. */
  readonly span: IdSpan;
}

/**
 * A page of the gigs that an owner reaches, and the `before` or `after` of the next page, or null on the last one. No index has the
 * gigs of an owner by their phases.
 */
export async function listGigsOfOwner(
  { store, clock }: ServiceContext,
  { owner, client, at }: SignedIn,
  query: OwnerGigQuery,
): Promise<{ gigs: Gig[]; next: number | null }> {
  const { phase } = query;
  const accounts = await accountsOf(store, owner, at);
  const now = clock();
  const { items: gigs, next } = await pageOfFiltered(query, {
    read: (page) => store.gigsOfOwner({ client, accounts }, page),
    placeOf: ({ id }) => id,
    pick(gig: Gig) {
      const isShown = phase === undefined || gigPhase(gig, now) === phase;
      return isShown && countsOn(owner, gig.token.chainId) ? gig : null;
    },
  });
  return { gigs, next };
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
