import type { AccountKey } from '../../../domain/account.ts';
import type { Earning, RefusalReason } from '../../../domain/earning/earning.ts';
import { AWARD_BATCH } from '../../../domain/earning/payouts/by-rank.ts';
import { refusedEvent } from '../../../domain/events/event.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import type { ServiceContext } from '../../context.ts';
import { runBatches } from './batches.ts';

/** An account that earns nothing, and why. */
export interface RefusedEarner extends AccountKey {
  readonly reason: RefusalReason;
}

/** Records for programs which accounts a transaction has refused. */
export async function recordRefusals(
  tx: StoreTx,
  { gigId, now }: { gigId: number; now: number },
  refused: readonly RefusedEarner[],
): Promise<void> {
  if (refused.length > 0) await tx.insertEvents([refusedEvent(gigId, refused, now)]);
}

/**
 * Refuses accounts of a gig that are not decided on, as many as one transaction does.
 * @param refusal.isHeldOnly whether eligible accounts stay
 * @returns how many
 */
export async function refuseOpen(
  tx: StoreTx,
  gigId: number,
  { reason, now, isHeldOnly = false }: { reason: RefusalReason; now: number; isHeldOnly?: boolean },
): Promise<number> {
  const accounts = await tx.refuseOpenEarnings(gigId, { reason, now, limit: AWARD_BATCH, isHeldOnly });
  const refused = accounts.map(({ platform, platformUserId }) => ({ platform, platformUserId, reason }));
  await recordRefusals(tx, { gigId, now }, refused);
  return accounts.length;
}

/** Refuses held accounts of a gig about which its platform is asked no more, as many as one step does. */
export async function refuseHeld(deps: ServiceContext, gigId: number): Promise<void> {
  await runBatches(deps, (tx, now) => refuseOpen(tx, gigId, { reason: 'not_decided', now, isHeldOnly: true }));
}

/** Refuses eligible accounts of a gig, which keep their parts in a round. @throws TypeError when one is not eligible */
export async function refuseEligible(
  tx: StoreTx,
  earnings: readonly Earning[],
  { gigId, reason, now }: { gigId: number; reason: RefusalReason; now: number },
): Promise<void> {
  for (const earning of earnings) {
    const { round, weight } = earning;
    const part = round === null || weight === null ? null : { round, weight };
    const refusal = { from: 'eligible', to: 'refused', reason, addresses: [], textHash: null } as const;
    const isRefused = await tx.decideEarning({ ...earning, ...refusal, part }, now);
    if (!isRefused) throw new TypeError(`an account of gig ${gigId} is not eligible any more`);
  }
  const refused = earnings.map(({ platform, platformUserId }) => ({ platform, platformUserId, reason }));
  await recordRefusals(tx, { gigId, now }, refused);
}

/**
 * Refuses eligible accounts that the gig has paid, as the chain says, for tips that the ledger has lost. Every award and
 * division does this first, in its transaction.
 * @returns how many
 */
export async function refusePaid(tx: StoreTx, gigId: number, now: number): Promise<number> {
  const paid = await tx.eligibleButPaid(gigId);
  await refuseEligible(tx, paid, { gigId, reason: 'same_address', now });
  return paid.length;
}
