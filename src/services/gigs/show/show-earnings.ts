import type { AccountKey, AccountName } from '../../../domain/account.ts';
import type { ActKind } from '../../../domain/earning/act.ts';
import type { Earning } from '../../../domain/earning/earning.ts';
import { payoutOf } from '../../../domain/earning/rules/index.ts';
import type { Gig } from '../../../domain/gigs/gig.ts';
import type { OwnTip } from '../../../domain/gigs/tip.ts';
import type { TopEarning } from '../../../store/port/index.ts';
import type { ReadContext } from '../../context.ts';
import type { EarningReads } from '../context.ts';
import { findGig } from '../find-gigs.ts';
import {
  type AccountEarning,
  findAccountEarning,
  findGigEarning,
  type GigEarning,
  pageOfEarnings,
} from './find-earnings.ts';
import { findMissing } from './find-held.ts';

/** Who earned most is found among so many awarded accounts, those whose acts are newest. */
const COMPARED = 1_000;
const TOP = 20;

export interface Leaders {
  /** The largest award first, equal ones by rank; none with rules by which each account gets the same. */
  readonly accounts: readonly TopEarning[];
  /** Among how many accounts with the newest acts these were found; null when that were all. */
  readonly among: number | null;
}

export interface ShownEarnings {
  readonly overview: GigEarning;
  /** When the first held account is due, epoch milliseconds; null when none is held. */
  readonly nextDueAt: number | null;
  /** When the target was found to be gone, epoch milliseconds; null while it is there. */
  readonly goneAt: number | null;
  readonly leaders: Leaders;
  /** A page of the accounts that are awarded, newest act first. */
  readonly awarded: readonly AccountEarning[];
  /** The `before` of the next page, or null on the last one. */
  readonly next: number | null;
  /** The account that was asked for; null when none was. */
  readonly asked: AccountEarning | null;
}

/** What is shown of a gig; null when it is manual. */
export async function showEarnings(
  deps: EarningReads,
  gig: Gig,
  { name, ...page }: { name: AccountName | null; limit: number; before?: number | undefined },
): Promise<ShownEarnings | null> {
  const { store } = deps;
  const overview = await findGigEarning(deps, gig);
  if (overview === null) return null;
  const { isEqual } = payoutOf(overview.rules.rule);
  const [watch, nextDueAt, top, { accounts: awarded, next }, asked] = await Promise.all([
    store.watch(gig.id),
    store.nextHeldDue(gig.id),
    isEqual ? [] : store.topEarnings(gig.id, { among: COMPARED, limit: TOP }),
    pageOfEarnings(deps, { gig, state: 'awarded', ...page }),
    name === null ? null : findAccountEarning(deps, gig, name),
  ]);
  const leaders = { accounts: top, among: overview.counts.awarded > COMPARED ? COMPARED : null };
  return { overview, nextDueAt, goneAt: watch?.goneAt ?? null, leaders, awarded, next, asked };
}

export interface OwnEarning {
  readonly gig: Gig;
  /** Null when the gig is manual. */
  readonly overview: GigEarning | null;
  /** Null when nothing of the account was seen. */
  readonly earning: Earning | null;
  /** What it did and is not there any more, if it is held; null when it is, or that is not known. */
  readonly missing: ActKind | null;
  /** Its tips from the gig, {@link OWN_TIPS} at most. */
  readonly tips: readonly OwnTip[];
}

/** So many tips of one account from one gig are summed. */
export const OWN_TIPS = 1_000;

/** What an account earns from a gig. @throws DomainError `gig_not_found` */
export async function findOwnEarning(
  deps: ReadContext,
  { gigId, viewer }: { gigId: number; viewer: AccountKey },
): Promise<OwnEarning> {
  const { store } = deps;
  const gig = await findGig(deps, { gigId });
  const [overview, earning, tips] = await Promise.all([
    findGigEarning(deps, gig),
    store.earning(gigId, viewer),
    store.ownTips(gigId, viewer, OWN_TIPS),
  ]);
  const missing = earning === null ? null : await findMissing(store, gig, earning);
  return { gig, overview, earning, missing, tips };
}
