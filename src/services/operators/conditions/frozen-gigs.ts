import { plain } from '../../../domain/plain-text.ts';
import { aboutGig, defineCondition } from './define-condition.ts';

/** A gig pays nothing: an audit or a payment found a fault, or the operator froze it. */
export const gigFrozen = defineCondition({
  kind: 'gig_frozen',
  reach: 'gig',
  check: { name: 'gigs', well: 'No gig is frozen' },
  say: ({ gigId, reason, isByOperator }: { gigId: number; reason: string; isByOperator: boolean }) => ({
    ...aboutGig(gigId),
    text: `Gig ${gigId} is frozen, because ${plain(reason)}`,
    // An audit releases what it froze, and only the operator what the operator froze, as a rebuild does.
    remedy: isByOperator
      ? `When the reason is gone, run npm run admin -- gig unfreeze ${gigId}.`
      : `See gig show ${gigId} and payment list, fix the cause, then run npm run admin -- reconcile ${gigId}: a gig that adds up pays again.`,
  }),
  find: async ({ store }, tell) => (await store.frozenGigs()).map(tell),
});
