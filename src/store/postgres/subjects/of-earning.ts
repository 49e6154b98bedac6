import type { DrawReads, DrawWrites } from '../../port/draws.ts';
import type { EarningReads, EarningWrites } from '../../port/earning.ts';
import { byGig, byGigOfBatch, byItsGig, nothing, type SubjectsOf } from '../../sql/subjects.ts';

/** Each gate looks at one gig alone: first uses of addresses and texts, too. So the gig's lock is that of all its accounts. */
export const EARNING_SUBJECTS: SubjectsOf<EarningReads & EarningWrites> = {
  earningRules: byGig,
  earningOverviews: nothing,
  watch: byGig,
  earning: byGig,
  earnings: nothing,
  topEarnings: nothing,
  earningsOf: nothing,
  earningCounts: byGig,
  earnedAmount: byGig,
  observations: byGig,
  evaluations: byGig,
  settleable: byGig,
  nextHeldDue: byGig,
  awardable: byGig,
  firstHeldRank: byGig,
  lastRound: byGig,
  roundWeights: byGig,
  roundMembers: byGig,
  candidates: byGig,
  nextCandidateDue: byGig,
  earningByAct: byGig,
  openBatch: byGig,
  earningAddressHolder: byGig,
  lostRecipients: byGig,
  eligibleButPaid: byGig,
  earningTextHolder: byGig,
  heldTexts: byGig,
  // What is accepted before a block is committed stays, so nothing waits for it.
  isBlocked: nothing,
  blockedAccounts: nothing,
  openWatches: nothing,
  keepEarningRules: byGig,
  openWatch: byGig,
  leaseWatch: nothing,
  leaseWatchOf: byGig,
  // Before the watch's row: an award changes it as well.
  keepWatch: byItsGig,
  // A new act may hold an account again about which is being decided without it.
  keepActs: byGig,
  noteUndone: byGig,
  decideEarning: byItsGig,
  awardEarning: byGig,
  divideRound: byGig,
  handOut: byGig,
  postponeCandidate: byGig,
  openBatchOf: byItsGig,
  tryBatch: byGigOfBatch,
  endBatch: byGigOfBatch,
  refuseOpenEarnings: byGig,
  blockAccount: nothing,
  unblockAccount: nothing,
};

export const DRAW_SUBJECTS: SubjectsOf<DrawReads & DrawWrites> = {
  draw: byGig,
  drawWinners: byGig,
  entrants: byGig,
  openDraw: byGig,
  closeDraw: byGig,
  fixDraw: byGig,
  keepDrawn: byGig,
};
