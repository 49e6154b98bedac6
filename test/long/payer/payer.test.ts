import { describe, expect, test } from 'vitest';
import { fuzzPayer } from '../../support/payer-fuzz.ts';
import { SWEPT_ASSETS, sweepBatch, sweepDirect } from '../../support/payer-sweep.ts';

/** Another seed finds other sequences: `npm run contracts:fuzz` draws one. What fails names its seed and step. */
const SEEDS = [1, 2];
const STEPS = 500;

describe('the payer at length', () => {
  test.each(SEEDS)(
    'security: seed %d: random sequences do what a plain model does',
    async (seed) => {
      const { made } = await fuzzPayer({ seed, steps: STEPS });
      expect(made).toBeGreaterThan(STEPS / 5);
    },
    600_000,
  );

  test.each(SWEPT_ASSETS)(
    'security: with 200 gas limits a wallet pays and marks all, or neither (%s)',
    async (asset) => {
      const { whole, none, violations } = await sweepDirect(asset, { least: 34_000, end: 174_000, step: 700 });
      expect(violations).toEqual([]);
      expect(whole + none).toBe(200);
    },
    600_000,
  );

  test.each(SWEPT_ASSETS)(
    'security: with 240 gas limits a batch pays every wallet, or reverts (%s)',
    async (asset) => {
      const { whole, none, violations } = await sweepBatch(asset, { least: 60_000, end: 588_000, step: 2_200 });
      expect(violations).toEqual([]);
      expect(whole + none).toBe(240);
    },
    600_000,
  );
});
