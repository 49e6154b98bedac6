import { AWARD_BATCH, awardProgress } from '../../../domain/earning/payouts/by-rank.ts';
import { eligibleState, planFixed } from '../../../domain/earning/payouts/fixed.ts';
import type { RulePayout } from '../../../domain/earning/payouts/payout.ts';
import { awardableOf } from '../../../domain/gigs/gig.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import { commandGig } from '../../gigs/command-gig.ts';
import { ENGINE, giveTips } from '../award/award-earnings.ts';
import { runBatches } from '../award/batches.ts';
import { refuseOpen, refusePaid } from '../award/refuse.ts';
import type { PayingWay } from './way.ts';

/** Awards the amount to eligible accounts, by rank, and refuses all that are open once less than that is left. */
async function awardSome(tx: StoreTx, { gigId, amount, now }: { gigId: number; amount: bigint; now: number }) {
  const gig = await commandGig(tx, { gigId, actor: ENGINE, act: 'award' });
  const paid = await refusePaid(tx, gigId, now);
  const awardable = await tx.awardable(gigId, { limit: AWARD_BATCH });
  const { awarded, isUsedUp } = planFixed(awardable, { amount, left: awardableOf(gig) });
  await giveTips(tx, gig, { awards: awarded.map(({ earning }) => ({ earning, amount })), now });
  return paid + awarded.length + (isUsedUp ? await refuseOpen(tx, gigId, { reason: 'reward_used_up', now }) : 0);
}

/** The same for each account, by rank. */
export function fixedWay({ amount }: RulePayout<'fixed'>): PayingWay {
  return {
    progress: async (_, { gig }, { first, isAnyHeld }) =>
      awardProgress(eligibleState(first, { amount, left: awardableOf(gig), isAnyHeld })),
    async take(deps, { gig }) {
      await runBatches(deps, (tx, now) => awardSome(tx, { gigId: gig.id, amount, now }));
      return null;
    },
  };
}
