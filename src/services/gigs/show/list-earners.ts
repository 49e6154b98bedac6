import type { Gig } from '../../../domain/gigs/gig.ts';
import { type ListedTip, type ReportedAccount, reportTip, reportUntipped } from '../../../domain/gigs/gig-report.ts';
import type { IdSpan } from '../../../domain/id-span.ts';
import type { TwoWayPage } from '../../../store/port/index.ts';
import type { ReadContext, ServiceContext } from '../../context.ts';
import { pageOfFiltered } from '../../filtered-page.ts';
import { requireSums } from './report-gig.ts';
import { pageOfUnawarded } from './unawarded-accounts.ts';

/** By what the accounts of a gig are filtered, in display order. */
export const EARNER_STATES = ['paid', 'pending', 'void', 'eligible', 'held', 'refused'] as const;
export type EarnerState = (typeof EARNER_STATES)[number];

/** An account of a gig with its tip, or with why it has none. */
export type ListedEarner = Omit<ReportedAccount, 'status'> & { readonly status: EarnerState };

interface EarnerQuery extends TwoWayPage {
  /** Its tips in all states when absent. */
  readonly state?: EarnerState | undefined;
  /** The numbers of the tips that may be listed; accounts without a tip have none. */
  readonly span: IdSpan;
}

interface EarnerPage {
  readonly accounts: readonly ListedEarner[];
  /** The `before` or `after` of the next page: a tip's number, or of accounts without one the id of an act. */
  readonly next: number | null;
}

/** An index has the tips of a gig by their numbers, and not by their states. */
async function pageOfTips({ store }: ReadContext, gigId: number, query: EarnerQuery): Promise<EarnerPage> {
  const { state } = query;
  const { items: accounts, next } = await pageOfFiltered(query, {
    read: (page) => store.tipsOfGig(gigId, page),
    placeOf: ({ number }) => number,
    pick(tip: ListedTip) {
      const account = reportTip(tip);
      return state === undefined || state === account.status ? account : null;
    },
  });
  return { accounts, next };
}

/** Whether accounts in this state have no tip, and are in the order of their acts. */
export function hasNoTip(state: EarnerState | undefined): state is 'eligible' | 'held' | 'refused' {
  return state === 'eligible' || state === 'held' || state === 'refused';
}

/** A page of a gig's accounts, by their tips or their acts. */
export async function listEarners(deps: ServiceContext, gig: Gig, query: EarnerQuery): Promise<EarnerPage> {
  const { state } = query;
  if (!hasNoTip(state)) return await pageOfTips(deps, gig.id, query);
  const { accounts, next } = await pageOfUnawarded(deps, gig, { ...query, state });
  return {
    accounts: accounts.map(({ earning, username, sentence }) =>
      reportUntipped({ ...earning, username }, state, sentence),
    ),
    next,
  };
}

/** What a whole gig has awarded, paid, and still owes, in base units: kept sums, also of the largest gig. */
export async function sumEarners(deps: ReadContext, gigId: number) {
  const { gig, paid } = await requireSums(deps, gigId);
  const { awardedAmount: awarded } = gig;
  return { awarded, paid, owed: awarded > paid ? awarded - paid : 0n };
}
