import { expect, test } from 'vitest';
import { cutUnderLoad } from './power-cut.ts';

test('security: a cut of power at any moment leaves all that was told', async () => {
  const { between, told, truncated, ...faults } = await cutUnderLoad({ seed: 7, cuts: 60, stores: 1 });
  expect(faults).toEqual({ lost: [], damaged: [] });
  expect(between).toBeGreaterThan(10);
  expect(told).toBeGreaterThan(50);
  expect(truncated).toBeGreaterThan(0);
});
