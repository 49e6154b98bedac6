import { expect, test } from 'vitest';
import { type Funding, fundingAmount } from '../../../sandbox/page/acts.ts';
import { openTestStore } from '../../support/database.ts';
import { seedGig, seedToken } from '../../support/store.ts';

const UNIT = 1_000_000n;

/** A gig that needs exactly 105 USDC. */
async function gigRecord() {
  const { store, close } = await openTestStore();
  const token = await seedToken(store, { symbol: 'USDC', decimals: 6 });
  const gig = await seedGig(store, { tokenId: token.id, rewardAmount: 100n * UNIT, feeAmount: 5n * UNIT });
  await close();
  return { ...gig, owners: [], isBobsOnX: false, frozen: null, target: null };
}

test.each<[held: bigint, funding: Funding, sent: bigint | null]>([
  [0n, 'exact', 105n * UNIT],
  [0n, 'short', 104n * UNIT],
  [0n, 'over', 106n * UNIT],
  [104n * UNIT, 'exact', UNIT],
  [104n * UNIT, 'short', UNIT / 2n],
  [105n * UNIT - 1n, 'short', null],
  [105n * UNIT, 'exact', null],
  [105n * UNIT, 'short', null],
  [105n * UNIT, 'over', UNIT],
  [106n * UNIT, 'exact', null],
])('behavior: to a wallet that holds %d of 105 USDC, %s sends %s', async (held, funding, sent) => {
  expect(fundingAmount(await gigRecord(), held, funding)).toBe(sent);
});
