import { CLAIM_REWARDS } from './claims/claim-rewards.ts';
import { FIND_ACCOUNT } from './claims/find-account.ts';
import { FIND_CLAIMABLE } from './claims/find-claimable.ts';
import type { Operation } from './define-operation.ts';
import { CHECK_COMPLETED } from './earning/check-completed.ts';
import { DECIDE_SUBMISSIONS } from './earning/decide.ts';
import { FIND_DRAW, LIST_ENTRANTS } from './earning/gig-draw.ts';
import { FIND_EARNINGS } from './earning/gig-earnings.ts';
import { AWARD_TIPS } from './gigs/award-tips.ts';
import { CHANGE_GIG } from './gigs/change-gig.ts';
import { CREATE_GIG } from './gigs/create-gig.ts';
import { CREATE_PAID_GIG } from './gigs/create-paid-gig.ts';
import { END_GIG } from './gigs/end-gig.ts';
import { ADD_GIG_OWNER, LIST_GIG_OWNERS } from './gigs/gig-owners.ts';
import { EXPORT_REPORT, REPORT_GIG } from './gigs/gig-report.ts';
import { LIST_GIG_TYPES, LIST_GIGS, SHOW_GIG } from './gigs/list-gigs.ts';
import { LIST_GIG_PAYOUTS } from './gigs/list-payouts.ts';
import { LIST_TIPS } from './gigs/list-tips.ts';
import { START_GIG } from './gigs/start-gig.ts';
import { LIST_EVENTS } from './webhooks/list-events.ts';
import { WEBHOOK_MANAGEMENT } from './webhooks/manage-webhooks.ts';
import { WEBHOOK_USE } from './webhooks/use-webhooks.ts';

/** The operations of the API, in the order of the document. */
export const OPERATIONS: readonly Operation[] = [
  ...[FIND_CLAIMABLE, CLAIM_REWARDS, FIND_ACCOUNT],
  ...[START_GIG, ...END_GIG, CREATE_GIG, CREATE_PAID_GIG, LIST_GIG_TYPES, LIST_GIGS, SHOW_GIG],
  ...[LIST_GIG_OWNERS, LIST_GIG_PAYOUTS, FIND_EARNINGS, FIND_DRAW, LIST_ENTRANTS, REPORT_GIG, EXPORT_REPORT],
  ...[CHANGE_GIG, ADD_GIG_OWNER, AWARD_TIPS, LIST_TIPS, DECIDE_SUBMISSIONS, CHECK_COMPLETED],
  ...[...WEBHOOK_MANAGEMENT, ...WEBHOOK_USE, LIST_EVENTS],
];
