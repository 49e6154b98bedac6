import { AWARD_BATCH } from '../../../domain/earning/payouts/by-rank.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import type { ServiceContext } from '../../context.ts';

/** Of one step, so that no gig keeps the others waiting. */
const BATCHES_OF_STEP = 10;

/**
 * Decides on accounts in batches of {@link AWARD_BATCH}, each in a transaction of its own, until one is not full: in between,
 * requests have their turn.
 * @param decide returns on how many it has decided
 * @returns the sum of these
 */
export async function runBatches(
  { store, clock }: ServiceContext,
  decide: (tx: StoreTx, now: number) => Promise<number>,
): Promise<number> {
  let all = 0;
  for (let count = 0; count < BATCHES_OF_STEP; count += 1) {
    const decided = await store.transaction((tx) => decide(tx, clock()));
    all += decided;
    if (decided < AWARD_BATCH) break;
  }
  return all;
}

/** The accounts in batches, in their order. */
export function inBatches<Account>(accounts: readonly Account[]): readonly (readonly Account[])[] {
  const count = Math.ceil(accounts.length / AWARD_BATCH);
  return Array.from({ length: count }, (_, n) => accounts.slice(n * AWARD_BATCH, (n + 1) * AWARD_BATCH));
}
