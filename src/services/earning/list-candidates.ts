import { AdapterError } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gig.ts';
import type { Platforms } from '../../domain/mention.ts';
import type { Store } from '../../store/port/index.ts';
import { findGig } from '../gigs/find-gigs.ts';
import { findSubmissions, type Submission } from '../gigs/find-submissions.ts';
import { requireBounty } from './decide-candidates.ts';

/** A submission with its text as its platform shows it; null when that does not answer, or is off here. */
export interface ReadSubmission extends Submission {
  readonly text: string | null;
}

/** The candidates of a bounty. */
export interface Candidates {
  readonly gig: Gig;
  /** The most for one account, in base units. */
  readonly maxAmount: bigint;
  readonly submissions: readonly ReadSubmission[];
}

async function readTexts(
  platforms: Platforms,
  gig: Gig,
  submissions: readonly Submission[],
): Promise<ReadonlyMap<string, string> | null> {
  const reader = platforms.get(gig.platform)?.acts ?? null;
  if (reader === null) return null;
  const texts = new Map<string, string>();
  try {
    for (let from = 0; from < submissions.length; from += reader.bulk) {
      const ids = submissions.slice(from, from + reader.bulk).map(({ postId }) => postId);
      for (const [id, text] of await reader.readTexts(ids)) texts.set(id, text);
    }
    return texts;
  } catch (error) {
    if (error instanceof AdapterError) return null;
    throw error;
  }
}

/**
 * The submissions that are to be decided about, those that wait longest first, with their texts.
 * @throws DomainError `gig_not_found`, or `invalid_request` when the gig has no verifier rule
 */
export async function listCandidates(
  deps: {
    readonly store: Pick<Store, 'gig' | 'earningRules' | 'candidates' | 'observations'>;
    readonly platforms: Platforms;
  },
  { gigId, limit }: { gigId: number; limit: number },
): Promise<Candidates> {
  const { store, platforms } = deps;
  const gig = await findGig(deps, { gigId });
  const { maxAmount } = await requireBounty(store, gigId);
  const waiting = await store.candidates(gigId, { dueBy: Number.MAX_SAFE_INTEGER, limit });
  const submissions = await findSubmissions(store, waiting);
  const texts = await readTexts(platforms, gig, submissions);
  return {
    gig,
    maxAmount,
    submissions: submissions.map((each) => ({ ...each, text: texts?.get(each.postId) ?? null })),
  };
}
