import { bountyProgress } from '../../../domain/earning/payouts/bounty.ts';
import type { RulePayout, StepOf } from '../../../domain/earning/payouts/payout.ts';
import { AdapterError } from '../../../domain/errors.ts';
import { awardableOf } from '../../../domain/gigs/gig.ts';
import { stepWaitWords } from '../../../domain/gigs/step-wait.ts';
import type { ServiceContext } from '../../context.ts';
import { findGig } from '../../gigs/find-gigs.ts';
import { checkDoubts } from '../../gigs/steps/check-step.ts';
import { runBatches } from '../award/batches.ts';
import { refuseOpen, refusePaid } from '../award/refuse.ts';
import { askVerifier } from '../decide/ask-verifier.ts';
import { dropIdleBatch } from '../decide/decide-candidates.ts';
import type { PayingWay } from './way.ts';

async function closeBounty(deps: ServiceContext, gigId: number, reason: StepOf<'close'>['reason']): Promise<void> {
  await runBatches(deps, async (tx, now) => {
    // A tip may have been voided since the step began, and what is refused is so for good.
    if (reason === 'reward_used_up' && awardableOf(await findGig({ store: tx }, { gigId })) > 0n) return 0;
    const paid = await refusePaid(tx, gigId, now);
    const refused = await refuseOpen(tx, gigId, { reason, now });
    await dropIdleBatch(tx, gigId, now);
    return paid + refused;
  });
}

/** A program, or people, decide on each submission. */
export function bountyWay({ maxAmount }: RulePayout<'bounty'>): PayingWay {
  return {
    async progress({ store, verifiers }, { gig }, { isAnyHeld }) {
      const [nextDue, batch] = await Promise.all([store.nextCandidateDue(gig.id), store.openBatch(gig.id)]);
      const isAsked = (verifiers?.urlOf(gig.verifier) ?? null) !== null;
      return bountyProgress(gig, { isAsked, nextDue, isAnyHeld, batch, left: awardableOf(gig) });
    },
    // People can decide again what a ledger that is lost had, unless the end of their time refuses it all.
    async check(deps, gig, step) {
      const { heldSteps } = deps;
      if (heldSteps === undefined || step.kind !== 'close' || step.reason !== 'not_decided') return;
      const wait = await checkDoubts(deps, gig);
      heldSteps.note('refuse', gig.id, wait);
      if (wait === null) return;
      const message = `gig ${gig.id}: ${stepWaitWords(wait)}`;
      throw new AdapterError({ retry: 'safe', reason: 'bad_response', message });
    },
    async take(deps, watched, step: StepOf<'ask' | 'close'>) {
      if (step.kind === 'ask') await askVerifier(deps, watched, maxAmount);
      else await closeBounty(deps, watched.gig.id, step.reason);
      return null;
    },
  };
}
