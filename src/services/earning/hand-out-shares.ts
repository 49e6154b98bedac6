import { hasRounds } from '../../domain/earning/due.ts';
import type { Earning } from '../../domain/earning/earning.ts';
import { AWARD_BATCH } from '../../domain/earning/fixed.ts';
import { roundShareOf } from '../../domain/earning/shares.ts';
import type { StoreTx } from '../../store/port/index.ts';
import { findGig } from '../gigs/find-gigs.ts';
import { type Awards, giveTips } from './award-earnings.ts';
import type { EarnDeps, WatchedGig } from './deps.ts';

/** Refuses a member whose share is less than a base unit. */
async function refuseShare(tx: StoreTx, earning: Earning, now: number): Promise<void> {
  const { round, weight } = earning;
  const part = round === null || weight === null ? null : { round, weight };
  const refusal = {
    from: 'eligible',
    to: 'refused',
    reason: 'share_too_small',
    addresses: [],
    textHash: null,
  } as const;
  const isRefused = await tx.decideEarning({ ...earning, ...refusal, part }, now);
  if (!isRefused) throw new TypeError(`an account of gig ${earning.gigId} is not eligible any more`);
}

/**
 * Awards members of the round that was divided last their shares, as many as are awarded at once. What they get is no
 * longer reserved; the round is over with the last of them.
 */
export async function handOutShares(
  { store, clock }: Pick<EarnDeps, 'store' | 'clock'>,
  { gig: { id: gigId }, rules }: Pick<WatchedGig, 'gig' | 'rules'>,
): Promise<Awards> {
  const { rule } = rules;
  if (!hasRounds(rule) && rule.type !== 'raffle') return { awarded: 0, refused: 0 };
  return await store.transaction(async (tx) => {
    const now = clock();
    const [gig, round] = [await findGig({ store: tx }, { gigId }), await tx.lastRound(gigId)];
    if (round?.state !== 'divided') return { awarded: 0, refused: 0 };
    const members = await tx.roundMembers(gigId, round.number, { limit: AWARD_BATCH });
    const shares = members.map((earning) => ({
      earning,
      amount: roundShareOf(earning.weight ?? 0n, round, rule.type === 'raffle' ? round.pool : rule.maxAmount),
    }));
    const awards = shares.filter(({ amount }) => amount > 0n);
    const amount = await giveTips(tx, gig, { awards, now });
    for (const share of shares) if (share.amount === 0n) await refuseShare(tx, share.earning, now);
    await tx.handOut(gigId, round.number, { amount, isOver: members.length < AWARD_BATCH });
    return { awarded: awards.length, refused: members.length - awards.length };
  });
}
