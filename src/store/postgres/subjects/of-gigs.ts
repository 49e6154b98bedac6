import type { GigEndReads, GigEndWrites } from '../../port/gig-ends.ts';
import type { GigReportReads } from '../../port/gig-reports.ts';
import type { GigReads, GigWrites } from '../../port/gigs.ts';
import type { TellingReads, TellingWrites } from '../../port/tellings.ts';
import { byGig, byGigOfTip, byGigs, byItsGig, nothing, type SubjectsOf } from '../../sql/subjects.ts';

/**
 * What decides about a gig begins with a read of it, so reads of one gig lock it, too. Lists, and what pages show, lock
 * nothing. A handle is a label: its index and a second run decide whose it is.
 */
export const GIG_SUBJECTS: SubjectsOf<GigReads & GigWrites> = {
  pendingTips: nothing,
  gig: byGig,
  gigs: nothing,
  gigOwners: byGig,
  gigTransactions: byGig,
  fundingsToCheck: nothing,
  ownsGig: byGig,
  account: nothing,
  accountByHandle: nothing,
  token: nothing,
  tip: nothing,
  hasTip: byGig,
  // Two that add one token: the second one runs again, and finds it.
  ensureToken: nothing,
  setUsername: nothing,
  suggestUsername: nothing,
  reserveGigId: nothing,
  releaseGigId: nothing,
  passGigIds: nothing,
  lastGigId: nothing,
  // Nothing knows the gig before it is committed.
  insertGig: nothing,
  assignGig: byGig,
  addGigOwner: byGig,
  removeGigOwner: byGig,
  changeTerms: byGig,
  lockGig: byGig,
  unlockGig: byGig,
  markLive: byGig,
  recordGigTransaction: byItsGig,
  markFundingChecked: byGig,
  postponeFundingCheck: byGig,
  insertTips: byGigs,
  voidTip: byGigOfTip,
};

export const GIG_END_SUBJECTS: SubjectsOf<GigEndReads & GigEndWrites & GigReportReads> = {
  gigsToSettle: nothing,
  gigsToRefund: nothing,
  gigsWithoutRefundAddress: nothing,
  gigsToReturn: nothing,
  lostTipsNoticedAt: nothing,
  gigsWithLostTips: nothing,
  stopGig: byGig,
  settleGig: byGig,
  cancelGig: byGig,
  nameRefundAddress: byGig,
  markRefunded: byGig,
  gigSums: nothing,
  tipsOfGig: nothing,
};

export const TELLING_SUBJECTS: SubjectsOf<TellingReads & TellingWrites> = {
  telling: byGig,
  openTellings: nothing,
  gigFacts: byGig,
  keepTelling: byItsGig,
  markTold: byItsGig,
  endTelling: byItsGig,
};
