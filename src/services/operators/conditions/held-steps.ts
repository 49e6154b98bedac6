import { type HeldStep, tellHeldStep } from '../../../domain/gigs/step-wait.ts';
import { MINUTE_MS } from '../../../domain/time.ts';
import { aboutGig, defineCondition } from './define-condition.ts';

/** A chain tells most things a few blocks later. */
const PASSING_MS = 10 * MINUTE_MS;

/** An automatic step that cannot be undone waits, because the ledger may be an older copy than what the wallet has done. */
export const stepHeld = defineCondition({
  kind: 'step_held',
  reach: 'gig',
  check: { nameOf: (subject) => subject },
  say: (held: HeldStep) => ({ ...aboutGig(held.gigId), ...tellHeldStep(held) }),
  find({ heldSteps, clock }, tell) {
    const isTold = ({ why, since }: HeldStep) => why !== 'unknown' || clock() - since > PASSING_MS;
    return heldSteps.list().filter(isTold).map(tell);
  },
});
