import type { Platform } from '../../../domain/account.ts';
import { type Decider, deciderOf } from '../../../domain/earning/payouts/verifier.ts';
import { AdapterError } from '../../../domain/errors.ts';
import { awardableOf, type Gig } from '../../../domain/gigs/gig.ts';
import type { Platforms } from '../../../domain/mentions/mention.ts';
import { smaller } from '../../../domain/payments/payment-step.ts';
import { platformFacts } from '../../../domain/platforms/platforms.ts';
import type { EarningReads } from '../../gigs/context.ts';
import { findGig } from '../../gigs/find-gigs.ts';
import { findSubmissions, type Submission } from '../../gigs/show/find-submissions.ts';
import { readPostTexts } from './ask-posts.ts';
import { requireBounty } from './decide-candidates.ts';

/** Why the text of a submission is missing: its platform is off here, or does not answer, or has no such post. */
export type MissingText = 'off' | 'unanswered' | 'gone';

/** A submission with its text as its platform shows it, or why that is missing. */
export interface ReadSubmission extends Submission {
  readonly text: string | null;
  /** Null with a text. */
  readonly missing: MissingText | null;
}

/** Why a text is missing, in words. */
export function missingWords(missing: MissingText, platform: Platform): string {
  const { label, post } = platformFacts(platform);
  return {
    off: `${label} is off here`,
    unanswered: `${label} does not answer`,
    gone: `the ${post} is gone`,
  }[missing];
}

/** The candidates of a bounty. */
export interface Candidates {
  readonly gig: Gig;
  /** The most for one account now: what the rule and what is left of the reward allow, in base units. */
  readonly maxAmount: bigint;
  readonly decidedBy: Decider;
  readonly submissions: readonly ReadSubmission[];
}

/** By the ids of the posts. */
type Texts = ReadonlyMap<string, string | null> | Exclude<MissingText, 'gone'>;

async function readTexts(platforms: Platforms, gig: Gig, submissions: readonly Submission[]): Promise<Texts> {
  const reader = platforms.get(gig.platform)?.acts ?? null;
  if (reader === null) return 'off';
  try {
    return await readPostTexts(reader, submissions);
  } catch (error) {
    if (error instanceof AdapterError) return 'unanswered';
    throw error;
  }
}

function withText(submission: Submission, texts: Texts): ReadSubmission {
  if (typeof texts === 'string') return { ...submission, text: null, missing: texts };
  const text = texts.get(submission.postId);
  if (text === undefined) return { ...submission, text: null, missing: 'unanswered' };
  return { ...submission, text, missing: text === null ? 'gone' : null };
}

/**
 * The submissions that are to be decided on, those that wait longest first, with their texts.
 * @throws DomainError `gig_not_found`, or `invalid_request` when the gig has no verifier rule
 */
export async function listCandidates(
  deps: EarningReads & { readonly platforms: Platforms },
  { gigId, limit }: { gigId: number; limit: number },
): Promise<Candidates> {
  const { store, platforms, verifiers } = deps;
  const gig = await findGig(deps, { gigId });
  const { maxAmount } = await requireBounty(store, gigId);
  const left = awardableOf(gig);
  const waiting = await store.candidates(gigId, { dueBy: Number.MAX_SAFE_INTEGER, limit });
  const submissions = await findSubmissions(store, waiting);
  const texts = await readTexts(platforms, gig, submissions);
  return {
    gig,
    maxAmount: smaller(maxAmount, left),
    decidedBy: deciderOf(gig.verifier, verifiers),
    submissions: submissions.map((each) => withText(each, texts)),
  };
}
