import { AWARD_BATCH } from '../../../domain/earning/payouts/fixed.ts';

/** Of one step, so that no gig keeps the others waiting. */
const BATCHES_OF_STEP = 10;

/** What a step did. */
export interface Awards {
  readonly awarded: number;
  /** Accounts that were refused: the reward is used up, or the gig has paid them already. */
  readonly refused: number;
}

/**
 * Runs a batch, each time a transaction of its own, until one is not full: in between, requests have their turn.
 * @returns what they did in all
 */
export async function runBatches(run: () => Promise<Awards>): Promise<Awards> {
  let all: Awards = { awarded: 0, refused: 0 };
  for (let count = 0; count < BATCHES_OF_STEP; count += 1) {
    const { awarded, refused } = await run();
    all = { awarded: all.awarded + awarded, refused: all.refused + refused };
    if (awarded + refused < AWARD_BATCH) break;
  }
  return all;
}

/** The accounts in batches, in their order. */
export function inBatches<Account>(accounts: readonly Account[]): readonly (readonly Account[])[] {
  const count = Math.ceil(accounts.length / AWARD_BATCH);
  return Array.from({ length: count }, (_, n) => accounts.slice(n * AWARD_BATCH, (n + 1) * AWARD_BATCH));
}
