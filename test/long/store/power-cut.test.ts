import { expect, test } from 'vitest';
import { cutUnderLoad } from '../../store/sqlite/power-cut.ts';

test.each([1, 2, 3])(
  'security: cuts of power beside %i stores that write one file leave all that was told',
  {
    timeout: 600_000,
  },
  async (stores) => {
    const { between, told, truncated, ...faults } = await cutUnderLoad({ seed: stores, cuts: 600, stores });
    expect(faults).toEqual({ lost: [], damaged: [] });
    expect(between).toBeGreaterThan(100);
    expect(told).toBeGreaterThan(1_000);
    expect(truncated).toBeGreaterThan(10);
  },
);
