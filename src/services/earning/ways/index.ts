import type { PayoutTerms, RulePayout } from '../../../domain/earning/payouts/payout.ts';
import { payoutOf } from '../../../domain/earning/rules/index.ts';
import type { HeldRule } from '../../../domain/earning/terms/rules.ts';
import { bountyWay } from './bounty.ts';
import { drawWay } from './draw.ts';
import { entryWay } from './entry.ts';
import { fixedWay } from './fixed.ts';
import { roundsWay } from './rounds.ts';
import type { PayingWay } from './way.ts';

const WAYS: { readonly [By in keyof PayoutTerms]: (payout: RulePayout<By>) => PayingWay } = {
  // Nothing is watched, so no step is ever taken.
  manual: () => ({ progress: async () => ({ isDone: true, divisionAt: null }), take: async () => null }),
  fixed: fixedWay,
  rounds: roundsWay,
  draw: drawWay,
  bounty: bountyWay,
};

function wayFor<By extends keyof PayoutTerms>(payout: RulePayout<By>): PayingWay {
  return WAYS[payout.by](payout);
}

/** How a gig with these rules is paid. */
export function wayOf({ rule }: HeldRule): PayingWay {
  const payout = payoutOf(rule);
  const way = wayFor(payout);
  return payout.entry === undefined ? way : entryWay(way, payout.entry);
}
