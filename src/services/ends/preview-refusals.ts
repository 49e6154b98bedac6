import { payoutOf } from '../../domain/earning/rules/index.ts';
import { readStoredRules } from '../../domain/earning/terms/rules-json.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { Gig } from '../../domain/gigs/gig.ts';
import { awardsUntil } from '../../domain/gigs/gig-end.ts';
import { minuteText } from '../../domain/time.ts';
import type { StoreReads } from '../../store/port/index.ts';
import type { TimedReads } from '../context.ts';
import { findGig } from '../gigs/find-gigs.ts';
import { findGigEarning } from '../gigs/show/find-earnings.ts';
import { ENDINGS } from './endings.ts';

/**
 * Requires that nothing about a gig goes on by itself any more: its window, its time for awards and its last hold are over.
 * @throws DomainError `gig_not_settleable` when it has not ended or is settled, `invalid_request` before that time
 */
export async function requireOver(store: StoreReads, gig: Gig, now: number): Promise<void> {
  ENDINGS.settle.check(gig, now);
  const stored = await store.earningRules(gig.id);
  const rules = stored === null ? null : readStoredRules(stored.rules);
  const until = Math.max(awardsUntil(gig), rules === null ? 0 : payoutOf(rules.rule).openUntil(rules, gig));
  if (now >= until) return;
  throw invalidRequest(
    `Gig ${gig.id} is not over before ${minuteText(until)}; until then undecided accounts can still be decided.`,
  );
}

/** What would become of the accounts about which nothing is decided yet, if the platform is asked nothing any more. */
export interface RefusalPreview {
  readonly gig: Gig;
  /** Held accounts, which would be refused. */
  readonly held: number;
  /** Accepted accounts, and those of them that would be awarded what they have earned; the others would be refused. */
  readonly eligible: number;
  readonly awarded: number;
}

/**
 * What would become of the open accounts of a gig that is over if its platform is asked nothing any more; it changes
 * nothing.
 * @throws DomainError `gig_not_found`, or as {@link requireOver}
 */
export async function previewRefusals(
  { store, clock }: TimedReads,
  { gigId }: { gigId: number },
): Promise<RefusalPreview> {
  const gig = await findGig({ store }, { gigId });
  await requireOver(store, gig, clock());
  const earning = await findGigEarning({ store }, gig);
  if (earning === null) return { gig, held: 0, eligible: 0, awarded: 0 };
  const { held, eligible } = earning.counts;
  return { gig, held, eligible, awarded: payoutOf(earning.rules.rule).countAwards(earning.counts, gig) };
}
