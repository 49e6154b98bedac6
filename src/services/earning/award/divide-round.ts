import { AWARD_BATCH } from '../../../domain/earning/payouts/fixed.ts';
import { roundFacts } from '../../../domain/earning/payouts/rounds.ts';
import { type Division, divisionOf, planShares, poolOf, roundsOf } from '../../../domain/earning/payouts/shares.ts';
import { payoutOf } from '../../../domain/earning/rules/index.ts';
import { awardableOf, unawardedOf } from '../../../domain/gigs/gig.ts';
import type { ServiceContext } from '../../context.ts';
import { commandGig } from '../../gigs/command-gig.ts';
import { recordGigEvent } from '../../operators/audit-events.ts';
import type { RuledGig } from '../context.ts';
import { ENGINE, giveTips } from './award-earnings.ts';
import { type Awards, runBatches } from './batches.ts';
import { refuseEligible, refusePaid } from './refuse.ts';

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
    const pool = poolOf(awardableOf(gig), { round: number, rounds });
    const weights = await tx.roundWeights(gigId, number);
    const division = divisionOf(weights, { pool, maxAmount: rule.maxAmount });
    await tx.divideRound(gigId, { ...division, number, now });
    const { members, reserved } = division;
    const detail = { round: number, pool, members, reserved };
    await recordGigEvent(tx, { actor: ENGINE, now }, { action: 'round.divide', gigId, detail });
    return division;
  });
}

async function handOutSome({ store, clock }: ServiceContext, { gig: { id: gigId }, rules }: RuledGig): Promise<Awards> {
  const payout = payoutOf(rules.rule);
  if (payout.by !== 'rounds' && payout.by !== 'draw') return { awarded: 0, refused: 0 };
  return await store.transaction(async (tx) => {
    const now = clock();
    const gig = await commandGig(tx, { gigId, actor: ENGINE, act: 'award tips of' });
    const round = await tx.lastRound(gigId);
    if (round?.state !== 'divided') return { awarded: 0, refused: 0 };
    const members = await tx.roundMembers(gigId, round.number, { limit: AWARD_BATCH });
    const paid = new Set((await tx.eligibleButPaid(gigId)).map(({ platformUserId }) => platformUserId));
    const left = unawardedOf(gig);
    const isPaid = ({ platformUserId }: { platformUserId: string }) => paid.has(platformUserId);
    const maxAmount = payout.by === 'draw' ? round.pool : payout.maxAmount;
    const plan = planShares(members, { round, left, maxAmount, isPaid });
    await giveTips(tx, gig, { awards: plan.awards, now });
    // The store lets a member of a divided round be refused for no other reason.
    for (const earning of plan.refused) await refuseEligible(tx, earning, { reason: 'share_too_small', now });
    await tx.handOut(gigId, round.number, { amount: plan.released, isOver: members.length < AWARD_BATCH });
    return { awarded: plan.awards.length, refused: plan.refused.length };
  });
}

/**
 * Awards members of the round that was divided last their shares, as many as are awarded at once. Their shares are no longer
 * reserved; the round is over with the last of them. Payments on the chain since the division may leave less than
 * is reserved: then the last ones get nothing.
 */
export async function handOutShares(deps: ServiceContext, gig: RuledGig): Promise<Awards> {
  return await runBatches(() => handOutSome(deps, gig));
}
