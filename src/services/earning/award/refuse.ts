import type { Earning, RefusalReason } from '../../../domain/earning/earning.ts';
import { AWARD_BATCH } from '../../../domain/earning/payouts/by-rank.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import type { ServiceContext } from '../../context.ts';
import { runBatches } from './batches.ts';

/** Refuses held accounts of a gig about which its platform is asked no more, as many as one step does. */
export async function refuseHeld(deps: ServiceContext, gigId: number): Promise<void> {
  await runBatches(deps, (tx, now) =>
    tx.refuseOpenEarnings(gigId, { reason: 'not_decided', now, limit: AWARD_BATCH, isHeldOnly: true }),
  );
}

/** Refuses an eligible account, which keeps its part in a round. @throws TypeError when it is not eligible */
export async function refuseEligible(
  tx: StoreTx,
  earning: Earning,
  { reason, now }: { reason: RefusalReason; now: number },
): Promise<void> {
  const { round, weight, gigId } = earning;
  const part = round === null || weight === null ? null : { round, weight };
  const refusal = { from: 'eligible', to: 'refused', reason, addresses: [], textHash: null } as const;
  const isRefused = await tx.decideEarning({ ...earning, ...refusal, part }, now);
  if (!isRefused) throw new TypeError(`an account of gig ${gigId} is not eligible any more`);
}

/**
 * Refuses eligible accounts that the gig has paid, as the chain says, for tips that the ledger has lost. Every award and
 * division does this first, in its transaction.
 * @returns how many
 */
export async function refusePaid(tx: StoreTx, gigId: number, now: number): Promise<number> {
  const paid = await tx.eligibleButPaid(gigId);
  for (const earning of paid) await refuseEligible(tx, earning, { reason: 'same_address', now });
  return paid.length;
}
