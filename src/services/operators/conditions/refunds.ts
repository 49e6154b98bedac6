import { findFailedRefunds, findLateRefunds } from '../stuck-refunds.ts';
import { aboutGig, defineCondition } from './define-condition.ts';

/** The refund of a settled gig has been due for a day, and is not planned. */
export const refundLate = defineCondition({
  kind: 'refund_late',
  reach: 'gig',
  say: (gigId: number) => ({
    ...aboutGig(gigId),
    text: `The refund of gig ${gigId} has been due for more than a day and is not planned`,
    remedy: `Run npm run admin -- gig refund ${gigId}: it says what the refund waits for.`,
  }),
  find: async (context, tell) => (await findLateRefunds(context)).map(tell),
});

/** The refund of a gig, or the return of what a cancelled one holds, failed, and was not planned again. */
export const refundFailed = defineCondition({
  kind: 'refund_failed',
  reach: 'gig',
  say: (gigId: number) => ({
    ...aboutGig(gigId),
    text: `The refund or return of gig ${gigId} failed and was not planned again`,
    remedy: `Run npm run admin -- gig refund ${gigId}: it says why it failed, and with --yes plans it again, to --to if that is given.`,
  }),
  find: async (context, tell) => (await findFailedRefunds(context)).map(tell),
});
