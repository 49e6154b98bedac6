import { findWatchedGigs } from '../watched-gigs.ts';
import { aboutGig, defineCondition } from './define-condition.ts';

/** A watched gig has had no successful step for a day, although one was due. */
export const earningOverdue = defineCondition({
  kind: 'earning_overdue',
  reach: 'gig',
  say: (gigId: number) => ({
    ...aboutGig(gigId),
    text: `Work on watched gig ${gigId} has been overdue for a day`,
    remedy: `See “watched gig waits” in the log, and run npm run admin -- gig settle ${gigId}: it says what fails. When its platform does not come back, gig settle ${gigId} --refuse-open ends the gig without it.`,
  }),
  find: async (context, tell) => (await findWatchedGigs(context)).overdue.map(tell),
});
