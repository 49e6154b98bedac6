import { inAccountOrder } from '../../../domain/account.ts';
import type { Earning } from '../../../domain/earning/earning.ts';
import type { Actor } from '../../../domain/operators/actor.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import type { Commanded } from '../../gigs/command-gig.ts';
import { recordAward } from '../../gigs/tips/award-tips.ts';

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
