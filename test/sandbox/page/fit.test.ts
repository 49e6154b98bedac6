import { expect, test } from 'vitest';
import { fittingReward } from '../../../sandbox/page/acts.ts';

test.each<[held: bigint, reward: bigint, required: bigint]>([
  [262_500_001n, 250_000_001n, 262_500_001n],
  [105n, 100n, 105n],
  [106n, 101n, 106n],
  // A reward of 19 needs 19 and one of 20 needs 21: nothing needs 20.
  [20n, 20n, 21n],
  [19n, 19n, 19n],
])('behavior: a wallet that holds %d fits a reward of %d, which needs %d', (held, reward, required) => {
  expect(fittingReward(held)).toEqual({ reward, required });
});
