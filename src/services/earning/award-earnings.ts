import type { Actor } from '../../domain/actor.ts';
import type { Earning } from '../../domain/earning/earning.ts';
import { AWARD_BATCH, planFixed } from '../../domain/earning/fixed.ts';
import { type Gig, leftOf } from '../../domain/gig.ts';
import type { StoreTx } from '../../store/port/index.ts';
import { recordAward } from '../gigs/award-tips.ts';
import { findGig } from '../gigs/find-gigs.ts';
import type { EarnDeps } from './deps.ts';

const ENGINE: Actor = { kind: 'job', name: 'earning' };

/** What an award step did. */
export interface Awards {
  readonly awarded: number;
  /** Accounts that were refused because the reward is used up. */
  readonly refused: number;
}

/** Inserts a tip for each of these accounts. @throws TypeError when one is not eligible, which undoes all */
async function giveTips(
  tx: StoreTx,
  gig: Gig,
  earnings: readonly Earning[],
  { amount, now }: { amount: bigint; now: number },
) {
  for (const { platform, platformUserId, facts } of earnings) {
    await tx.setUsername({ platform, platformUserId, username: facts?.username ?? null }, now);
  }
  const tips = await tx.insertTips(
    earnings.map(({ platform, platformUserId }) => {
      return { gigId: gig.id, tokenId: gig.token.id, platform, platformUserId, amount, userAddress: null };
    }),
    now,
  );
  for (const [index, earning] of earnings.entries()) {
    const tipId = tips[index]?.id;
    const isAwarded = tipId !== undefined && (await tx.awardEarning(gig.id, earning, { tipId, amount, now }));
    if (!isAwarded) throw new TypeError(`an account of gig ${gig.id} is not eligible any more`);
  }
  await recordAward(tx, { actor: ENGINE, now }, { gigId: gig.id, tips, sum: amount * BigInt(tips.length) });
}

/**
 * Awards the same amount to eligible accounts of a gig, by rank, and refuses all that are open once less than that is left.
 */
export async function awardFixed({ store, clock }: EarnDeps, gigId: number, amount: bigint): Promise<Awards> {
  return await store.transaction(async (tx) => {
    const now = clock();
    const gig = await findGig({ store: tx }, { gigId });
    const awardable = await tx.awardable(gigId, { limit: AWARD_BATCH });
    const { awarded, isUsedUp } = planFixed(awardable, { amount, left: leftOf(gig) });
    const earnings = awarded.map(({ earning }) => earning);
    if (earnings.length > 0) await giveTips(tx, gig, earnings, { amount, now });
    const refused = isUsedUp
      ? await tx.refuseOpenEarnings(gigId, { reason: 'reward_used_up', now, limit: AWARD_BATCH })
      : 0;
    return { awarded: earnings.length, refused };
  });
}
