import { roundFacts } from '../../../domain/earning/payouts/rounds.ts';
import { type Division, divisionOf, poolOf, roundsOf } from '../../../domain/earning/payouts/shares.ts';
import { payoutOf } from '../../../domain/earning/rules/index.ts';
import { leftOf } from '../../../domain/gigs/gig.ts';
import type { ServiceContext } from '../../context.ts';
import { commandGig } from '../../gigs/command-gig.ts';
import { recordGigEvent } from '../../operators/audit-events.ts';
import type { RuledGig } from '../context.ts';
import { ENGINE } from './award-earnings.ts';
import { refusePaid } from './refuse-paid.ts';

/**
 * Divides a round of a gig between the eligible accounts in it, and reserves their shares: from now on members, weights
 * and shares stay. A round without members leaves its pool to the next ones.
 * @returns null when another process divided it, or an account that may belong to it is held
 */
export async function divideRound(
  { store, clock }: ServiceContext,
  { gig: { id: gigId }, rules }: RuledGig,
  number: number,
): Promise<Division | null> {
  const { holdMs } = rules;
  const rule = payoutOf(rules.rule);
  if (rule.by !== 'rounds') return null;
  return await store.transaction(async (tx) => {
    const now = clock();
    const gig = await commandGig(tx, { gigId, actor: ENGINE, act: 'award tips of' });
    const [last, firstHeldRank] = [await tx.lastRound(gigId), await tx.firstHeldRank(gigId)];
    const { next, isHeld, isHandingOut } = roundFacts({ rule, holdMs }, gig, { last, firstHeldRank });
    if (next?.number !== number || isHeld || isHandingOut) return null;
    await refusePaid(tx, gigId, now);
    const rounds = roundsOf({ duration: gig.duration, roundMs: rule.roundMs });
    const pool = poolOf(leftOf(gig), { round: number, rounds });
    const weights = await tx.roundWeights(gigId, number);
    const division = divisionOf(weights, { pool, maxAmount: rule.maxAmount });
    await tx.divideRound(gigId, { ...division, number, now });
    const { members, reserved } = division;
    const detail = { round: number, pool, members, reserved };
    await recordGigEvent(tx, { actor: ENGINE, now }, { action: 'round.divide', gigId, detail });
    return division;
  });
}
