import { expect, test } from 'vitest';
import { isNearlyFull } from '../../../src/domain/operators/disk.ts';

const GIGABYTE = 2 ** 30;

test.each([
  [512 * 2 ** 20, 10 * GIGABYTE, false],
  [512 * 2 ** 20 - 1, 10 * GIGABYTE, true],
  [5 * GIGABYTE, 100 * GIGABYTE, false],
  [5 * GIGABYTE - 1, 100 * GIGABYTE, true],
])(
  'behavior: of a disk of which %i of %i bytes are free it is said that it is nearly full: %s',
  (free, total, full) => {
    expect(isNearlyFull({ free, total })).toBe(full);
  },
);
