import { describe, expect, test } from 'vitest';
import { SWEPT_ASSETS, sweepBatch, sweepDirect } from '../../../../support/payer-sweep.ts';

describe('whatever gas a transaction has', () => {
  test.each(SWEPT_ASSETS)('security: a wallet pays all and marks all, or neither (%s)', async (asset) => {
    const result = await sweepDirect(asset, { least: 36_000, end: 160_000, step: 3_100 });
    expect(result.violations).toEqual([]);
    expect(result.none).toBeGreaterThan(5);
    expect(result.whole).toBeGreaterThan(5);
  });

  test.each(SWEPT_ASSETS)('security: a batch pays every wallet, or reverts (%s)', async (asset) => {
    const result = await sweepBatch(asset, { least: 60_000, end: 560_000, step: 17_300 });
    expect(result.violations).toEqual([]);
    expect(result.none).toBeGreaterThan(5);
    expect(result.whole).toBeGreaterThan(5);
  });
});
