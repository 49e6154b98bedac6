import { AWARD_BATCH } from '../../../domain/earning/payouts/by-rank.ts';
import type { RulePayout, StepOf } from '../../../domain/earning/payouts/payout.ts';
import { partOf, roundFacts, roundsProgress } from '../../../domain/earning/payouts/rounds.ts';
import { type Division, divisionOf, planShares, poolOf, roundsOf } from '../../../domain/earning/payouts/shares.ts';
import { awardableOf, type Gig, unawardedOf } from '../../../domain/gigs/gig.ts';
import type { StoreReads, StoreTx } from '../../../store/port/index.ts';
import type { ServiceContext } from '../../context.ts';
import { commandGig } from '../../gigs/command-gig.ts';
import { recordGigEvent } from '../../operators/audit-events.ts';
import { ENGINE, giveTips } from '../award/award-earnings.ts';
import { runBatches } from '../award/batches.ts';
import { refuseEligible, refusePaid } from '../award/refuse.ts';
import type { PayingWay } from './way.ts';

interface RoundsGig {
  readonly gig: Gig;
  readonly payout: RulePayout<'rounds'>;
  readonly holdMs: number;
}

async function readRounds(reads: StoreReads, { gig, payout: rule, holdMs }: RoundsGig) {
  const [last, firstHeldRank] = [await reads.lastRound(gig.id), await reads.firstHeldRank(gig.id)];
  return roundFacts({ rule, holdMs }, gig, { last, firstHeldRank });
}

/**
 * Divides a round of a gig between the eligible accounts in it, and reserves their shares: from now on members, weights
 * and shares stay. A round without members leaves its pool to the next ones.
 * @returns null when another process divided it, or an account that may belong to it is held
 */
export async function divideRound(
  { store, clock }: ServiceContext,
  { gig: { id: gigId }, payout, holdMs }: RoundsGig,
  number: number,
): Promise<Division | null> {
  const { roundMs, maxAmount } = payout;
  return await store.transaction(async (tx) => {
    const now = clock();
    const gig = await commandGig(tx, { gigId, actor: ENGINE, act: 'award' });
    const { next, isHeld, isHandingOut } = await readRounds(tx, { gig, payout, holdMs });
    if (next?.number !== number || isHeld || isHandingOut) return null;
    await refusePaid(tx, gigId, now);
    const pool = poolOf(awardableOf(gig), { round: number, rounds: roundsOf({ duration: gig.duration, roundMs }) });
    const division = divisionOf(await tx.roundWeights(gigId, number), { pool, maxAmount });
    await tx.divideRound(gigId, { ...division, number, now });
    const { members, reserved } = division;
    const detail = { round: number, pool, members, reserved };
    await recordGigEvent(tx, { actor: ENGINE, now }, { action: 'round.divide', gigId, detail });
    return division;
  });
}

async function handOutSome(
  tx: StoreTx,
  gigId: number,
  { maxAmount, now }: { maxAmount: bigint | null; now: number },
): Promise<number> {
  const gig = await commandGig(tx, { gigId, actor: ENGINE, act: 'award' });
  const round = await tx.lastRound(gigId);
  if (round?.state !== 'divided') return 0;
  const members = await tx.roundMembers(gigId, round.number, { limit: AWARD_BATCH });
  const paid = new Set((await tx.eligibleButPaid(gigId)).map(({ platformUserId }) => platformUserId));
  const left = unawardedOf(gig);
  const isPaid = ({ platformUserId }: { platformUserId: string }) => paid.has(platformUserId);
  const plan = planShares(members, { round, left, maxAmount: maxAmount ?? round.pool, isPaid });
  await giveTips(tx, gig, { awards: plan.awards, now });
  // The store lets a member of a divided round be refused for no other reason.
  await refuseEligible(tx, plan.refused, { gigId, reason: 'share_too_small', now });
  await tx.handOut(gigId, round.number, { amount: plan.released, isOver: members.length < AWARD_BATCH });
  return members.length;
}

/**
 * Awards members of the round that was divided last their shares, as many as are awarded at once. Their shares are no longer
 * reserved; the round is over with the last of them. Payments on the chain since the division may leave less than
 * is reserved: then the last ones get nothing.
 * @param maxAmount the most that an account gets; null where its share alone says that
 * @returns how many were awarded or refused
 */
export async function handOutShares(deps: ServiceContext, gigId: number, maxAmount: bigint | null): Promise<number> {
  return await runBatches(deps, (tx, now) => handOutSome(tx, gigId, { maxAmount, now }));
}

/** An equal part of the reward in each round, divided between the accounts whose acts belong to it. */
export function roundsWay(payout: RulePayout<'rounds'>): PayingWay {
  const { maxAmount } = payout;
  return {
    progress: async ({ store }, { gig, rules: { holdMs } }, { first }) =>
      roundsProgress(await readRounds(store, { gig, payout, holdMs }), first !== undefined),
    async joining(tx, gig) {
      const divided = (await tx.lastRound(gig.id))?.number ?? 0;
      return (account) => {
        const part = partOf(payout, gig, { ...account, divided });
        return part === 'late' ? 'reward_used_up' : part;
      };
    },
    async take(deps, { gig, rules: { holdMs } }, step: StepOf<'divide' | 'hand_out'>) {
      if (step.kind === 'divide') await divideRound(deps, { gig, payout, holdMs }, step.round);
      else await handOutShares(deps, gig.id, maxAmount);
      return null;
    },
  };
}
