import { inAccountOrder } from '../../../domain/account.ts';
import type { Earning } from '../../../domain/earning/earning.ts';
import { AWARD_BATCH, planFixed } from '../../../domain/earning/payouts/fixed.ts';
import type { ByRank } from '../../../domain/earning/rules/define-rule.ts';
import type { Actor } from '../../../domain/operators/actor.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import { type Commanded, commandGig } from '../../gigs/command-gig.ts';
import { recordAward } from '../../gigs/tips/award-tips.ts';
import type { WatchContext } from '../context.ts';
import { type Awards, runBatches } from './batches.ts';
import { refusePaid } from './refuse.ts';

/** Who divides and awards. */
export const ENGINE: Actor = { kind: 'job', name: 'earning' };

/** An account, and what it is awarded in base units. */
export interface Award {
  readonly earning: Earning;
  readonly amount: bigint;
}

/**
 * Inserts a tip for each of these accounts.
 * @returns the sum of the tips
 * @throws TypeError when one is not eligible or its amount is not positive, which undoes all
 */
export async function giveTips(
  tx: StoreTx,
  gig: Commanded,
  { awards, now, actor = ENGINE }: { awards: readonly Award[]; now: number; actor?: Actor },
) {
  if (awards.length === 0) return 0n;
  if (awards.some(({ amount }) => amount <= 0n)) throw new TypeError(`an award of gig ${gig.id} is not positive`);
  const earnings = awards.map(({ earning }) => earning);
  for (const { platform, platformUserId, facts, updatedAt } of earnings.toSorted(inAccountOrder)) {
    // Its facts may be days old, and the handle somebody else's by now.
    await tx.setUsername({ platform, platformUserId, username: facts?.username ?? null }, now, updatedAt);
  }
  const tips = await tx.insertTips(
    awards.map(({ earning: { platform, platformUserId }, amount }) => {
      return { gigId: gig.id, tokenId: gig.token.id, platform, platformUserId, amount, userAddress: null };
    }),
    now,
  );
  for (const [index, { earning, amount }] of awards.entries()) {
    const tipId = tips[index]?.id;
    const isAwarded = tipId !== undefined && (await tx.awardEarning(gig.id, earning, { tipId, amount, now }));
    if (!isAwarded) throw new TypeError(`an account of gig ${gig.id} is not eligible any more`);
  }
  const sum = awards.reduce((total, { amount }) => total + amount, 0n);
  await recordAward(tx, { actor, now }, { gig, tips, sum });
  return sum;
}

async function awardSome(
  { store, clock }: WatchContext,
  gigId: number,
  { amount, awardableOf }: ByRank,
): Promise<Awards> {
  return await store.transaction(async (tx) => {
    const now = clock();
    const gig = await commandGig(tx, { gigId, actor: ENGINE, act: 'award tips of' });
    const paid = await refusePaid(tx, gigId, now);
    const awardable = await tx.awardable(gigId, { limit: AWARD_BATCH });
    const { awarded, isUsedUp } = planFixed(awardable, { amount, left: awardableOf(gig) });
    await giveTips(tx, gig, { awards: awarded.map(({ earning }) => ({ earning, amount })), now });
    const refused = isUsedUp
      ? await tx.refuseOpenEarnings(gigId, { reason: 'reward_used_up', now, limit: AWARD_BATCH })
      : 0;
    return { awarded: awarded.length, refused: paid + refused };
  });
}

/**
 * Awards the same amount to eligible accounts of a gig, by rank, and refuses all that are open once less than that is left.
 */
export async function awardFixed(deps: WatchContext, gigId: number, payout: ByRank): Promise<Awards> {
  return await runBatches(() => awardSome(deps, gigId, payout));
}
